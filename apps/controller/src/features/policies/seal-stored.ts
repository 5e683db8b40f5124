import type { Db, StoredPolicyFile, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { Keyring } from '../keyring/index.ts';
import { openFiles, sealFiles } from './secret-files.ts';

interface StoredFiles {
  readonly policy_id: string;
  readonly revision: number;
  readonly text: string;
  readonly files: StoredPolicyFile[];
}

/** Revisions that are read at once: each may hold some megabytes. */
const BATCH = 20;

/**
 * Puts secrets under seal that were stored before there were seals, in policies and in their history; returns how many texts
 * had one. Runs at every start: there is mostly nothing to do, and a second controller waits for the first.
 */
export async function sealStoredSecrets(db: Db, keyring: Keyring): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('policy secrets', 0))`.execute(tx);
    let sealed = 0;
    let after: Pick<StoredFiles, 'policy_id' | 'revision'> | undefined;
    for (;;) {
      const rows = await findOpen(tx, after);
      for (const row of rows) if (await sealRow(tx, row, keyring)) sealed += 1;
      after = rows.at(-1);
      if (rows.length < BATCH) return sealed;
    }
  });
}

/** Texts that may name a secret whose content is not sealed. A field's name can be spelled otherwise with a backslash alone. */
async function findOpen(
  tx: Tx,
  after: Pick<StoredFiles, 'policy_id' | 'revision'> | undefined,
): Promise<StoredFiles[]> {
  const { rows } = await sql<StoredFiles>`
    select policy_id, revision, text, files from policy_revisions
    where files @? '$[*].content_base64' and (text like '%hmac_secret_file%' or strpos(text, ${'\\'}) > 0)
      and (policy_id, revision) > (${after?.policy_id ?? '00000000-0000-0000-0000-000000000000'}::uuid, ${after?.revision ?? 0})
    order by policy_id, revision limit ${BATCH}
    for update
  `.execute(tx);
  return rows;
}

async function sealRow(tx: Tx, row: StoredFiles, keyring: Keyring): Promise<boolean> {
  const policy = { id: row.policy_id, text: row.text };
  const open = openFiles(keyring, { id: policy.id, files: row.files });
  const files = sealFiles(keyring, policy, { files: open, before: row.files, at: new Date() });
  if (JSON.stringify(files) === JSON.stringify(row.files)) return false;
  const sealed = JSON.stringify(files);
  await sql`
    update policy_revisions set files = ${sealed}::jsonb where policy_id = ${row.policy_id} and revision = ${row.revision}
  `.execute(tx);
  await sql`
    update policies set files = ${sealed}::jsonb where id = ${row.policy_id} and revision = ${row.revision}
  `.execute(tx);
  return true;
}
