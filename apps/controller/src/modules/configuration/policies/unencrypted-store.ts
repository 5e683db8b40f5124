import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import type { StoredPolicyFile } from './tables.ts';

export interface RevisionKey {
  readonly policy_id: string;
  readonly revision: number;
}

export interface RevisionFiles extends RevisionKey {
  readonly text: string;
  readonly files: StoredPolicyFile[];
}

/** Held while secrets are encrypted, so that only one of several starting controllers does it. */
export async function lockEncryption(tx: Tx): Promise<void> {
  await takeLock(tx, 'policy secrets');
}

/**
 * Revisions after the given one, in order, that may name a secret with unencrypted content. Only a backslash can hide
 * the field name.
 */
export async function findUnencrypted(tx: Tx, after: RevisionKey | undefined, limit: number): Promise<RevisionFiles[]> {
  const { policy_id: id, revision } = after ?? { policy_id: '00000000-0000-0000-0000-000000000000', revision: 0 };
  const { rows } = await sql<RevisionFiles>`
    select policy_id, revision, text, files from policy_revisions
    where files @? '$[*].content_base64' and (text like '%hmac_secret_file%' or strpos(text, ${'\\'}) > 0)
      and (policy_id, revision) > (${id}::uuid, ${revision})
    order by policy_id, revision limit ${limit}
    for update
  `.execute(tx);
  return rows;
}

/** Replaces the files of the revision, and of the policy if it is the newest one. */
export async function replaceFiles(tx: Tx, key: RevisionKey, files: readonly StoredPolicyFile[]): Promise<void> {
  const text = JSON.stringify(files);
  await sql`
    update policy_revisions set files = ${text}::jsonb where policy_id = ${key.policy_id} and revision = ${key.revision}
  `.execute(tx);
  await sql`
    update policies set files = ${text}::jsonb where id = ${key.policy_id} and revision = ${key.revision}
  `.execute(tx);
}
