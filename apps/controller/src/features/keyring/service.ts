import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from '@flotilla/db';
import { z } from 'zod';
import {
  chooseDerivation,
  type Derivation,
  derivationSchema,
  deriveKey,
  type MasterKey,
  parseMasterKey,
} from './master-key.ts';
import { seal, unseal } from './model.ts';

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
  const stored = await readValue(db, DATA_KEY);
  const master = await readMasterKey(options, { mayCreate: stored === undefined });
  const dataKey = await openDataKey(db, master).catch((cause: unknown) => {
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
): Promise<MasterKey> {
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

/**
 * The data key, made at the first start. Of several that start at once one row wins, and all derive by what it says. One
 * that was wrapped by the digest of a pass phrase is wrapped anew: a guess at it cost next to nothing.
 */
async function openDataKey(db: Db, master: MasterKey): Promise<Buffer> {
  const context = `installation/${DATA_KEY}`;
  const wrap = async (dataKey: Buffer): Promise<WrappedValue> => {
    const derivation = chooseDerivation(master);
    const sealed = seal(await deriveKey(master, derivation), dataKey, context).toString('base64');
    return { sealed, ...(derivation && { derivation }) };
  };
  const before = await readValue(db, DATA_KEY);
  if (before === undefined) await insertValue(db, DATA_KEY, await wrap(randomBytes(32)));
  const value = before ?? (await readValue(db, DATA_KEY));
  if (!value) throw new Error('the data key was not stored');
  const dataKey = unseal(await deriveKey(master, value.derivation), Buffer.from(value.sealed, 'base64'), context);
  if (master.kind === 'phrase' && value.derivation === undefined) {
    await db
      .updateTable('installation')
      .set({ value: JSON.stringify(await wrap(dataKey)), updated_at: new Date() })
      .where('name', '=', DATA_KEY)
      .execute();
  }
  return dataKey;
}

async function keepSecret(db: Db, name: string, wrappingKey: Buffer, create: () => Buffer): Promise<Buffer> {
  const context = `installation/${name}`;
  if ((await readValue(db, name)) === undefined)
    await insertValue(db, name, { sealed: seal(wrappingKey, create(), context).toString('base64') });
  const value = await readValue(db, name);
  if (!value) throw new Error(`installation secret ${name} was not stored`);
  return unseal(wrappingKey, Buffer.from(value.sealed, 'base64'), context);
}

/** What lies in the table: base64, and for a data key under a pass phrase how the wrapping key is derived. */
interface WrappedValue {
  readonly sealed: string;
  readonly derivation?: Derivation | undefined;
}

const valueSchema = z.object({ sealed: z.base64(), derivation: derivationSchema.optional() });

async function insertValue(db: Db, name: string, value: WrappedValue): Promise<void> {
  await db
    .insertInto('installation')
    .values({ name, value: JSON.stringify(value), updated_at: new Date() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

async function readValue(db: Db, name: string): Promise<WrappedValue | undefined> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst();
  return row && valueSchema.parse(row.value);
}
