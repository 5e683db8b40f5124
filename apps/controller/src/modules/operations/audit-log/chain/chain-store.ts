import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { ENTRY_FIELDS, hashEntry, hashLink, NO_HASH, NO_PROJECT, type StoredEntry } from './canonical.ts';

const LOCK = 'audit-sealer';
/** A sealer that stalls loses its transaction, and with it the lock, after this time. */
const STALLED_MS = 10_000;

/** Columns of `audit_log` in the form of StoredEntry. */
const storedFields = sql.join(
  ENTRY_FIELDS.map((field) => {
    const column = sql.ref(`audit_log.${field}`);
    switch (field) {
      case 'at':
        return sql`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`;
      case 'changes':
        return sql`${column}::text as changes`;
      case 'status':
        return column;
      default:
        return sql`${column}::text as ${sql.ref(field)}`;
    }
  }),
);

/**
 * Runs `work` in a transaction that holds the sealer lock; undefined if another sealer holds it. The lock belongs to
 * the transaction: a sealer that stalls past `STALLED_MS` loses both and writes nothing when it wakes.
 */
export async function whileSealing<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('idle_in_transaction_session_timeout', ${String(STALLED_MS)}, true)`.execute(tx);
    const locked = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0)) as mine`.execute(tx);
    return locked.rows[0]?.mine ? work(tx) : undefined;
  });
}

/** Links up to `limit` waiting entries into their chains, oldest first. Returns the number. */
export async function sealWaiting(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<StoredEntry & { project_key: string }>`
    select w.project_key, ${storedFields}
    from (select entry_id, project_key from audit_unsealed order by entry_id limit ${limit}) w
    join audit_log on audit_log.id = w.entry_id
    order by audit_log.at, audit_log.id`.execute(tx);
  if (rows.length === 0) return 0;
  const tails = await readTails(tx, [...new Set(rows.map(({ project_key }) => project_key))]);
  const links = rows.map((row) => {
    const tail = tails.get(row.project_key) ?? { seq: 0, hash: NO_HASH };
    const seq = tail.seq + 1;
    const entryHash = hashEntry(row);
    const hash = hashLink(row.project_key, tail.hash, seq, entryHash);
    tails.set(row.project_key, { seq, hash });
    return { project_key: row.project_key, seq, entry_id: row.id, entry_hash: entryHash, hash };
  });
  // One JSON text, since a statement takes 65,535 parameters; the position follows the order of the list.
  const text = JSON.stringify(
    links.map((link) => ({ ...link, entry_hash: link.entry_hash.toString('hex'), hash: link.hash.toString('hex') })),
  );
  await sql`
    insert into audit_chain (project_key, seq, entry_id, entry_hash, hash, sealed_at)
    select (l ->> 'project_key')::uuid, (l ->> 'seq')::bigint, (l ->> 'entry_id')::uuid,
      decode(l ->> 'entry_hash', 'hex'), decode(l ->> 'hash', 'hex'), clock_timestamp()
    from jsonb_array_elements(${text}::jsonb) with ordinality as t (l, n) order by n`.execute(tx);
  await sql`
    delete from audit_unsealed where entry_id in
      (select (l ->> 'entry_id')::uuid from jsonb_array_elements(${text}::jsonb) l)`.execute(tx);
  return links.length;
}

export interface ChainEnd {
  readonly seq: number;
  readonly hash: Buffer;
}

/** The last link of each chain, or of the named ones; for a completely pruned chain, its signed base. */
export async function readTails(db: Db | Tx, projectKeys?: readonly string[]): Promise<Map<string, ChainEnd>> {
  // Jumps from chain to chain by the primary key, so that a long chain costs no more than a short one.
  const keys = projectKeys
    ? sql`select unnest(${sql.val([...projectKeys])}::uuid[]) as key`
    : sql`with recursive keys as (
          (select project_key as key from audit_chain order by project_key limit 1)
          union all
          select (select c.project_key from audit_chain c where c.project_key > keys.key order by c.project_key limit 1)
          from keys where keys.key is not null)
        select key from keys where key is not null union select project_key from audit_bases`;
  const { rows } = await sql<{ key: string; seq: number; hash: Buffer }>`
    select k.key::text as key, t.seq, t.hash from (${keys}) k
    cross join lateral (
      (select seq, hash from audit_chain where project_key = k.key order by seq desc limit 1)
      union all (select seq, hash from audit_bases where project_key = k.key order by seq desc limit 1)
      order by seq desc limit 1) t
  `.execute(db);
  return new Map(rows.map(({ key, seq, hash }) => [key, { seq, hash }]));
}

export type Link = ChainEnd & {
  readonly entry_id: string;
  readonly entry_hash: Buffer;
  /** null if the entry was deleted. */
  readonly entry: StoredEntry | null;
};

/** Links of one chain after `seq` in order, each with its entry as it is now. */
export async function readLinks(
  db: Db,
  projectKey: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Link[]> {
  const { rows } = await sql<
    Omit<StoredEntry, 'id'> & ChainEnd & { id: string | null; entry_id: string; entry_hash: Buffer }
  >`
    select c.seq, c.hash, c.entry_hash, c.entry_id::text as entry_id, ${storedFields}
    from (select seq, hash, entry_hash, entry_id from audit_chain
      where project_key = ${projectKey} and seq > ${after} order by seq limit ${limit}) c
    left join audit_log on audit_log.id = c.entry_id
    order by c.seq`.execute(db);
  return rows.map(({ id, ...row }) => ({
    seq: row.seq,
    hash: row.hash,
    entry_id: row.entry_id,
    entry_hash: row.entry_hash,
    entry: id === null ? null : { ...row, id },
  }));
}

export interface Waiting {
  readonly count: number;
  /** The first entry without a link; one that is not even queued for sealing comes first. */
  readonly first: { readonly id: string; readonly at: Date; readonly queued: boolean } | null;
  readonly oldestAt: Date | null;
}

export async function readWaiting(db: Db, projectKey: string): Promise<Waiting> {
  const ofProject = projectKey === NO_PROJECT ? sql`project_id is null` : sql`project_id = ${projectKey}`;
  const { rows } = await sql<{ count: number; id: string | null; at: Date; queued: boolean; oldest: Date | null }>`
    with waiting as (
      select id, at, exists (select from audit_unsealed w where w.entry_id = audit_log.id) as queued
      from audit_log where ${ofProject}
        and not exists (select from audit_chain c where c.entry_id = audit_log.id and c.project_key = ${projectKey}))
    select (select count(*)::int from waiting) as count, (select min(at) from waiting) as oldest, w.id::text, w.at, w.queued
    from waiting w order by w.queued, w.at, w.id limit 1`.execute(db);
  const [row] = rows;
  if (!row?.id) return { count: 0, first: null, oldestAt: null };
  return { count: row.count, first: { id: row.id, at: row.at, queued: row.queued }, oldestAt: row.oldest };
}

export async function isAnyWaiting(db: Db): Promise<boolean> {
  return (await db.selectFrom('audit_unsealed').select('entry_id').limit(1).executeTakeFirst()) !== undefined;
}
