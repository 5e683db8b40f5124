import { createHash, randomBytes } from 'node:crypto';
import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';
import { openKeyring } from './index.ts';
import { decrypt, wrap } from './model.ts';

const PHRASE = 'correct horse battery staple, and then some';
const digestOf = (phrase: string) => createHash('sha256').update(`flotilla master key\0${phrase}`).digest();

let database: TestDatabase;
beforeEach(async () => {
  database = await createControllerDatabase();
});
afterEach(() => database.close());

const open = (masterKey: string) => openKeyring({ db: database.db, masterKey, keyFile: '/nonexistent/key' });

async function storedKey() {
  const master = await database.db.selectFrom('master_keys').selectAll().executeTakeFirstOrThrow();
  const { wrapped } = await database.db.selectFrom('data_key_wraps').select('wrapped').executeTakeFirstOrThrow();
  return { wrapped, derivation: master.derivation as { kind: string; salt: string } | null };
}

/** The layout of an old database: wrapped by one digest of the phrase, and values without a key id. */
async function storeUnderDigest(phrase: string): Promise<Buffer> {
  const dataKey = randomBytes(32);
  const now = new Date();
  const id = createId();
  await database.db.insertInto('data_keys').values({ id: 1, created_at: now, seals_from: now }).execute();
  await database.db
    .insertInto('master_keys')
    .values({ id, derivation: null, created_at: now, expires_at: null, sealed_key: null, hand_over_until: null })
    .execute();
  const wrapped = wrap(digestOf(phrase), dataKey, 'installation/data_key');
  await database.db.insertInto('data_key_wraps').values({ key_id: 1, master_id: id, wrapped }).execute();
  return dataKey;
}

describe('a passphrase as master key', () => {
  it('makes each guess cost scrypt with its own salt, and opens the same database again', async () => {
    const first = await open(PHRASE);
    const sealed = first.encrypt(Buffer.from('secret'), 'a');
    const stored = await storedKey();
    expect(stored.derivation).toMatchObject({ kind: 'scrypt', n: 131_072, r: 8, p: 1 });
    expect(Buffer.from(stored.derivation?.salt ?? '', 'base64').length).toBe(16);
    expect(() => decrypt(digestOf(PHRASE), stored.wrapped, 'installation/data_key')).toThrow();
    expect((await open(`${PHRASE}\n`)).decrypt(sealed, 'a').toString()).toBe('secret');
    expect(await storedKey()).toEqual(stored);
  });

  it('wraps an old database, wrapped by a digest alone, again, and old values can still be decrypted', async () => {
    const sealed = wrap(await storeUnderDigest(PHRASE), Buffer.from('old value'), 'a');
    const value = await storedKey();
    await expect(open('another phrase, that is long enough for one')).rejects.toThrow('does not open this database');
    expect(await storedKey()).toEqual(value);
    // Both start at once: the second one meets the old or the new wrapping.
    const keyrings = await Promise.all([open(PHRASE), open(PHRASE)]);
    for (const keyring of [...keyrings, await open(PHRASE)])
      expect(keyring.decrypt(sealed, 'a').toString()).toBe('old value');
    const { wrapped } = await storedKey();
    expect(() => decrypt(digestOf(PHRASE), wrapped, 'installation/data_key')).toThrow();
  });

  it('fails the start without quoting it if it is wrong, and changes nothing', async () => {
    await open(PHRASE);
    const stored = await storedKey();
    const wrong = 'another phrase, that is long enough for one';
    const error: unknown = await open(wrong).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    const { message, cause, stack } = error as Error;
    expect(message).toContain('does not open this database');
    expect(`${message} ${String(cause)} ${stack}`).not.toContain(wrong);
    await expect(open('too short a phrase')).rejects.toThrow(/^(?!.*too short a phrase).*32 characters or more$/);
    expect(await storedKey()).toEqual(stored);
  });

  it('refuses a derivation that would exhaust the memory at start', async () => {
    await open(PHRASE);
    const stored = await storedKey();
    const derivation = JSON.stringify({ ...stored.derivation, n: 2 ** 30 });
    await database.db.updateTable('master_keys').set({ derivation }).execute();
    await expect(open(PHRASE)).rejects.toThrow();
  });
});

it('all controllers that start at once get the same data key', async () => {
  for (const masterKey of [PHRASE, '11'.repeat(32)]) {
    await database.db.deleteFrom('master_keys').execute();
    await database.db.deleteFrom('data_keys').execute();
    const keyrings = await Promise.all(Array.from({ length: 3 }, () => open(masterKey)));
    const sealed = keyrings[0]?.encrypt(Buffer.from('shared'), 'a') ?? Buffer.alloc(0);
    for (const keyring of keyrings) expect(keyring.decrypt(sealed, 'a').toString()).toBe('shared');
  }
});
