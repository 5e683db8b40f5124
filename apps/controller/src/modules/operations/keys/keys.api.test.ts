import { Buffer } from 'node:buffer';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FEATURES } from '../../../features.ts';
import { type InstallationKeyring, openKeyring } from '../../../platform/keyring/index.ts';
import {
  createTestController,
  openController,
  type TestCaller,
  type TestController,
} from '../../../testing/controller.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { listEncryptedPlaces } from './encrypted-places.ts';
import { retireKeys } from './reencrypt-store.ts';
import { openAnew, openEverything, rotateDataKey, WAIT } from './testing/secrets.ts';

const ROTATE = '/api/v3/setting/keys/rotate';
const KEYS = '/api/v3/setting/keys';
const PLACES = listEncryptedPlaces(FEATURES);
const MASTER = '31'.repeat(32);

describe('an encrypted value', () => {
  let database: TestDatabase;
  let keyring: InstallationKeyring;
  beforeEach(async () => {
    database = await createControllerDatabase();
    keyring = await openKeyring({ db: database.db, masterKey: MASTER, keyFile: '' });
  });
  afterEach(() => database.close());

  const addKey = async (from: InstallationKeyring, usedAfterMs = 0) => {
    const id = await database.db.transaction().execute((tx) => from.addDataKey(tx, usedAfterMs));
    await from.refresh();
    return id;
  };
  const write = (sealed: Buffer) =>
    database.db
      .insertInto('idempotency_keys')
      .values({ actor: 'a', key: createId(), route: '', body_digest: sealed, answer: sealed, created_at: new Date() })
      .execute();

  it('is refused by the database if it is not encrypted with an existing key', async () => {
    await write(keyring.encrypt(Buffer.from('x'), 'a'));
    const foreign = keyring.encrypt(Buffer.from('x'), 'a');
    foreign.writeUInt32BE(99, 1);
    for (const bad of [foreign, Buffer.from('a secret in the open, of some length'), Buffer.of(2)])
      await expect(write(bad)).rejects.toThrow('not sealed with a key of this database');
  });

  it('of another controller with an unknown key is refused once, and decrypted afterwards', async () => {
    const other = await openKeyring({ db: database.db, masterKey: MASTER, keyFile: '' });
    await addKey(other);
    const sealed = other.encrypt(Buffer.from('news'), 'a');
    expect(sealed.readUInt32BE(1)).toBe(2);
    expect(() => keyring.decrypt(sealed, 'a')).toThrow(expect.objectContaining({ code: 'keys.not_read' }));
    await vi.waitFor(() => expect(keyring.decrypt(sealed, 'a').toString()).toBe('news'), WAIT);
  });

  it('uses a new key only after every controller had time to read it', async () => {
    await addKey(keyring, 3_600_000);
    expect(keyring.encryptsWith).toBe(1);
    await addKey(keyring);
    expect(keyring.encryptsWith).toBe(3);
  });

  it('whose write started before the deletion of its key is not lost: the key stays, or the write is refused', async () => {
    const late = keyring.encrypt(Buffer.from('late'), 'a');
    const id = await addKey(keyring);
    const retire = () => database.db.transaction().execute((tx) => retireKeys(tx, PLACES, { keyId: id, afterMs: 0 }));
    const written = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const writing = database.db.transaction().execute(async (tx) => {
      await tx
        .insertInto('idempotency_keys')
        .values({ actor: 'a', key: 'k', route: '', body_digest: late, answer: late, created_at: new Date() })
        .execute();
      written.resolve();
      await commit.promise;
    });
    await written.promise;
    const retiring = retire();
    await vi.waitFor(async () => {
      const { rows } =
        await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
          database.owner,
        );
      expect(rows).toHaveLength(1);
    }, WAIT);
    commit.resolve();
    await writing;
    expect(await retiring).toBe('in_use');
    await database.db.deleteFrom('idempotency_keys').execute();
    expect(await retire()).toBe('gone');
    await expect(write(late)).rejects.toThrow('not sealed with a key of this database');
  });
});

