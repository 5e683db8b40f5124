import { isDeepStrictEqual } from 'node:util';
import type { Db } from '@flotilla/db';
import { secretFiles } from '@flotilla/policy';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { encryptFiles, openFiles } from './secret-files.ts';
import {
  findUnencrypted,
  lockEncryption,
  type RevisionFiles,
  type RevisionKey,
  replaceFiles,
} from './unencrypted-store.ts';

/** Revisions per read; each may contain some megabytes. */
const BATCH = 20;

/**
 * Encrypts secrets that were stored before encryption existed, in policies and in their history. Returns the number of
 * changed revisions. Runs at every start, usually without work.
 */
export async function encryptStoredSecrets(db: Db, keyring: Keyring): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await lockEncryption(tx);
    let sealed = 0;
    let after: RevisionKey | undefined;
    for (;;) {
      const rows = await findUnencrypted(tx, after, BATCH);
      for (const row of rows) {
        const files = encryptRevision(row, keyring);
        if (isDeepStrictEqual(files, row.files)) continue;
        await replaceFiles(tx, row, files);
        sealed += 1;
      }
      after = rows.at(-1);
      if (rows.length < BATCH) return sealed;
    }
  });
}

function encryptRevision({ policy_id: id, text, files }: RevisionFiles, keyring: Keyring) {
  const secrets = files.length === 0 ? [] : secretFiles(text);
  return encryptFiles(
    keyring,
    { id, secrets },
    { files: openFiles(keyring, { id, files }), before: files, at: new Date() },
  );
}
