import { DRAIN_TIME, type HaPair } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { isConnected } from '../../../fleet/public.ts';
import { type Comparison, type Debt, RETRY_FIRST_MS, RETRY_MAX_MS, type SyncOperation, type Work } from './model.ts';

/** The transaction is one of the program that lets a member catch up: it is no change that the other one has to follow. */
export async function markCatchingUp(tx: Tx): Promise<void> {
  await sql`select set_config('flotilla.ha_sync', 'on', true)`.execute(tx);
}

/** The deployment of the row `target` of service_targets as JSON; null if the service is not deployed there. */
function deploymentOf(target: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${target}.${name}`);
  return sql`case when ${column('deployed')} then jsonb_build_object('addresses', ${column('addresses')},
    'runState', ${column('run_state')}, 'version', coalesce(${column('envoy_version')}, services.version),
    'drainTimeS', coalesce(${column('drain_time_s')}, ${DRAIN_TIME.defaultS}::int)) end`;
}

/** The changed members with their peers. Nothing in a transaction of `markCatchingUp`. */
export async function compareMembers(
  tx: Tx,
  { serviceId, clientIds }: { readonly serviceId: string; readonly clientIds: readonly string[] },
): Promise<Comparison[]> {
  const { rows } = await sql<Comparison>`
    select services.project_id as "projectId", own.pair_id as "pairId", owed.source_id as "sourceId",
      jsonb_build_object('clientId', own.client_id, 'priority', own.priority, 'part', ${deploymentOf('mine')}) as changed,
      case when peer.client_id is not null then
        jsonb_build_object('clientId', peer.client_id, 'priority', peer.priority, 'part', ${deploymentOf('theirs')}) end as peer,
      exists (select from clients where clients.id in (own.client_id, peer.client_id) and clients.provider = 'openstack')
        as "isInCloud"
    from ha_members own
      left join ha_members peer on peer.pair_id = own.pair_id and peer.client_id <> own.client_id
      join services on services.id = ${serviceId}
      left join service_targets mine on mine.service_id = services.id and mine.client_id = own.client_id
      left join service_targets theirs on theirs.service_id = services.id and theirs.client_id = peer.client_id
      left join ha_sync owed on owed.service_id = services.id and owed.client_id in (own.client_id, peer.client_id)
    where own.client_id = any(${[...clientIds]}::uuid[])
      and coalesce(current_setting('flotilla.ha_sync', true), '') <> 'on'`.execute(tx);
  return rows;
}

/**
 * Writes what a member owes and forgets what the other one owed. It replaces older work of the member at once, whatever its command
 * does, but remembers with one attempt that something was tried.
 */
export async function upsertDebt(
  tx: Tx,
  {
    pairId,
    clientId,
    sourceId,
    op,
    serviceId,
    now,
  }: Omit<Debt, 'op' | 'projectId'> & {
    readonly op: SyncOperation;
    readonly serviceId: string;
    readonly now: Date;
  },
): Promise<void> {
  await sql`delete from ha_sync where service_id = ${serviceId} and client_id = ${sourceId}`.execute(tx);
  await sql`
    insert into ha_sync (service_id, client_id, pair_id, source_id, op, since, next_attempt_at)
    values (${serviceId}, ${clientId}, ${pairId}, ${sourceId}, ${op}, ${now}, ${now})
    on conflict (service_id, client_id) do update set pair_id = excluded.pair_id, source_id = excluded.source_id,
      op = excluded.op, since = excluded.since, last_error = null, next_attempt_at = excluded.next_attempt_at, command_id = null,
      attempts = case when ha_sync.attempts > 0 or ha_sync.command_id is not null then 1 else 0 end`.execute(tx);
}

/** Forgets debts for which nothing was tried yet: the members are equal. An attempt may have failed, and is repeated. */
export async function deleteUntried(
  tx: Tx,
  { serviceId, clientIds }: { readonly serviceId: string; readonly clientIds: readonly string[] },
): Promise<boolean> {
  const { rows } = await sql`delete from ha_sync
    where service_id = ${serviceId} and client_id = any(${[...clientIds]}::uuid[]) and attempts = 0 and command_id is null
    returning service_id`.execute(tx);
  return rows.length > 0;
}

/** The other member of the pair. */
export async function findPeer(
  tx: Tx,
  { pairId, clientId }: { readonly pairId: string; readonly clientId: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ client_id: string }>`
    select client_id from ha_members where pair_id = ${pairId} and client_id <> ${clientId}`.execute(tx);
  return rows[0]?.client_id;
}

/** Every change of what a client runs locks the client, too: it is over, or it finds the new member. */
export async function lockMembers(tx: Tx, clientIds: readonly string[]): Promise<void> {
  await sql`select from clients where id = any(${[...clientIds]}::uuid[]) order by id for no key update`.execute(tx);
}

export async function listDeployedTo(tx: Tx, clientId: string): Promise<string[]> {
  const { rows } = await sql<{ service_id: string }>`
    select service_id from service_targets where client_id = ${clientId} and deployed order by service_id`.execute(tx);
  return rows.map((row) => row.service_id);
}

export interface WorkKey {
  readonly serviceId: string;
  readonly clientId: string;
}

/**
 * Rows of which a step can be taken now: those whose command has ended, and those that are due, as long as at most `inFlight` of a
 * client have a command. A row is due at its time, and when its client has connected since the attempt that failed.
 */
export async function listDue(
  db: Db,
  { now, inFlight }: { readonly now: Date; readonly inFlight: number },
): Promise<WorkKey[]> {
  const { rows } = await sql<WorkKey>`
    with owed as (
      select ha_sync.service_id, ha_sync.client_id, ha_sync.next_attempt_at, ha_sync.command_id is not null as sent,
        coalesce(commands.status in ('pending', 'sent', 'running'), false) as runs, ${isConnected()} as connected,
        ha_sync.next_attempt_at <= ${now} or (ha_sync.attempts > 0 and clients.connect_time
          > ha_sync.next_attempt_at - ${backOff()} * interval '1 ms') as due
      from ha_sync
        join clients on clients.id = ha_sync.client_id
        left join commands on commands.id = ha_sync.command_id),
    placed as (
      select owed.*, count(*) filter (where sent) over (partition by client_id) as open,
        row_number() over (partition by client_id, sent order by due desc, next_attempt_at, service_id) as place
      from owed)
    select service_id as "serviceId", client_id as "clientId" from placed
    where case when sent then not runs else due and connected and place <= ${inFlight} - open end
    order by next_attempt_at, place`.execute(db);
  return rows;
}

/** `deriveBackOffMs` of the row in table `ha_sync`. */
function backOff(): RawBuilder<number> {
  return sql<number>`least(${RETRY_MAX_MS}::int, ${RETRY_FIRST_MS}::int * 2 ^ (least(ha_sync.attempts, 11) - 1))`;
}

export async function hasWork(db: Db): Promise<boolean> {
  const { rows } = await sql`select from ha_sync limit 1`.execute(db);
  return rows.length > 0;
}

/** Says of all that is due for a client that is away why it waits. Its attempts are not counted. */
export async function noteOffline(tx: Tx, now: Date): Promise<Array<{ projectId: string; pairId: string }>> {
  const { rows } = await sql<{ projectId: string; pairId: string }>`
    update ha_sync set last_error = 'client ' || clients.name || ' is offline; the work continues when it is back'
    from clients
    where clients.id = ha_sync.client_id and ha_sync.command_id is null and ha_sync.next_attempt_at <= ${now}
      and not ${isConnected()}
      and ha_sync.last_error is distinct from 'client ' || clients.name || ' is offline; the work continues when it is back'
    returning clients.project_id as "projectId", ha_sync.pair_id as "pairId"`.execute(tx);
  return [...new Map(rows.map((row) => [row.pairId, row])).values()];
}

/** Undefined: nothing is owed any more. */
export async function readWork(db: Db, key: WorkKey): Promise<Work | undefined> {
  const { rows } = await selectWork(key, sql``).execute(db);
  return rows[0];
}

/** Call it with the service locked. */
export async function lockWork(tx: Tx, key: WorkKey): Promise<Work | undefined> {
  const { rows } = await selectWork(key, sql`for update of owed`).execute(tx);
  return rows[0];
}

function selectWork({ serviceId, clientId }: WorkKey, lock: RawBuilder<unknown>) {
  return sql<Work>`
    select owed.service_id as "serviceId", services.name as service, services.project_id as "projectId",
      owed.pair_id as "pairId", ha_pairs.name as pair, clients.id as "clientId", clients.name as client, ${isConnected()} as "isConnected",
      owed.source_id as "sourceId", owed.op, owed.since, owed.attempts, other.client_id is not null as "hasSource",
      ${deploymentOf('theirs')} as source, ${deploymentOf('mine')} as follower,
      (select jsonb_build_object('id', commands.id, 'status', commands.status, 'error', commands.error_message,
          'installs', case when commands.service_id is null then commands.payload ->> 'version' end)
        from commands where commands.id = owed.command_id) as command,
      ${hasBinary()} as "hasBinary",
      (select jsonb_build_object('id', commands.id, 'version', commands.payload ->> 'version') from commands
        where commands.client_id = owed.client_id and commands.service_id is null
          and commands.type = 'DATAPLANE_VERSION' and commands.operation = 'SET_VERSION'
          and commands.status in ('pending', 'sent', 'running') order by commands.fence limit 1) as installing
    from ha_sync owed
      join services on services.id = owed.service_id
      join clients on clients.id = owed.client_id
      join ha_pairs on ha_pairs.id = owed.pair_id
      left join ha_members other on other.client_id = owed.source_id and other.pair_id = owed.pair_id
      left join service_targets theirs on theirs.service_id = services.id and theirs.client_id = owed.source_id
      left join service_targets mine on mine.service_id = services.id and mine.client_id = owed.client_id
    where owed.service_id = ${serviceId} and owed.client_id = ${clientId} ${lock}`;
}

/** Its Envoy runs there, or an install of it is done, and nothing has removed it since. */
function hasBinary(): RawBuilder<unknown> {
  const wanted = sql`coalesce(theirs.envoy_version, services.version)`;
  return sql`(exists (select from node_states
      where node_states.client_id = owed.client_id and node_states.envoy_version = ${wanted})
    or coalesce((select newest.operation = 'SET_VERSION' and newest.status = 'done' from commands newest
      where newest.client_id = owed.client_id and newest.type = 'DATAPLANE_VERSION'
        and newest.operation in ('SET_VERSION', 'REMOVE_VERSION') and newest.payload ->> 'version' = ${wanted}
      order by newest.created_at desc, newest.id desc limit 1), false))`;
}

export async function noteCommand(
  tx: Tx,
  { serviceId, clientId }: WorkKey,
  { commandId, op }: { readonly commandId: string; readonly op: SyncOperation },
): Promise<void> {
  await sql`update ha_sync set command_id = ${commandId}, op = ${op}
    where service_id = ${serviceId} and client_id = ${clientId}`.execute(tx);
}

/** Counts a failed attempt. Nothing happens if the work is not that of `since` any more. */
export async function noteFailure(
  tx: Tx,
  { serviceId, clientId, since }: WorkKey & { readonly since: Date },
  failure: { readonly attempts: number; readonly error: string; readonly nextAttemptAt: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update ha_sync set command_id = null, attempts = ${failure.attempts}, last_error = ${failure.error},
      next_attempt_at = ${failure.nextAttemptAt}
    where service_id = ${serviceId} and client_id = ${clientId} and since = ${since} and attempts = ${failure.attempts - 1}
    returning service_id`.execute(tx);
  return rows.length > 0;
}

