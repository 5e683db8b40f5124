import type { AuditEntryView, AuditSinkName } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { type AuditRow, toView } from '../store.ts';

/** The progress of a sink that this controller may send to. */
export interface SinkLease {
  /** Position of the last delivered entry. */
  readonly position: number;
  readonly headsAt: Date | null;
}

/** A new sink starts with what is sealed from now on. */
export async function ensureSink(db: Db, name: AuditSinkName): Promise<void> {
  await sql`insert into audit_sinks (name, position, heads_at)
    select ${name}, coalesce((select max(position) from audit_chain), 0), clock_timestamp() on conflict do nothing`.execute(
    db,
  );
}

/**
 * Acquires or renews the sink's lease for `holder`; undefined while another one holds it. Uses the database's clock.
 */
export async function claimSink(
  db: Db,
  { name, holder, leaseMs }: { name: AuditSinkName; holder: string; leaseMs: number },
): Promise<SinkLease | undefined> {
  const { rows } = await sql<{ position: number; heads_at: Date | null }>`
    update audit_sinks set holder = ${holder}, leased_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where name = ${name} and (holder = ${holder} or leased_until < clock_timestamp())
    returning position, heads_at`.execute(db);
  const [row] = rows;
  return row && { position: row.position, headsAt: row.heads_at };
}

export async function releaseSink(db: Db, name: AuditSinkName, holder: string): Promise<void> {
  await sql`update audit_sinks set leased_until = 'epoch' where name = ${name} and holder = ${holder}`.execute(db);
}

export interface Delivered {
  readonly name: AuditSinkName;
  readonly holder: string;
  /** The position when the lease was acquired. */
  readonly from: number;
  readonly position: number;
  readonly headsAt: Date | null;
}

/** False if the lease has expired: then another controller continues from `from`. */
export async function moveSink(db: Db, { name, holder, from, position, headsAt }: Delivered): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update audit_sinks set position = ${position}, heads_at = ${headsAt}, delivered_at = clock_timestamp(),
      failing_since = null, last_error = null
    where name = ${name} and holder = ${holder} and leased_until > clock_timestamp() and position = ${from}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

export async function noteFailure(db: Db, name: AuditSinkName, holder: string, message: string): Promise<void> {
  await sql`update audit_sinks set failing_since = coalesce(failing_since, clock_timestamp()), last_error = ${message}
    where name = ${name} and holder = ${holder} and leased_until > clock_timestamp()`.execute(db);
}

export interface ForwardedEntry {
  readonly position: number;
  /** Number in the chain of its project. */
  readonly seq: number;
  readonly entry: AuditEntryView;
}

/** Sealed entries after a position, in the order of sealing, without pruned ones. */
export async function readSealed(db: Db, after: number, limit: number): Promise<ForwardedEntry[]> {
  const rows = await db
    .selectFrom('audit_chain')
    .innerJoin('audit_log', 'audit_log.id', 'audit_chain.entry_id')
    .selectAll('audit_log')
    .select(['audit_chain.position', 'audit_chain.seq'])
    .where('audit_chain.position', '>', after)
    .orderBy('audit_chain.position')
    .limit(limit)
    .execute();
  return rows.map(({ position, seq, ...row }) => ({ position, seq, entry: toView(row as AuditRow) }));
}

export interface SinkRow {
  readonly name: AuditSinkName;
  readonly position: number;
  readonly delivered_at: Date | null;
  readonly failing_since: Date | null;
  readonly last_error: string | null;
  readonly lag_entries: number;
  readonly lag_seconds: number;
}

/** Positions have almost no gaps, so the difference is the number; entries without a link are not counted. */
export async function readSinks(db: Db): Promise<SinkRow[]> {
  const { rows } = await sql<SinkRow>`
    select s.name, s.position, s.delivered_at, s.failing_since, s.last_error,
      greatest(0, coalesce((select max(position) from audit_chain), 0) - s.position) as lag_entries,
      coalesce(extract(epoch from clock_timestamp() - (
        select c.sealed_at from audit_chain c where c.position > s.position order by c.position limit 1)), 0)::float8 as lag_seconds
    from audit_sinks s order by s.name`.execute(db);
  return rows;
}
