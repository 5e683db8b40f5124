import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from '@flotilla/db';
import { parseMasterKey, seal, unseal } from './model.ts';

/**
 * Envelope encryption. The master key (SVC_MASTER_KEY, or a file outside the database) wraps one data key, which is
 * kept wrapped in the database and seals every secret at rest. A database alone, without the master key, gives nothing.
 */
export interface Keyring {
  /** `context` says what the value belongs to, e.g. `documents/<id>`: a sealed value cannot be moved elsewhere. */
  seal(plaintext: Buffer, context: string): Buffer;
  unseal(sealed: Buffer, context: string): Buffer;
  /** A secret of the installation, made at first use and then always the same. */
  installationSecret(name: string, create: () => Buffer): Promise<Buffer>;
}

export interface KeyringOptions {
  readonly db: Db;
  readonly masterKey: string | undefined;
  /** Where the master key is made and kept when none is given. */
  readonly keyFile: string;
}

const DATA_KEY = 'data_key';

export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { db } = options;
  const wrapped = await readWrapped(db, DATA_KEY);
  const master = await readMasterKey(options, { mayCreate: wrapped === undefined });
  const dataKey = await keepSecret(db, DATA_KEY, master, () => randomBytes(32)).catch((cause: unknown) => {
    throw new Error(
      'The master key does not open this database. Give the SVC_MASTER_KEY (or key file) it was made with.',
      { cause },
    );
  });
  return {
    seal: (plaintext, context) => seal(dataKey, plaintext, context),
    unseal: (sealed, context) => unseal(dataKey, sealed, context),
    installationSecret: (name, create) => keepSecret(db, `secret/${name}`, dataKey, create),
  };
}

async function readMasterKey(
  { masterKey, keyFile }: KeyringOptions,
  { mayCreate }: { mayCreate: boolean },
): Promise<Buffer> {
  if (masterKey !== undefined) return parseMasterKey(masterKey);
  const existing = await readFile(keyFile, 'utf8').catch(() => undefined);
  if (existing !== undefined) return parseMasterKey(existing);
  if (!mayCreate) {
    throw new Error(
      `The key file ${keyFile} is missing, and the database holds secrets sealed with it. Restore the file or set SVC_MASTER_KEY.`,
    );
  }
  await mkdir(dirname(keyFile), { recursive: true });
  const own = `${keyFile}.${process.pid}`;
  await writeFile(own, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  // Of two controllers starting at once one file wins, and both read that one.
  await link(own, keyFile).catch(() => undefined);
  await rm(own);
  return parseMasterKey(await readFile(keyFile, 'utf8'));
}

async function keepSecret(db: Db, name: string, wrappingKey: Buffer, create: () => Buffer): Promise<Buffer> {
  if ((await readWrapped(db, name)) === undefined) {
    const sealed = seal(wrappingKey, create(), `installation/${name}`).toString('base64');
    await db
      .insertInto('installation')
      .values({ name, value: JSON.stringify({ sealed }), updated_at: new Date() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  }
  const sealed = await readWrapped(db, name);
  if (!sealed) throw new Error(`installation secret ${name} was not stored`);
  return unseal(wrappingKey, sealed, `installation/${name}`);
}

async function readWrapped(db: Db, name: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst();
  const value = row?.value as { sealed?: string } | undefined;
  return value?.sealed === undefined ? undefined : Buffer.from(value.sealed, 'base64');
}
