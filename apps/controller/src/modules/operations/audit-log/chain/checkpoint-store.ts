import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { readTails } from './chain-store.ts';
import type { Head, HeadSigner } from './signer.ts';

export type SignedHead = Head & { readonly keyId: string; readonly signature: Buffer };

export async function keepPublicKey(db: Db, signer: HeadSigner, now: Date): Promise<void> {
  await db
    .insertInto('audit_keys')
    .values({ key_id: signer.keyId, public_key: signer.publicKey, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Signs the end of every chain that has grown since its last checkpoint. */
export async function signChangedHeads(tx: Tx, signer: HeadSigner, at: Date): Promise<void> {
  const tails = await readTails(tx);
  const signed = new Map((await readLastHeads(tx)).map(({ projectKey, seq }) => [projectKey, seq]));
  for (const [projectKey, { seq, hash }] of tails) {
    // A chain that is shorter than its signed head is not signed, which would hide the cut.
    if (seq <= (signed.get(projectKey) ?? 0)) continue;
    const signature = signer.sign({ projectKey, seq, hash, at });
    await tx
      .insertInto('audit_checkpoints')
      .values({ project_key: projectKey, seq, hash, at, key_id: signer.keyId, signature })
      .execute();
  }
}

/** The newest checkpoint of each chain (only those signed after `after`), in the order of signing. */
export async function readLastHeads(db: Db | Tx, after?: Date): Promise<SignedHead[]> {
  // Jumps from chain to chain by the primary key: a log of years has a checkpoint for each half minute.
  const { rows } = await sql<Parameters<typeof toHead>[0]>`
    with recursive keys as (
      (select project_key as key from audit_checkpoints order by project_key limit 1)
      union all
      select (select c.project_key from audit_checkpoints c where c.project_key > keys.key order by c.project_key limit 1)
      from keys where keys.key is not null)
    select last.* from keys cross join lateral (
      select project_key::text, seq, hash, at, key_id, signature from audit_checkpoints
      where project_key = keys.key order by seq desc limit 1) last
    ${after ? sql`where last.at > ${after}` : sql``}
    order by last.at, last.project_key`.execute(db);
  return rows.map(toHead);
}

/** Checkpoints of one chain after `after`, in chain order. */
export async function readHeads(
  db: Db,
  projectKey: string,
  { after, upTo, limit }: { readonly after: number; readonly upTo?: number; readonly limit?: number },
): Promise<SignedHead[]> {
  const rows = await db
    .selectFrom('audit_checkpoints')
    .selectAll()
    .where('project_key', '=', projectKey)
    .where('seq', '>', after)
    .$if(upTo !== undefined, (query) => query.where('seq', '<=', upTo ?? 0))
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .orderBy('seq')
    .execute();
  return rows.map(toHead);
}

/** The number of a chain's checkpoints, and their keys. */
export async function countHeads(db: Db, projectKey: string): Promise<{ count: number; keyIds: string[] }> {
  const { count, key_ids: keyIds } = await db
    .selectFrom('audit_checkpoints')
    .select([
      sql<number>`count(*)::int`.as('count'),
      sql<string[]>`coalesce(array_agg(distinct key_id), '{}')`.as('key_ids'),
    ])
    .where('project_key', '=', projectKey)
    .executeTakeFirstOrThrow();
  return { count, keyIds };
}

/** The signed beginning of a pruned chain. */
export type SignedBase = SignedHead & { readonly entries: number };

/** The last base, with the number of entries of all. */
export async function readBase(db: Db, projectKey: string): Promise<SignedBase | undefined> {
  const rows = await db
    .selectFrom('audit_bases')
    .selectAll()
    .where('project_key', '=', projectKey)
    .orderBy('seq', 'desc')
    .execute();
  const [last] = rows;
  return last && { ...toHead(last), entries: rows.reduce((sum, { entries }) => sum + entries, 0) };
}

export function toHead(row: {
  project_key: string;
  seq: number;
  hash: Buffer;
  at: Date;
  key_id: string;
  signature: Buffer;
}): SignedHead {
  const { project_key: projectKey, key_id: keyId, seq, hash, at, signature } = row;
  return { projectKey, keyId, seq, hash, at, signature };
}
