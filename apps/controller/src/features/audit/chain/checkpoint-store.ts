import type { Db, Tx } from '@flotilla/db';
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
    // One that is shorter than what was signed is left as it is: to sign it would hide the cut.
    if (seq <= (signed.get(projectKey) ?? 0)) continue;
    const signature = signer.sign({ projectKey, seq, hash, at });
    await tx
      .insertInto('audit_checkpoints')
      .values({ project_key: projectKey, seq, hash, at, key_id: signer.keyId, signature })
      .execute();
  }
}

/** The newest checkpoint of each chain. */
export async function readLastHeads(db: Db | Tx): Promise<SignedHead[]> {
  const rows = await db
    .selectFrom('audit_checkpoints')
    .selectAll()
    .distinctOn('project_key')
    .orderBy('project_key')
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(toHead);
}

/** All checkpoints of one chain, in its order. */
export async function readHeads(db: Db, projectKey: string): Promise<SignedHead[]> {
  const rows = await db
    .selectFrom('audit_checkpoints')
    .selectAll()
    .where('project_key', '=', projectKey)
    .orderBy('seq')
    .execute();
  return rows.map(toHead);
}

/** Where a chain begins that was pruned. */
export type SignedBase = SignedHead & { readonly entries: number };

/** The last one, with the number of entries of all. */
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
