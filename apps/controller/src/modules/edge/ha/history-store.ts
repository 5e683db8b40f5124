import type { Db, Tx } from '@flotilla/db';
import type { RoleChange, Term } from '@flotilla/ha';
import { sql } from 'kysely';

/** Rows of a pair in each table. */
const KEPT_MAX = 1000;

interface Source {
  readonly pairId: string;
  readonly clientId: string;
  readonly clientName: string;
}

/** Repeated changes have no effect. */
export async function storeChanges(tx: Tx, source: Source, changes: readonly RoleChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    insert into ha_role_changes (pair_id, client_id, at, client_name, role, change)
    select distinct on (c ->> 'at', c ->> 'role') ${source.pairId}::uuid, ${source.clientId}::uuid, (c ->> 'at')::timestamptz,
      ${source.clientName}, c ->> 'role', c
    from jsonb_array_elements(${JSON.stringify(changes)}::jsonb) c
    on conflict do nothing`.execute(tx);
  await trim(tx, 'ha_role_changes', 'at', source.pairId);
}

/** A term that was open may have ended since; an ended one stays as it is. */
export async function storeTerms(
  tx: Tx,
  source: Source & { readonly skewMs: number },
  terms: readonly Term[],
): Promise<void> {
  if (terms.length === 0) return;
  await sql`
    insert into ha_terms (pair_id, client_id, epoch, raised_at, released_at, skew_ms)
    select distinct on (epoch, raised_at) ${source.pairId}::uuid, ${source.clientId}::uuid, epoch, raised_at, released_at,
      ${source.skewMs}
    from jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) as t(epoch bigint, raised_at timestamptz, released_at timestamptz)
    order by epoch, raised_at, released_at nulls last
    on conflict (pair_id, client_id, epoch, raised_at) do update
      set released_at = coalesce(ha_terms.released_at, excluded.released_at)`.execute(tx);
  await trim(tx, 'ha_terms', 'raised_at', source.pairId);
}

/** Keeps the newest rows, however many a member invents. */
async function trim(
  tx: Tx,
  table: 'ha_role_changes' | 'ha_terms',
  at: 'at' | 'raised_at',
  pairId: string,
): Promise<void> {
  await sql`
    delete from ${sql.table(table)} where pair_id = ${pairId} and ${sql.ref(at)} < (
      select ${sql.ref(at)} from ${sql.table(table)} where pair_id = ${pairId}
      order by ${sql.ref(at)} desc offset ${KEPT_MAX - 1} limit 1)`.execute(tx);
}

const KEPT_DAYS = 180;

/** A rule of the daily clean-up. */
export async function forgetOldHistory(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  await db.deleteFrom('ha_role_changes').where('at', '<', before).execute();
  // The newest term of a pair stays: a report with an older one is recognised by it.
  await sql`
    delete from ha_terms where coalesce(released_at, raised_at) < ${before} and exists (
      select from ha_terms newer where newer.pair_id = ha_terms.pair_id and newer.epoch > ha_terms.epoch)`.execute(db);
}

export interface StoredChange {
  readonly clientId: string;
  readonly clientName: string;
  readonly change: RoleChange;
}

export interface StoredTerm {
  readonly clientId: string;
  readonly epoch: number;
  readonly raisedAt: Date;
  readonly releasedAt: Date | null;
  readonly skewMs: number;
}

/** The newest changes of a pair, newest first by the clocks of the members. */
export async function listChanges(db: Db, pairId: string, limit: number): Promise<StoredChange[]> {
  const rows = await db
    .selectFrom('ha_role_changes')
    .select(['client_id', 'client_name', 'change'])
    .where('pair_id', '=', pairId)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ clientId: row.client_id, clientName: row.client_name, change: row.change }));
}

export async function listTerms(db: Db, pairId: string): Promise<StoredTerm[]> {
  const rows = await db
    .selectFrom('ha_terms')
    .selectAll()
    .where('pair_id', '=', pairId)
    .orderBy('epoch')
    .orderBy('raised_at')
    .execute();
  return rows.map((row) => ({
    clientId: row.client_id,
    epoch: row.epoch,
    raisedAt: row.raised_at,
    releasedAt: row.released_at,
    skewMs: row.skew_ms,
  }));
}

/** Milliseconds that the clock of each client is behind the controller's, with the time that its messages take. */
export async function listClockOffsets(db: Db, clientIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ client_id: string; offset_ms: number }>`
    select client_id, (extract(epoch from at - (stats ->> 'at')::timestamptz) * 1000)::float8 as offset_ms
    from client_stats where client_id = any(${[...clientIds]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.client_id, row.offset_ms]));
}
