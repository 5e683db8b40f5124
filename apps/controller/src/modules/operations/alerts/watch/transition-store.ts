import { ALERT_TRAFFIC_KINDS, type AlertConditionKind } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { CONDITION_QUERIES, type WatchTimes } from './condition-store.ts';
import { matchesNames } from './selector-store.ts';

/** How long a condition has to be gone before its alert is resolved. Doubles with every time that the alert fired lately. */
export const RESOLVE_AFTER_S = 60;
export const RESOLVE_AFTER_MAX_S = 1800;
/** The time in which an alert that fires again counts as flapping. */
const FLAPPING_HOURS = 6;
const SUMMARY_MAX = 1000;

/**
 * Compares the active alerts of a kind with what meets the conditions now: inserts new ones, and marks those that hold again, not
 * any more, or of which that is unknown. A full join cannot be a nested loop, so a storm costs what its number of alerts costs.
 */
export async function compareCondition(tx: Tx, kind: AlertConditionKind, times: WatchTimes): Promise<void> {
  const { now } = times;
  await sql`
    with found as materialized (
      select rule_id, project_id, subject_kind, subject_id, left(subject_name, 384) as subject_name, subject_place, since,
        labels, is_known, left(summary, ${SUMMARY_MAX}) as summary,
        left(encode(sha256(convert_to(rule_id || '/' || subject_kind || '/' || key, 'UTF8')), 'hex'), 32) as fingerprint
      from (${CONDITION_QUERIES[kind](times)}) met
      where ${matchesNames(sql`selector`, sql`subject_name`)} and labels @> (selector -> 'labels')
    ),
    active as materialized (
      select id, rule_id, fingerprint, clear_since, unknown_since, summary, subject_id, subject_name, labels from alerts
      where state <> 'resolved'
        and rule_id in (select id from alert_rules where enabled and condition ->> 'kind' = ${kind})
    ),
    compared as materialized (
      select active.id as alert_id, found.*, found.rule_id is not null as is_found, active.clear_since,
        active.unknown_since, active.clear_since is not null or active.unknown_since is not null
          or active.labels <> found.labels or active.summary <> found.summary
          or active.subject_id is distinct from found.subject_id or active.subject_name <> found.subject_name as is_changed
      from found
      full join active on active.rule_id = found.rule_id and active.fingerprint = found.fingerprint
    ),
    appeared as (
      insert into alerts (id, project_id, rule_id, rule_name, condition, severity, fingerprint, state, subject_kind,
        subject_id, subject_name, subject_place, labels, summary, since)
      select time_uuid(), compared.project_id, compared.rule_id, alert_rules.name, ${kind}, alert_rules.severity,
        fingerprint, 'pending', subject_kind, subject_id, subject_name, subject_place, labels, summary, since
      from compared join alert_rules on alert_rules.id = compared.rule_id
      where alert_id is null and is_known
      on conflict (rule_id, fingerprint) where state <> 'resolved' do nothing
    ),
    held as (
      update alerts set clear_since = null, unknown_since = null, summary = compared.summary,
        subject_id = compared.subject_id, subject_name = compared.subject_name, labels = compared.labels,
        since = case when state = 'pending' then ${resumed('alerts.since', now)} else alerts.since end
      from compared where alerts.id = compared.alert_id and is_found and is_known and is_changed
    ),
    unknown as (
      update alerts set unknown_since = ${now}
      from compared where alerts.id = compared.alert_id and is_found and not is_known and compared.unknown_since is null
    )
    update alerts set clear_since = coalesce(${resumed('alerts.clear_since', now)}, ${now}), unknown_since = null
    from compared where alerts.id = compared.alert_id and not is_found
      and (compared.clear_since is null or compared.unknown_since is not null)`.execute(tx);
}

/** A time that has been counted from, without the time in which the condition was unknown. */
function resumed(column: 'alerts.since' | 'alerts.clear_since', now: Date): RawBuilder<Date> {
  return sql<Date>`${sql.ref(column)} + coalesce(${now}::timestamptz - alerts.unknown_since, interval '0')`;
}

/** Nothing is known about traffic: its alerts keep their state. */
export async function holdTrafficAlerts(tx: Tx, now: Date): Promise<void> {
  await sql`
    update alerts set unknown_since = ${now}
    where state <> 'resolved' and unknown_since is null and condition = any(${[...ALERT_TRAFFIC_KINDS]})`.execute(tx);
}

/** Ends the alerts of rules that are switched off. */
export async function endAlertsOfOffRules(tx: Tx, now: Date): Promise<void> {
  const isOff = sql`alerts.rule_id in (select id from alert_rules where not enabled)`;
  await sql`delete from alerts where state = 'pending' and ${isOff}`.execute(tx);
  await sql`update alerts set state = 'resolved', resolved_at = ${now}, unknown_since = null
    where state = 'firing' and ${isOff}`.execute(tx);
}

/** pending -> gone, pending -> firing, firing -> resolved. An alert whose condition is unknown keeps its state. */
export async function advanceAlerts(tx: Tx, now: Date): Promise<void> {
  await sql`delete from alerts where state = 'pending' and clear_since is not null`.execute(tx);
  await sql`
    update alerts set state = 'firing', fired_at = ${now}, fires = 1 + (
      select count(*) from alerts earlier where earlier.fingerprint = alerts.fingerprint and earlier.id <> alerts.id
        and earlier.fired_at > ${now}::timestamptz - ${FLAPPING_HOURS} * interval '1 hour')
    from alert_rules
    where alert_rules.id = alerts.rule_id and alerts.state = 'pending' and alerts.unknown_since is null
      and alerts.since + alert_rules.for_s * interval '1 s' <= ${now}`.execute(tx);
  await sql`
    update alerts set state = 'resolved', resolved_at = ${now}
    where state = 'firing' and unknown_since is null and clear_since + least(${RESOLVE_AFTER_MAX_S}::numeric,
      ${RESOLVE_AFTER_S} * power(2::numeric, least(fires, 10) - 1)) * interval '1 s' <= ${now}`.execute(tx);
}
