import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
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

export async function updateFacts(db: Db, clientId: string, facts: FactColumns, now: Date): Promise<void> {
  await db
    .updateTable('clients')
    .set({ ...facts, updated_at: now })
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

/** Locks the row, so that two streams of a client connect one after the other. */
export function lockConnection(tx: Tx, clientId: string) {
  return tx.selectFrom('clients').select('connected_to').where('id', '=', clientId).forNoKeyUpdate().executeTakeFirst();
}

export function markConnected(
  tx: Tx,
  clientId: string,
  { controllerId, facts, reason, now }: { controllerId: string; facts?: FactColumns; reason: string; now: Date },
) {
  return tx
    .updateTable('clients')
    .set({
      ...(facts && { ...facts, updated_at: now }),
      connected_to: controllerId,
      connection_epoch: sql<number>`connection_epoch + 1`,
      connect_time: now,
      connect_reason: reason,
      last_seen: now,
    })
    .where('id', '=', clientId)
    .returning(['project_id', 'connection_epoch'])
    .executeTakeFirstOrThrow();
}

/** Changes nothing if a newer stream has connected. */
export async function markDisconnected(
  db: Db,
  connection: { readonly clientId: string; readonly epoch: number },
  { controllerId, reason, now }: { controllerId: string; reason: string; now: Date },
): Promise<void> {
  await db
    .updateTable('clients')
    .set({ connected_to: null, disconnect_time: now, disconnect_reason: reason, last_seen: now })
    .where('id', '=', connection.clientId)
    .where('connection_epoch', '=', connection.epoch)
    .where('connected_to', '=', controllerId)
    .execute();
}

export async function upsertStats(
  db: Db,
  clientId: string,
  sample: { stats: Record<string, unknown>; loadPercent: number; memoryPercent: number; now: Date },
): Promise<void> {
  const { stats, loadPercent, memoryPercent, now } = sample;
  // Selects from `clients`, so that late messages of a removed client are dropped without an error.
  await sql`
    insert into client_stats (client_id, at, load_percent, memory_percent, stats)
    select id, ${now}, ${loadPercent}, ${memoryPercent}, ${JSON.stringify(stats)}::jsonb
    from clients where id = ${clientId}
    on conflict (client_id) do update set at = excluded.at, load_percent = excluded.load_percent,
      memory_percent = excluded.memory_percent, stats = excluded.stats`.execute(db);
  await db.updateTable('clients').set({ last_seen: now }).where('id', '=', clientId).execute();
}
