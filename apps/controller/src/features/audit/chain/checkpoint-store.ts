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

/** Public keys by their ids. */
export async function readPublicKeys(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('audit_keys').select(['key_id', 'public_key']).execute();
  return new Map(rows.map((row) => [row.key_id, row.public_key]));
}

function toHead(row: {
  project_key: string;
  seq: number;
  hash: Buffer;
  at: Date;
  key_id: string;
  signature: Buffer;
}): SignedHead {
  const { project_key: projectKey, key_id: keyId, ...rest } = row;
  return { projectKey, keyId, ...rest };
}
