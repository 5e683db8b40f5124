import type { AlertConditionKind, AlertTrafficKind } from '@flotilla/contract';
import { type RawBuilder, sql } from 'kysely';
import { healthState, isConnected, selectTargetHealth, worstReason } from '../../../fleet/public.ts';
import { selectFindings } from './finding-store.ts';
import { columns, rulesOf } from './rule-columns-store.ts';
import type { ServiceVerdict } from './verdicts/traffic-judge.ts';

export interface WatchTimes {
  readonly now: Date;
  /**
   * When this controller began to watch. A lost connection counts from then on: after a restart of the controllers, all agents are
   * away until they connect again.
   */
  readonly watchingSince: Date;
  /** When the certificate authority of the clients expires. */
  readonly authorityEndsAt: Date;
  /** The verdicts of the rules over traffic. undefined: they could not be read, so all of them are unknown. */
  readonly verdicts: readonly ServiceVerdict[] | undefined;
}

/**
 * The objects that meet the condition of a rule, in one query over all rules of the kind and all projects. Columns: `rule_id`,
 * `project_id`, `key` (unique within the rule), `subject_kind`, `subject_id`, `subject_name`, `subject_place`, `labels`,
 * `selector`, `summary`, `since`, `is_known`. If it is not known whether an object meets the condition, its alert keeps its state.
 */
export type ConditionQuery = (times: WatchTimes) => RawBuilder<unknown>;

/** Every kind of condition. A kind without a query does not compile. */
export const CONDITION_QUERIES: Readonly<Record<AlertConditionKind, ConditionQuery>> = {
  service_health: selectServiceHealth,
  client_offline: selectOfflineClients,
  certificate_expiry: selectExpiringCertificates,
  configuration_refused: selectRefusals,
  job_failed: selectFailedJobs,
  backup_missing: selectMissingBackups,
  error_share: (times) => selectTraffic('error_share', times),
  latency: (times) => selectTraffic('latency', times),
  request_rate: (times) => selectTraffic('request_rate', times),
  finding: selectFindings,
};

function selectServiceHealth({ now }: WatchTimes): RawBuilder<unknown> {
  const watched = sql`clients.project_id in (select project_id from ${rulesOf('service_health')})`;
  return sql`
    select ${columns({
      kind: sql`'service'`,
      id: sql`services.id`,
      name: sql`services.name`,
      key: sql`services.id::text`,
      summary: sql`case states.health
        when 'failed' then 'Nothing serves.'
        when 'degraded' then 'It does not serve everything, or not well.'
        else 'None of its clients is connected. The proxies keep running with their last configuration.' end
        || coalesce(' ' || ${worstReason('services.id')}, '')`,
      since: sql`${now}::timestamptz`,
    })}
    from ${rulesOf('service_health')}
    join services on services.project_id = rules.project_id
    join (select service_id, ${healthState()} as health from (${selectTargetHealth(watched)}) targets
      group by service_id) states on states.service_id = services.id
    where rules.condition -> 'states' ? states.health`;
}

function selectOfflineClients({ watchingSince }: WatchTimes): RawBuilder<unknown> {
  const lostAt = sql`case when clients.connected_to is null then clients.disconnect_time else clients.last_seen end`;
  return sql`
    select ${columns({
      kind: sql`'client'`,
      id: sql`clients.id`,
      name: sql`clients.name`,
      key: sql`clients.id::text`,
      labels: sql`clients.metadata || clients.labels`,
      summary: sql`'The agent is not connected' || case when clients.connected_to is null
        then coalesce(': ' || clients.disconnect_reason, '') else ': its controller is gone' end || '.'`,
      since: sql`greatest(${lostAt}, ${watchingSince}::timestamptz)`,
    })}
    from ${rulesOf('client_offline')}
    join clients on clients.project_id = rules.project_id
    where clients.connect_time is not null and not ${isConnected()}`;
}

