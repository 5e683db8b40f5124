import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { servingListeners } from '../services/index.ts';

/** Commands after which the listeners of the service must serve. */
const WAITING_TYPES = ['DEPLOY', 'UPGRADE_LISTENER'];

const LISTENER_TYPE = 'envoy.config.listener.v3.Listener';

/** A node's report about the listeners of its service. */
export interface DeployFacts {
  /** The proxy runs what the command wants, as far as its agent reported. */
  readonly isReported: boolean;
  /** Its snapshot is being applied, or listeners are not open yet. */
  readonly isMoving: boolean;
  /** Why listeners of the service do not serve. */
  readonly problems: readonly string[];
}

export interface DeployKey {
  readonly id: string;
  readonly clientId: string;
}

/** undefined: the command does not wait for listeners, belongs to another client, or has ended. */
export async function readDeployFacts(tx: Tx, { id, clientId }: DeployKey): Promise<DeployFacts | undefined> {
  const { rows } = await sql<DeployFacts>`
    select coalesce(node_states.phase = 'running' and node_states.generation >= commands.generation
        and cardinality(services.listeners) > 0, false) as "isReported",
      coalesce(node_states.rollout_state = 'in_progress', false) or ${servingListeners()} = 'waiting'
        or (node_states.rollout_state is null and ${servingListeners()} = 'unknown') as "isMoving",
      array(
        select config_errors.message from config_errors
        where config_errors.service_id = services.id and config_errors.client_id = commands.client_id
          and config_errors.status = 'active' and config_errors.severity <> 'warning'
          and config_errors.resource_type = ${LISTENER_TYPE}
        order by config_errors.severity, config_errors.resource_name, config_errors.id limit 5)
      || array(
        select 'Listener "' || (listener ->> 'name') || '" accepts no connections: ' || (listener ->> 'error')
        from jsonb_path_query(node_states.report, '$.listeners[*] ? (@.serving == false && @.error != null)') listener
        limit 5) as problems
    from commands
      join service_targets
        on service_targets.service_id = commands.service_id and service_targets.client_id = commands.client_id
      join services on services.id = commands.service_id
      left join node_states
        on node_states.service_id = commands.service_id and node_states.client_id = commands.client_id
    where commands.id = ${id} and commands.client_id = ${clientId} and commands.type = any(${WAITING_TYPES}::text[])
      and commands.status in ('pending', 'sent', 'running', 'unknown')`.execute(tx);
  return rows[0];
}

/** Keeps the result of a command that waits for its listeners, at most until `until`. */
export async function holdResult(
  tx: Tx,
  key: DeployKey,
  { result, until }: { result: unknown; until: Date },
): Promise<void> {
  await sql`
    update commands set status = 'running', step = 'waiting for the listeners', result = ${JSON.stringify(result ?? {})}::jsonb,
      deadline_at = case when result is null then ${until} else deadline_at end
    where id = ${key.id} and client_id = ${key.clientId} and status in ('pending', 'sent', 'running')`.execute(tx);
}

export interface HeldDeploy extends DeployKey {
  readonly result: unknown;
  readonly isOver: boolean;
}

/** Commands whose results are kept, the oldest first. */
export async function listHeld(db: Db, now: Date): Promise<HeldDeploy[]> {
  const { rows } = await sql<HeldDeploy>`
    select id, client_id as "clientId", result, deadline_at <= ${now} as "isOver" from commands
    where status = 'running' and type = any(${WAITING_TYPES}::text[]) and result is not null
    order by deadline_at limit 500`.execute(db);
  return rows;
}
