import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { NO_PROJECT } from './canonical.ts';
import type { ChainEnd } from './chain-store.ts';

/** Entries per transaction, unless one checkpoint covers more. */
const PRUNED_AT_ONCE = 20_000;

/**
 * The checkpoint up to which the chain may be pruned: it was signed before `before`, so every entry up to it was sealed
 * before that, and it is below the first held entry. undefined: nothing (more) may be deleted.
 */
export async function findPruneEnd(db: Db, projectKey: string, before: Date): Promise<ChainEnd | undefined> {
  const { rows } = await sql<{ seq: number; hash: Buffer }>`
    with base as (select coalesce(max(seq), 0) as seq from audit_bases where project_key = ${projectKey}),
    held as (
      select min(c.seq) as seq from audit_holds h
        join audit_log l on coalesce(l.project_id, ${NO_PROJECT}::uuid) = ${projectKey}
          and (h.from_at is null or l.at >= h.from_at) and (h.to_at is null or l.at < h.to_at)
        join audit_chain c on c.entry_id = l.id
      where h.released_at is null and (h.project_id is null or h.project_id = ${projectKey})
    )
    select p.seq, p.hash from audit_checkpoints p, base, held
    where p.project_key = ${projectKey} and p.at < ${before} and p.seq > base.seq and (held.seq is null or p.seq < held.seq)
      and exists (select from audit_chain c where c.project_key = p.project_key and c.seq = p.seq and c.hash = p.hash)
    order by p.seq > base.seq + ${PRUNED_AT_ONCE},
      case when p.seq > base.seq + ${PRUNED_AT_ONCE} then p.seq else -p.seq end
    limit 1`.execute(db);
  return rows[0];
}

export interface PruneOrder {
  readonly projectKey: string;
  readonly end: ChainEnd;
  readonly at: Date;
  readonly keyId: string;
  readonly signature: Buffer;
}

/** Deletes the entries and stores the signed base. Returns the number. Throws if one of them is held. */
export async function pruneTo(tx: Tx, { projectKey, end, at, keyId, signature }: PruneOrder): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    select audit_prune(${projectKey}, ${end.seq}, ${at}, ${keyId}, ${signature}) as gone`.execute(tx);
  return rows[0]?.gone ?? 0;
}