function selectExpiringCertificates({ now, authorityEndsAt }: WatchTimes): RawBuilder<unknown> {
  const limit = sql`(rules.condition ->> 'days')::int * interval '1 day'`;
  const summary = (endsAt: RawBuilder<unknown>) => sql`case when ${endsAt} <= ${now}::timestamptz
    then 'The certificate expired at ' else 'The certificate expires at ' end
    || to_char(${endsAt} at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC.'`;
  const authorityEnd = sql`${authorityEndsAt}::timestamptz`;
  return sql`
    select ${columns({
      kind: sql`'document'`,
      id: sql`documents.id`,
      name: sql`documents.name`,
      key: sql`documents.id::text`,
      place: sql`jsonb_build_object('collection', documents.collection, 'version', documents.version)`,
      labels: sql`documents.labels`,
      summary: summary(sql`documents.certificate_ends_at`),
      since: sql`documents.certificate_ends_at - ${limit}`,
    })}
    from ${rulesOf('certificate_expiry')}
    join documents on documents.project_id = rules.project_id
      and documents.certificate_ends_at < ${now}::timestamptz + ${limit}
    union all
    select ${columns({
      kind: sql`'authority'`,
      id: sql`null::uuid`,
      name: sql`'CA of the clients'`,
      key: sql`'authority'`,
      summary: summary(authorityEnd),
      since: sql`${authorityEnd} - ${limit}`,
    })}
    from ${rulesOf('certificate_expiry')}
    where ${authorityEnd} < ${now}::timestamptz + ${limit}`;
}

function selectRefusals(_: WatchTimes): RawBuilder<unknown> {
  return sql`
    select ${columns({
      kind: sql`'service'`,
      id: sql`services.id`,
      name: sql`services.name`,
      key: sql`services.id::text`,
      summary: sql`case when errors.count > 1 then errors.count || ' errors, the newest: ' else '' end || errors.message`,
      since: sql`errors.since`,
    })}
    from ${rulesOf('configuration_refused')}
    join services on services.project_id = rules.project_id
    cross join lateral (
      select count(*) as count, min(coalesce(active_since, first_seen)) as since,
        (array_agg(resource_name || ': ' || message order by coalesce(active_since, first_seen) desc, id desc))[1] as message
      from config_errors
      where config_errors.service_id = services.id and status = 'active' and rules.condition -> 'severities' ? severity
    ) errors
    where errors.count > 0`;
}

function selectFailedJobs({ now }: WatchTimes): RawBuilder<unknown> {
  return sql`
    select ${columns({
      kind: sql`'job'`,
      id: sql`last.id`,
      name: sql`last.type || coalesce(' ' || last.resource_name, '')`,
      key: sql`last.type || '/' || coalesce(last.resource_type, '') || '/' || coalesce(last.resource_name, '')`,
      summary: sql`'Job ' || last.number || case last.status when 'done_with_errors' then ' failed for some targets'
        else ' failed' end || coalesce(': ' || (last.error ->> 'message'), '.')`,
      since: sql`last.ended_at`,
    })}
    from ${rulesOf('job_failed')}
    join (
      select distinct on (project_id, type, resource_type, resource_name) id, number, project_id, type, resource_type,
        resource_name, status, ended_at, error
      from jobs
      where ended_at > ${now}::timestamptz - interval '1 day' and parent_id is null and status <> 'cancelled'
        and project_id is not null
      order by project_id, type, resource_type, resource_name, ended_at desc, id desc
    ) last on last.project_id = rules.project_id
    where last.status in ('failed', 'dead', 'done_with_errors')
      and (rules.condition -> 'types' = '[]' or rules.condition -> 'types' ? last.type)`;
}

function selectMissingBackups({ now }: WatchTimes): RawBuilder<unknown> {
  const limit = sql`(rules.condition ->> 'hours')::int * interval '1 hour'`;
  return sql`
    select ${columns({
      kind: sql`'project'`,
      id: sql`projects.id`,
      name: sql`projects.name`,
      key: sql`projects.id::text`,
      summary: sql`case when newest.at is null then 'There is no backup of the project.'
        else 'The newest backup is from ' || to_char(newest.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC.' end`,
      since: sql`coalesce(newest.at, projects.created_at) + ${limit}`,
    })}
    from ${rulesOf('backup_missing')}
    join projects on projects.id = rules.project_id
    cross join lateral (
      select max(created_at) as at from backups
      where (backups.project_id = projects.id or backups.project_id is null) and status = 'ready'
        and origin in ('made', 'scheduled')
    ) newest
    where coalesce(newest.at, projects.created_at) + ${limit} <= ${now}::timestamptz`;
}

function selectTraffic(kind: AlertTrafficKind, { now, verdicts = [] }: WatchTimes): RawBuilder<unknown> {
  return sql`
    select ${columns({
      kind: sql`'service'`,
      id: sql`services.id`,
      name: sql`services.name`,
      key: sql`services.id::text`,
      summary: sql`coalesce(verdicts.summary, '')`,
      since: sql`${now}::timestamptz`,
      isKnown: sql`verdicts.summary is not null`,
    })}
    from ${rulesOf(kind)}
    join jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb) as verdicts(rule_id uuid, service_id uuid, summary text)
      on verdicts.rule_id = rules.id
    join services on services.id = verdicts.service_id and services.project_id = rules.project_id`;
}
