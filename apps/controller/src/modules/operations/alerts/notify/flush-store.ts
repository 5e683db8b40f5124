import type { QuietHours } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { isQuiet } from './quiet-hours.ts';

/** Alerts of this time are collected into one message. */
export const GROUP_WAIT_MS = 10_000;
/** A channel gets at most one message in this time. */
export const GROUP_INTERVAL_MS = 60_000;
/** Alerts that a message names; the others are counted. */
const NAMED_MAX = 10;

/** Alerts that have to be reported to channels: columns of `alerts`, and `due_since`. */
function needing(now: Date, quietRules: readonly string[]): RawBuilder<unknown> {
  return sql`
    select alerts.*, case when alerts.state = 'resolved' then alerts.resolved_at
      else coalesce(alerts.notified_at + alert_rules.repeat_s * interval '1 s', alerts.fired_at) end as due_since
    from alerts join alert_rules on alert_rules.id = alerts.rule_id
    where (
        (alerts.state = 'firing' and alert_rules.enabled and (alerts.notified_at is null or (
          alerts.acknowledged_at is null and alerts.notified_at + alert_rules.repeat_s * interval '1 s' <= ${now})))
        or (alerts.state = 'resolved' and alerts.notified_at is not null and not alerts.end_notified)
      )
      and coalesce(alerts.silenced_until, '-infinity') <= ${now}
      and coalesce(alert_rules.silenced_until, '-infinity') <= ${now}
      and alert_rules.id <> all(${[...quietRules]}::uuid[])
      and exists (select from alert_rule_channels
        join alert_channels on alert_channels.id = alert_rule_channels.channel_id and alert_channels.enabled
        where alert_rule_channels.rule_id = alert_rules.id)`;
}

/** Writes one message for each channel of the projects in which it is time for one. Returns the number of messages. */
export async function queueMessages(tx: Tx, now: Date): Promise<number> {
  const quietRules = await listQuietRules(tx, now);
  const settled = new Date(now.getTime() - GROUP_WAIT_MS);
  const lately = new Date(now.getTime() - GROUP_INTERVAL_MS);
  const { rows } = await sql<{ count: number }>`
    with needing as materialized (${needing(now, quietRules)}),
    ready as (
      select project_id from needing group by project_id
      having min(due_since) <= ${settled} and not exists (select from alert_deliveries
        where alert_deliveries.project_id = needing.project_id and kind = 'alerts' and created_at > ${lately})
    ),
    notices as (
      select needing.*, alert_channels.id as channel_id, row_number() over (
        partition by alert_channels.id, needing.state
        order by array_position(array['critical', 'warning', 'info'], needing.severity), needing.since,
          needing.subject_name, needing.id) as place
      from needing
      join ready on ready.project_id = needing.project_id
      join alert_rule_channels on alert_rule_channels.rule_id = needing.rule_id
      join alert_channels on alert_channels.id = alert_rule_channels.channel_id and alert_channels.enabled
    ),
    queued as (
      insert into alert_deliveries (id, project_id, channel_id, kind, payload, firing, resolved, status, created_at)
      select time_uuid(), project_id, channel_id, 'alerts',
        jsonb_build_object('kind', 'alerts', 'firing', ${part('firing')}, 'resolved', ${part('resolved')}),
        count(*) filter (where state = 'firing'), count(*) filter (where state = 'resolved'), 'waiting', ${now}
      from notices group by project_id, channel_id
      returning id
    ),
    reported as (
      update alerts set notified_at = ${now}, end_notified = alerts.state = 'resolved'
      where alerts.id in (select needing.id from needing join ready on ready.project_id = needing.project_id)
    )
    select count(*)::int as count from queued`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** A MessagePart as JSON, over rows of `notices`. */
function part(state: 'firing' | 'resolved'): RawBuilder<unknown> {
  return sql`jsonb_build_object('count', count(*) filter (where state = ${sql.lit(state)}),
    'first', coalesce(jsonb_agg(jsonb_build_object(
      'alert_id', id, 'fingerprint', fingerprint, 'rule', rule_name, 'severity', severity,
      'subject', jsonb_build_object('kind', subject_kind, 'id', subject_id, 'name', left(subject_name, 200)),
      'labels', labels, 'summary', left(summary, 300), 'since', to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    ) order by place) filter (where state = ${sql.lit(state)} and place <= ${NAMED_MAX}), '[]'))`;
}

/** Rules with alerts to report that have to wait for the end of their quiet hours. */
async function listQuietRules(tx: Tx, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string; quiet_hours: QuietHours }>`
    select id, quiet_hours from alert_rules where quiet_hours is not null and exists (
      select from alerts where alerts.rule_id = alert_rules.id and (alerts.state = 'firing'
        or (alerts.state = 'resolved' and alerts.notified_at is not null and not alerts.end_notified)))`.execute(tx);
  return rows.filter(({ quiet_hours }) => isQuiet(quiet_hours, now)).map(({ id }) => id);
}
