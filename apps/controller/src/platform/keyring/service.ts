import { randomBytes } from 'node:crypto';
import type { Db } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { insertDataKey, insertMasterKey, lockKeys, readKeys, replaceWraps, type StoredKeys } from './key-store.ts';
import { InstallationKeyring, type MasterSource } from './keyring.ts';
import { createMasterFile, readMasterFiles, takeNextFile } from './master-file.ts';
import { chooseDerivation, deriveKey, type MasterKey, parseMasterKey } from './master-key.ts';
import { FIRST_KEY_ID } from './model.ts';
import { type OpenMaster, openMaster, unwrapKeys, wrapKeys } from './open-master.ts';

export interface KeyringOptions {
  readonly db: Db;
  readonly masterKey: string | undefined;
  /** Path of the master key file that is used if no key is given. */
  readonly keyFile: string;
}

/** Throws a readable error if the master key is missing, malformed or wrong for the database. */
export async function openKeyring({ db, masterKey, keyFile }: KeyringOptions): Promise<InstallationKeyring> {
  const source: MasterSource =
    masterKey === undefined ? { kind: 'file', path: keyFile } : { kind: 'given', text: masterKey };
  const before = await readKeys(db);
  if (before.masters.length === 0) await createFirstKeys(db, source);
  const stored = before.masters.length === 0 ? await readKeys(db) : before;
  const master = await openStored(db, source, stored);
  const keyring = new InstallationKeyring({ db, source, master });
  await keyring.refresh();
  return keyring;
}

/** If several controllers start at once, one creates the keys and the others read them. */
async function createFirstKeys(db: Db, source: MasterSource): Promise<void> {
  const text = source.kind === 'given' ? source.text : await findOrCreateFile(source.path);
  const given = parseMasterKey(text);
  const derivation = chooseDerivation(given);
  const masterKey = await deriveKey(given, derivation);
  await db.transaction().execute(async (tx) => {
    await lockKeys(tx);
    if ((await readKeys(tx)).masters.length > 0) return;
    await insertDataKey(tx, FIRST_KEY_ID, 0);
    const wraps = wrapKeys([{ id: FIRST_KEY_ID, key: randomBytes(32) }], masterKey);
    await insertMasterKey(tx, { id: createId(), derivation, wraps });
  });
}

async function findOrCreateFile(path: string): Promise<string> {
  const [found] = await readMasterFiles(path);
  return found?.text ?? createMasterFile(path);
}

async function openStored(db: Db, source: MasterSource, stored: StoredKeys): Promise<OpenMaster> {
  const texts = source.kind === 'given' ? [{ text: source.text, isNext: false }] : await readMasterFiles(source.path);
  if (source.kind === 'file' && texts.length === 0) {
    throw new Error(
      `The key file ${source.path} is missing, and the database holds secrets sealed with it. Restore the file or set SVC_MASTER_KEY.`,
    );
  }
  for (const { text, isNext } of texts) {
    const opened = await openMaster(stored, text);
    if (!opened) continue;
    // A change of the key was interrupted after the commit.
    if (isNext && source.kind === 'file') await takeNextFile(source.path);
    return opened.given.kind === 'phrase' && opened.master.derivation === undefined
      ? strengthen(db, opened.given, opened.master)
      : opened.master;
  }
  throw new Error(
    'The master key does not open this database. Give the SVC_MASTER_KEY (or key file) it was made with.',
  );
}

/**
 * Wraps the data keys again with scrypt if they were wrapped by a digest of the passphrase, which was cheap to guess.
 */
async function strengthen(db: Db, given: MasterKey, { id, key }: OpenMaster): Promise<OpenMaster> {
  const derivation = chooseDerivation(given);
  const better = await deriveKey(given, derivation);
  const stored = await db.transaction().execute(async (tx) => {
    await lockKeys(tx);
    const present = await readKeys(tx);
    const row = present.masters.find((one) => one.id === id);
    // Another controller that started at the same time did it first.
    if (!row || row.derivation !== undefined) return present;
    await replaceWraps(tx, id, derivation, wrapKeys(unwrapKeys(present, row, key) ?? [], better));
    return readKeys(tx);
  });
  const row = stored.masters.find((one) => one.id === id);
  return { id, key: await deriveKey(given, row?.derivation), derivation: row?.derivation };
}
