import type { Db, Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import type { StoredLabels } from './labels.ts';
import type { toFactColumns } from './model.ts';

type FactColumns = ReturnType<typeof toFactColumns>;

export async function insertClient(
  tx: Tx,
  row: FactColumns & StoredLabels & { readonly id: string; readonly project_id: string },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('clients')
    .values({
      ...row,
      labels: JSON.stringify(row.labels),
      label_origins: JSON.stringify(row.label_origins),
      connected_to: null,
      connect_reason: null,
      disconnect_reason: null,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

export function findClient(tx: Tx, projectId: string, clientId: string) {
  return tx
    .selectFrom('clients')
    .select(['name'])
    .where('id', '=', clientId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export async function lockClient(tx: Tx, clientId: string): Promise<void> {
  await tx.selectFrom('clients').select('id').where('id', '=', clientId).forUpdate().execute();
}

/** The new facts, with the addresses for heartbeats that are known if the new ones have none. */
const keepAddresses = (facts: RawBuilder<unknown>) =>
  sql<string>`case when clients.facts ? 'ha' then jsonb_build_object('ha', clients.facts -> 'ha') || ${facts} else ${facts} end`;

export async function updateFacts(db: Db, clientId: string, facts: FactColumns, now: Date): Promise<void> {
  await db
    .updateTable('clients')
    .set({ ...facts, facts: keepAddresses(sql`${facts.facts}::jsonb`), updated_at: now })
    .where('id', '=', clientId)
    .execute();
}

/** Locks the row, so that of two changes each one keeps the labels of the other. */
export function lockLabels(tx: Tx, projectId: string, clientId: string) {
  return tx
    .selectFrom('clients')
    .select(['name', 'labels', 'label_origins'])
    .where('id', '=', clientId)
    .where('project_id', '=', projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function updateLabels(
  tx: Tx,
  clientId: string,
  { labels, label_origins: origins }: StoredLabels,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('clients')
    .set({ labels: JSON.stringify(labels), label_origins: JSON.stringify(origins), updated_at: now })
    .where('id', '=', clientId)
    .execute();
}

export async function deleteClient(tx: Tx, clientId: string): Promise<void> {
  await tx.deleteFrom('clients').where('id', '=', clientId).execute();
}

/** Waits for the lock of the row. */
export function lockConnection(tx: Tx, clientId: string) {
  return tx.selectFrom('clients').select('connected_to').where('id', '=', clientId).forNoKeyUpdate().executeTakeFirst();
}

export interface Connecting {
  readonly clientId: string;
  readonly facts: FactColumns | undefined;
  readonly reason: string;
  readonly now: Date;
}

interface Connected {
  readonly projectId: string;
  readonly epoch: number;
  readonly connectedBefore: string | null;
}

const FACTS = sql.raw(`name text, hostname text, os text, arch text, kernel text, agent_version text, provider text,
  metadata jsonb, bgp boolean, facts jsonb, cores integer, memory_bytes bigint, runtime_dir text, data_dir text`);
const SET_FACTS = sql.raw(
  [
    ...['name', 'hostname', 'os', 'arch', 'kernel', 'agent_version', 'metadata', 'cores', 'memory_bytes'],
    ...['runtime_dir', 'data_dir', 'provider', 'bgp'],
  ]
    .map((column) => `${column} = case when s.has_facts then s.${column} else clients.${column} end`)
    .join(', '),
);
const KEPT_FACTS = keepAddresses(sql`s.facts`);

/**
 * Connects many clients in one statement. Returns those that it has connected, by id; the others are locked or do not
 * exist. Waiting for so many locks in any order would cause deadlocks.
 */
export async function markFreeConnected(
  tx: Tx,
  connecting: readonly Connecting[],
  controllerId: string,
): Promise<ReadonlyMap<string, Connected>> {
  const given = connecting.map(({ clientId, facts, reason, now }) => ({
    ...(facts && { ...facts, metadata: JSON.parse(facts.metadata), facts: JSON.parse(facts.facts) }),
    id: clientId,
    has_facts: facts !== undefined,
    reason,
    now,
  }));
  const { rows } = await sql<Connected & { id: string }>`
    with s as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as s(id uuid, has_facts boolean, reason text, now timestamptz, ${FACTS})
    ), free as materialized (
      select clients.id, clients.connected_to from clients join s on s.id = clients.id
      for no key update of clients skip locked
    )
    update clients set ${SET_FACTS}, facts = case when s.has_facts then ${KEPT_FACTS} else clients.facts end,
      updated_at = case when s.has_facts then s.now else clients.updated_at end,
      connected_to = ${controllerId}, connection_epoch = connection_epoch + 1, connect_time = s.now,
      connect_reason = s.reason, last_seen = s.now
    from s join free on free.id = s.id
    where clients.id = s.id
    returning clients.id, clients.project_id as "projectId", clients.connection_epoch as epoch,
      free.connected_to as "connectedBefore"`.execute(tx);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

export interface Disconnecting {
  readonly clientId: string;
  readonly epoch: number;
  readonly reason: string;
  readonly now: Date;
}

/** Changes nothing if a newer stream has connected. */
export async function markDisconnected(
  db: Db,
  { clientId, epoch, reason, now }: Disconnecting,
  controllerId: string,
): Promise<void> {
  await db
    .updateTable('clients')
    .set({ connected_to: null, disconnect_time: now, disconnect_reason: reason, last_seen: now })
    .where('id', '=', clientId)
    .where('connection_epoch', '=', epoch)
    .where('connected_to', '=', controllerId)
    .execute();
}

/** The same for many clients in one statement. Returns the ids of those that were locked by others. */
export async function markFreeDisconnected(
  db: Db,
  disconnecting: readonly Disconnecting[],
  controllerId: string,
): Promise<ReadonlySet<string>> {
  const given = disconnecting.map(({ clientId, ...row }) => ({ id: clientId, ...row }));
  const { rows } = await sql<{ id: string }>`
    with s as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as s(id uuid, epoch bigint, reason text, now timestamptz)
    ), free as materialized (
      select clients.id from clients join s on s.id = clients.id for no key update of clients skip locked
    ), marked as (
      update clients set connected_to = null, disconnect_time = s.now, disconnect_reason = s.reason, last_seen = s.now
      from s join free on free.id = s.id
      where clients.id = s.id and connection_epoch = s.epoch and connected_to = ${controllerId}
    )
    select id from free`.execute(db);
  const free = new Set(rows.map(({ id }) => id));
  return new Set(given.flatMap(({ id }) => (free.has(id) ? [] : id)));
}

export interface NewStats {
  readonly clientId: string;
  readonly stats: Record<string, unknown>;
  readonly loadPercent: number;
  readonly memoryPercent: number;
  readonly now: Date;
}

/** Stores the newest sample of many clients in one statement. A locked client is marked as seen by its next sample. */
export async function upsertStats(db: Db, samples: readonly NewStats[]): Promise<void> {
  const given = samples.map(({ clientId, stats, loadPercent, memoryPercent, now }) => ({
    id: clientId,
    stats,
    load_percent: loadPercent,
    memory_percent: memoryPercent,
    now,
  }));
  // Joins `clients`, so that late messages of a removed client are dropped without an error.
  await sql`
    with s as (
      select distinct on (id) * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as s(id uuid, now timestamptz, load_percent double precision, memory_percent double precision, stats jsonb)
      order by id, now desc
    ), free as materialized (
      select clients.id from clients join s on s.id = clients.id for no key update of clients skip locked
    ), heard as (
      update clients set last_seen = s.now from s join free on free.id = s.id where clients.id = s.id
    )
    insert into client_stats (client_id, at, load_percent, memory_percent, stats)
    select s.id, s.now, s.load_percent, s.memory_percent, s.stats from s join clients on clients.id = s.id
    order by s.id
    on conflict (client_id) do update set at = excluded.at, load_percent = excluded.load_percent,
      memory_percent = excluded.memory_percent, stats = excluded.stats`.execute(db);
}