describe('keys that change while controllers run', () => {
  let t: TestController;
  let second: Awaited<ReturnType<typeof openController>>;
  let folder: string;
  const fileOf = (name: string) => join(folder, `${name}.key`);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-keys-'));
    t = await createTestController({ SVC_MASTER_KEY_FILE: fileOf('first') });
    // Another machine with a copy of the key file.
    await writeFile(fileOf('second'), await readFile(fileOf('first')), { mode: 0o600 });
    second = await openController(t.database, { SVC_MASTER_KEY_FILE: fileOf('second') });
  });
  afterAll(async () => {
    await second.close();
    await t.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are both rotated during writes: nothing fails, nothing is lost, nothing keeps an old key', async () => {
    const oldFile = await readFile(fileOf('first'), 'utf8');
    const onSecond: TestCaller['call'] = async (method, url, body, headers) => {
      const answer = await second.controller.app.inject({
        method: method as 'PUT',
        url,
        payload: body as object,
        headers: { authorization: `Bearer ${t.owner.token}`, ...headers },
      });
      return { status: answer.statusCode, body: answer.json(), headers: {} };
    };
    let isOver = false;
    const wrote: string[] = [];
    const writer = async (name: string, call: TestCaller['call']) => {
      for (let i = 0; !isOver; i += 1) {
        const secret = `secret ${name} ${i}`;
        const auth = { auth_url: 'https://keystone.example:5000/v3', application_credential_id: 'abc' };
        const value = { auth: { ...auth, application_credential_secret: secret }, region_name: 'north' };
        const path = `/api/v3/setting/documents/cloud/${name}?project=${t.project}`;
        const put = await call('PUT', path, value);
        expect([put.status, put.body.code]).toEqual([i === 0 ? 201 : 200, undefined]);
        const headers = { 'idempotency-key': `${name} ${i}` };
        const made = () =>
          call('POST', `/api/v3/setting/groups?project=${t.project}`, { name: `${name}-${i}` }, headers);
        const answers = [await made(), await made()];
        expect(answers.map(({ status }) => status)).toEqual([201, 201]);
        expect(answers[1]?.body.id).toBe(answers[0]?.body.id);
        wrote.push(secret);
      }
    };
    const written = Promise.all([writer('one', t.owner.call), writer('two', onSecond)]);
    // Awaited after the rotation; it may reject before.
    written.catch(() => undefined);
    const first = await rotateDataKey(t.owner);
    const master = await t.owner.call('POST', ROTATE, { which: 'master', overlap_s: 0 });
    expect(master.status).toBe(202);
    const last = await rotateDataKey(t.owner);
    isOver = true;
    await written;
    expect([first, last, wrote.length > 10]).toEqual([2, 3, true]);

    expect(await readFile(fileOf('first'), 'utf8')).not.toBe(oldFile);
    await vi.waitFor(
      async () => expect(await readFile(fileOf('second'), 'utf8')).toBe(await readFile(fileOf('first'), 'utf8')),
      WAIT,
    );
    const counts = await openEverything(t.database.db, await openAnew(t.database.db, { keyFile: fileOf('second') }));
    expect([...counts.keys()]).toEqual([last]);
    expect(counts.get(last)).toBeGreaterThan(20);
    const { body } = await t.owner.call('GET', KEYS);
    expect(body.data_keys).toMatchObject([{ id: last, state: 'sealing' }]);
    expect(body.master_keys).toMatchObject([{ expires_at: null }]);
    await expect(openAnew(t.database.db, { masterKey: oldFile })).rejects.toThrow('does not open this database');
    const audited = await t.database.db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'key.rotate')
      .execute();
    expect(audited.map(({ changes }) => (changes as { which: string }).which).toSorted()).toEqual([
      'data',
      'data',
      'master',
    ]);
  });

  it('are rotated one at a time, and not while the previous master key still opens the database', async () => {
    const again = { which: 'master', overlap_s: 3600 };
    expect((await t.owner.call('POST', ROTATE, again)).status).toBe(202);
    expect((await t.owner.call('POST', ROTATE, { which: 'data' })).body.code).toBe('keys.master_changing');
    expect((await t.owner.call('GET', KEYS)).body.master_keys).toHaveLength(2);
    expect((await t.owner.call('POST', ROTATE, { which: 'master', overlap_s: 0 })).status).toBe(202);
    expect((await t.owner.call('POST', ROTATE, { which: 'data' })).status).toBe(202);
    expect((await t.owner.call('POST', ROTATE, { which: 'data' })).body.code).toBe('job.busy');
  });

  it('do not change in a dry run', async () => {
    const before = await readFile(fileOf('first'), 'utf8');
    const keys = (await t.owner.call('GET', KEYS)).body.master_keys;
    const answer = await t.owner.call('POST', `${ROTATE}?dry_run=true`, { which: 'master', overlap_s: 0 });
    expect(answer).toMatchObject({ status: 200, body: { dry_run: true } });
    expect((await t.owner.call('GET', KEYS)).body.master_keys).toEqual(keys);
    expect(await readFile(fileOf('first'), 'utf8')).toBe(before);
    await expect(access(`${fileOf('first')}.next`)).rejects.toThrow('ENOENT');
  });

  it('come from a file or from the environment, and so does a new master key', async () => {
    const refused = await t.owner.call('POST', ROTATE, { which: 'master', master_key: MASTER });
    expect(refused.body.code).toBe('keys.master_in_file');
    expect(JSON.stringify(refused.body)).not.toContain(MASTER);
  });
});

