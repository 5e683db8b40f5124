import type { HealthState, NodeHealth } from '@flotilla/contract';
import { type RawBuilder, sql } from 'kysely';
import { trafficReasons } from '../../traffic/public.ts';
import { isConnected } from '../clients/index.ts';
import type { NodeFindings, ServingListeners } from './health.ts';

/** Configuration errors that are listed as reasons, per node. */
const ERRORS_NAMED = 3;

const LISTENER_TYPE = 'envoy.config.listener.v3.Listener';

const isBehind = sql`coalesce(node_states.generation, 0) < service_targets.generation`;
const hasErrors = sql`exists (select from config_errors
  where config_errors.service_id = service_targets.service_id and config_errors.client_id = service_targets.client_id
    and config_errors.status = 'active' and config_errors.severity <> 'warning')`;

function connected(): RawBuilder<boolean> {
  return sql<boolean>`${isConnected()}`;
}

/**
 * ServingListeners in SQL. A configuration without any listener of a service that has some serves nothing, whatever
 * an agent reports.
 */
export function servingListeners(): RawBuilder<ServingListeners> {
  const some = (filter: string) =>
    sql`coalesce(jsonb_path_exists(node_states.report, ${`$.listeners[*] ? (${filter})`}::jsonpath), false)`;
  return sql<ServingListeners>`case
    when ${some('@.serving == false && @.error == null')} then 'waiting'
    when ${some('@.serving == true')} then case when ${some('@.serving == false')} then 'some' else 'all' end
    when ${some('@.serving == false')} then 'none'
    when jsonb_typeof(node_states.resources) = 'array' and node_states.rollout_state in ('live', 'partial')
      and not jsonb_path_exists(node_states.resources, ${`$[*] ? (@.type == "${LISTENER_TYPE}")`}::jsonpath)
      and exists (select from services where services.id = service_targets.service_id and cardinality(services.listeners) > 0)
      then 'none'
    else 'unknown' end`;
}

/**
 * deriveNodeHealth in SQL, over `service_targets` joined with `node_states` and `clients`. null: not deployed. A test keeps the
 * two equal.
 */
export function targetHealth(): RawBuilder<NodeHealth | null> {
  const isSettled = sql`(node_states.phase = 'running' and not ${isBehind}
    and node_states.rollout_state is distinct from 'in_progress' and ${servingListeners()} <> 'waiting')`;
  return sql<NodeHealth | null>`case
    when not service_targets.deployed then null
    when node_states.phase = 'stopped' and not ${isBehind}
      then case service_targets.run_state when 'stopped' then 'stopped' else 'failed' end
    when node_states.phase = 'failed' or (node_states.phase is null and ${hasErrors}) then 'failed'
    when ${isSettled} and ${servingListeners()} = 'none' then 'failed'
    when ${hasErrors} or node_states.rollout_state = 'partial' then 'degraded'
    when ${isSettled} and ${servingListeners()} = 'some' then 'degraded'
    when node_states.phase = 'running' and ${trafficReasons(connected())} <> '[]' then 'degraded'
    when ${isSettled} then 'live'
    else 'in_progress' end`;
}

/** Columns `service_id`, `connected` and `state` of deployed targets, filtered by `where`. */
export function selectTargetHealth(where: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select service_targets.service_id, ${isConnected()} as connected, ${targetHealth()} as state
    from service_targets
    join clients on clients.id = service_targets.client_id
    left join node_states
      on node_states.service_id = service_targets.service_id and node_states.client_id = service_targets.client_id
    where service_targets.deployed and ${where}`;
}

/** deriveHealthState in SQL, over the rows of `selectTargetHealth`. A test keeps the two equal. */
export function healthState(): RawBuilder<HealthState> {
  return sql<HealthState>`case
    when count(*) = 0 then 'not_deployed'
    when not bool_or(connected) then 'unreachable'
    when bool_or(state = 'failed') and bool_and(state in ('failed', 'stopped')) then 'failed'
    when bool_or(state in ('failed', 'degraded') or (not connected and state <> 'stopped')) then 'degraded'
    when bool_or(state = 'in_progress') then 'in_progress'
    when bool_or(state = 'live') then 'live'
    else 'stopped' end`;
}

/** The message of the worst reason of a service for a summary: a configuration error, or what its traffic says. */
export function worstReason(serviceId: `${string}.${string}`): RawBuilder<string | null> {
  const id = sql.ref(serviceId);
  return sql<string | null>`coalesce(
    (select config_errors.message from config_errors
      join service_targets on service_targets.service_id = config_errors.service_id
        and service_targets.client_id = config_errors.client_id and service_targets.deployed
      where config_errors.service_id = ${id} and config_errors.status = 'active' and config_errors.severity <> 'warning'
      order by config_errors.severity, config_errors.last_seen desc, config_errors.id limit 1),
    (select ${trafficReasons(connected())} -> 0 ->> 'message' from service_targets
      join clients on clients.id = service_targets.client_id
      where service_targets.service_id = ${id} and service_targets.deployed and ${trafficReasons(connected())} <> '[]'
      order by service_targets.client_id limit 1))`;
}

/** Members of a JSON object with the findings about a target, over the same rows as `targetHealth`. */
export function targetFindings(): RawBuilder<Omit<NodeFindings, 'client_id' | 'client_name' | 'run_state'>> {
  return sql`'phase', node_states.phase, 'agent_error', node_states.report ->> 'error',
    'listeners', coalesce(jsonb_path_query_array(node_states.report, '$.listeners[*] ? (@.serving == false && @.error != null)'), '[]'),
    'errors', (select coalesce(jsonb_agg(jsonb_build_object('name', worst.resource_name, 'message', worst.message)), '[]')
      from (select config_errors.resource_name, config_errors.message from config_errors
        where config_errors.service_id = service_targets.service_id and config_errors.client_id = service_targets.client_id
          and config_errors.status = 'active' and config_errors.severity <> 'warning'
        order by config_errors.severity, config_errors.last_seen desc, config_errors.id limit ${ERRORS_NAMED}) worst),
    'traffic', ${trafficReasons(connected())}`;
}
