import type { ServiceCondition, TargetState } from '@flotilla/contract';
import { type RawBuilder, sql } from 'kysely';
import { isConnected } from '../clients/index.ts';

/**
 * deriveTargetState in SQL, over `service_targets` joined with `node_states`. null: not deployed. A test keeps the two
 * equal.
 */
export function targetState(): RawBuilder<TargetState | null> {
  const isBehind = sql`coalesce(node_states.generation, 0) < service_targets.generation`;
  const hasErrors = sql`exists (select from config_errors
    where config_errors.service_id = service_targets.service_id and config_errors.client_id = service_targets.client_id
      and config_errors.status = 'active' and config_errors.severity <> 'warning')`;
  return sql<TargetState | null>`case
    when not service_targets.deployed then null
    when node_states.phase = 'failed' or node_states.rollout_state = 'partial' or ${hasErrors} then 'with_errors'
    when node_states.phase = 'stopped' and not ${isBehind}
      then case service_targets.run_state when 'stopped' then 'stopped' else 'with_errors' end
    when node_states.phase is distinct from 'running' or ${isBehind} or node_states.rollout_state = 'in_progress'
      then 'in_progress'
    else 'up_to_date' end`;
}

/** Columns `service_id`, `connected` and `state` of deployed targets, filtered by `where`. */
export function selectTargetStates(where: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select service_targets.service_id, ${isConnected()} as connected, ${targetState()} as state
    from service_targets
    join clients on clients.id = service_targets.client_id
    left join node_states
      on node_states.service_id = service_targets.service_id and node_states.client_id = service_targets.client_id
    where service_targets.deployed and ${where}`;
}

/** deriveCondition in SQL, over the rows of `selectTargetStates`. A test keeps the two equal. */
export function conditionState(): RawBuilder<ServiceCondition['state']> {
  return sql<ServiceCondition['state']>`case
    when count(*) = 0 then 'not_deployed'
    when not bool_or(connected) then 'unreachable'
    when bool_or(state = 'with_errors') then 'with_errors'
    when not bool_and(connected) then 'partly_unreachable'
    when bool_or(state = 'in_progress') then 'in_progress'
    when bool_or(state = 'up_to_date') then 'up_to_date'
    else 'stopped' end`;
}

/**
 * The message of the worst active error of a row of `services`, the newest of equals. Alphabetical order puts
 * `critical` before the other severity.
 */
export function worstError(): RawBuilder<string | null> {
  return sql<string | null>`(
    select config_errors.message from config_errors
    join service_targets on service_targets.service_id = config_errors.service_id
      and service_targets.client_id = config_errors.client_id and service_targets.deployed
    where config_errors.service_id = services.id and config_errors.status = 'active'
      and config_errors.severity <> 'warning'
    order by config_errors.severity, config_errors.last_seen desc, config_errors.id limit 1)`;
}