describe('a master key from the environment', () => {
  let t: TestController;
  beforeAll(async () => {
    t = await createTestController({ SVC_MASTER_KEY: MASTER });
  });
  afterAll(() => t.close());

  it('is replaced by a given one, which opens the database from then on, as the previous one does for a while', async () => {
    const next = 'a passphrase of more than thirty-two characters';
    expect((await t.owner.call('POST', ROTATE, { which: 'master' })).body.code).toBe('keys.master_outside');
    const short = await t.owner.call('POST', ROTATE, { which: 'master', master_key: 'too short a phrase' });
    expect(short.body).toMatchObject({ code: 'keys.master_invalid' });
    expect(JSON.stringify(short.body)).not.toContain('too short a phrase');
    const changed = await t.owner.call('POST', ROTATE, { which: 'master', master_key: next });
    expect(changed.status).toBe(202);
    for (const masterKey of [next, MASTER]) {
      const keyring = await openAnew(t.database.db, { masterKey });
      expect((await openEverything(t.database.db, keyring)).get(1)).toBeGreaterThan(0);
    }
    await t.database.db
      .updateTable('master_keys')
      .set({ expires_at: new Date(0) })
      .where('expires_at', 'is not', null)
      .execute();
    await vi.waitFor(
      async () => expect(await t.database.db.selectFrom('master_keys').select('id').execute()).toHaveLength(1),
      WAIT,
    );
    await expect(openAnew(t.database.db, { masterKey: MASTER })).rejects.toThrow('does not open this database');
    await openAnew(t.database.db, { masterKey: next });
    const stored = JSON.stringify(await t.database.db.selectFrom('audit_log').selectAll().execute());
    expect(stored).not.toContain(next);
  });
});

it('the next start completes a change of the key file that was interrupted after the commit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-keys-'));
  const database = await createControllerDatabase();
  try {
    const keyFile = join(folder, 'master.key');
    const keyring = await openAnew(database.db, { keyFile });
    const sealed = keyring.encrypt(Buffer.from('kept'), 'a');
    await database.db
      .transaction()
      .execute((tx) => keyring.addMasterKey(tx, { given: undefined, overlapS: 0, isTrial: false }));
    // Simulates the end of the process: takeMaster is not called.
    const before = await readFile(keyFile, 'utf8');
    const next = await readFile(`${keyFile}.next`, 'utf8');
    const again = await openAnew(database.db, { keyFile });
    expect(again.decrypt(sealed, 'a').toString()).toBe('kept');
    expect([await readFile(keyFile, 'utf8'), before === next]).toEqual([next, false]);
    // Interrupted before the database changed: the current file opens it, and the next one is never used.
    await writeFile(`${keyFile}.next`, 'ab'.repeat(32));
    expect((await openAnew(database.db, { keyFile })).decrypt(sealed, 'a').toString()).toBe('kept');
    expect(await readFile(keyFile, 'utf8')).toBe(next);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
});
