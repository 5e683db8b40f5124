import { createHash, randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeyring } from './index.ts';
import { seal, unseal } from './model.ts';

const PHRASE = 'correct horse battery staple, and then some';
const digestOf = (phrase: string) => createHash('sha256').update(`flotilla master key\0${phrase}`).digest();

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

const open = (masterKey: string) => openKeyring({ db: database.db, masterKey, keyFile: '/nonexistent/key' });

async function storedKey() {
  const { value } = await database.db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', 'data_key')
    .executeTakeFirstOrThrow();
  return value as { sealed: string; derivation?: { salt: string } };
}

describe('a pass phrase as master key', () => {
  it('costs each guess scrypt with a salt of its own, and opens the same database again', async () => {
    const first = await open(PHRASE);
    const sealed = first.seal(Buffer.from('secret'), 'a');
    const stored = await storedKey();
    expect(stored.derivation).toMatchObject({ kind: 'scrypt', n: 131_072, r: 8, p: 1 });
    expect(Buffer.from(stored.derivation?.salt ?? '', 'base64').length).toBe(16);
    const wrapped = Buffer.from(stored.sealed, 'base64');
    expect(() => unseal(digestOf(PHRASE), wrapped, 'installation/data_key')).toThrow();
    expect((await open(`${PHRASE}\n`)).unseal(sealed, 'a').toString()).toBe('secret');
    expect(await storedKey()).toEqual(stored);
  });

  it('that wrapped by its digest alone is taken once and wrapped anew, and what was sealed still opens', async () => {
    const dataKey = randomBytes(32);
    const sealed = seal(dataKey, Buffer.from('of before'), 'a');
    const value = { sealed: seal(digestOf(PHRASE), dataKey, 'installation/data_key').toString('base64') };
    await database.db
      .insertInto('installation')
      .values({ name: 'data_key', value: JSON.stringify(value), updated_at: new Date() })
      .execute();
    await expect(open('another phrase, that is long enough for one')).rejects.toThrow('does not open this database');
    expect(await storedKey()).toEqual(value);
    // Several at once: whoever comes second finds the one wrapping or the other.
    const keyrings = await Promise.all([open(PHRASE), open(PHRASE)]);
    for (const keyring of [...keyrings, await open(PHRASE)])
      expect(keyring.unseal(sealed, 'a').toString()).toBe('of before');
    const wrapped = Buffer.from((await storedKey()).sealed, 'base64');
    expect(() => unseal(digestOf(PHRASE), wrapped, 'installation/data_key')).toThrow();
  });

  it('that is wrong ends the start without a word of it, and changes nothing', async () => {
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

  it('refuses a derivation that would take all memory of the start', async () => {
    await open(PHRASE);
    const stored = await storedKey();
    const value = { ...stored, derivation: { ...stored.derivation, n: 2 ** 30 } };
    await database.db
      .updateTable('installation')
      .set({ value: JSON.stringify(value) })
      .where('name', '=', 'data_key')
      .execute();
    await expect(open(PHRASE)).rejects.toThrow();
  });
});

it('gives all controllers that start at once the same data key', async () => {
  for (const masterKey of [PHRASE, '11'.repeat(32)]) {
    await database.db.deleteFrom('installation').where('name', '=', 'data_key').execute();
    const keyrings = await Promise.all(Array.from({ length: 3 }, () => open(masterKey)));
    const sealed = keyrings[0]?.seal(Buffer.from('shared'), 'a') ?? Buffer.alloc(0);
    for (const keyring of keyrings) expect(keyring.unseal(sealed, 'a').toString()).toBe('shared');
  }
});