export async function postpone(tx: Tx, { serviceId, clientId }: WorkKey, until: Date): Promise<void> {
  await sql`update ha_sync set next_attempt_at = ${until}
    where service_id = ${serviceId} and client_id = ${clientId}`.execute(tx);
}

export async function deleteWork(tx: Tx, { serviceId, clientId }: WorkKey): Promise<void> {
  await sql`delete from ha_sync where service_id = ${serviceId} and client_id = ${clientId}`.execute(tx);
}

/** Returns how many rows wait for an attempt. */
export async function makeDue(tx: Tx, pairId: string, now: Date): Promise<number> {
  const { rows } = await sql`
    update ha_sync set next_attempt_at = ${now} where pair_id = ${pairId} and command_id is null returning service_id`.execute(
    tx,
  );
  return rows.length;
}

export interface PendingRow
  extends Omit<HaPair['sync']['pending'][number], 'since' | 'last_error' | 'next_attempt_at'> {
  readonly pair_id: string;
  readonly since: Date;
  readonly last_error: string | null;
  /** Null while a command runs. */
  readonly next_attempt_at: Date | null;
}

/** The oldest first. Work whose source has left the pair is not owed. */
export async function selectPending(db: Db, pairIds: readonly string[]): Promise<PendingRow[]> {
  const { rows } = await sql<PendingRow>`
    select ha_sync.pair_id, ha_sync.service_id, services.name as service, ha_sync.client_id, clients.name as client, ha_sync.op,
      ha_sync.since, ha_sync.attempts, ha_sync.last_error,
      case when ha_sync.command_id is null then ha_sync.next_attempt_at end as next_attempt_at
    from ha_sync
      join services on services.id = ha_sync.service_id
      join clients on clients.id = ha_sync.client_id
      join ha_members other on other.client_id = ha_sync.source_id and other.pair_id = ha_sync.pair_id
    where ha_sync.pair_id = any(${[...pairIds]}::uuid[])
    order by ha_sync.since, services.name`.execute(db);
  return rows;
}
