import { Buffer } from 'node:buffer';
import {
  API_DISCOVERY_SETTINGS,
  GENERAL_SETTINGS,
  SIGN_IN_SETTINGS,
  SMTP_SETTINGS,
  WEBHOOK_SETTINGS,
} from '@flotilla/contract';
import { openDatabase } from '@flotilla/db';
import { createSilentLogger } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';
import { openKeyring } from '../keyring/index.ts';
import { openSettings, type Settings } from './service.ts';

const MASTER = 'a'.repeat(64);
const logger = createSilentLogger();
const failed = vi.spyOn(logger, 'error');
/** For a busy machine. */
const LONG = { timeout: 90_000 };

let t: TestController;
let elsewhere: Settings;
let closeAll: () => Promise<void>;

beforeAll(async () => {
  t = await createTestController({ SVC_MASTER_KEY: MASTER });
  // A second controller on the same database: its own connections, keyring and settings.
  const database = openDatabase(t.database.settings, logger, { maxConnections: 4 });
  const keyring = await openKeyring({ db: database.db, masterKey: MASTER, keyFile: '/nonexistent' });
  elsewhere = await openSettings({ database, keyring, logger });
  closeAll = async () => {
    await elsewhere.close();
    await database.close();
  };
});
afterAll(async () => {
  await closeAll();
  await t.close();
});

it('another controller receives every change, with decrypted secrets, in order, and none that was rolled back', async () => {
  const heard: string[] = [];
  const mail: (string | null | undefined)[] = [];
  const watching = await elsewhere.watch(GENERAL_SETTINGS, ({ name }) => heard.push(name));
  await elsewhere.watch(SMTP_SETTINGS, ({ password }) => mail.push(password));
  expect([heard, mail]).toEqual([['Flotilla'], [undefined]]);
  const put = (key: string, body: object, query = '') =>
    t.owner.call('PUT', `/api/v3/setting/documents/${key}${query}`, body);
  await put('general', { name: 'never' }, '?dry_run=true');
  await put('general', { name: 'one' });
  await vi.waitFor(() => expect(heard).toEqual(['Flotilla', 'one']), LONG);
  await put('smtp', { password: 'pw' });
  await vi.waitFor(() => expect(mail).toEqual([undefined, 'pw']), LONG);
  await t.owner.call('DELETE', '/api/v3/setting/documents/general');
  await vi.waitFor(() => expect(heard).toEqual(['Flotilla', 'one', 'Flotilla']), LONG);
  await watching.close();
  await put('general', { name: 'two' });
  expect((await elsewhere.get(GENERAL_SETTINGS)).value.name).toBe('two');
  expect(heard).toHaveLength(3);
});

it('a listener that throws does not stop others from being called', async () => {
  const heard: string[] = [];
  let isFirst = true;
  await elsewhere.watch(GENERAL_SETTINGS, () => {
    if (!isFirst) throw new Error('no');
    isFirst = false;
  });
  await elsewhere.watch(GENERAL_SETTINGS, ({ name }) => heard.push(name));
  await t.owner.call('PUT', '/api/v3/setting/documents/general', { name: 'three' });
  await vi.waitFor(() => expect(heard.at(-1)).toBe('three'), LONG);
});

it('a listener that throws is called again until it succeeds', async () => {
  const heard: string[] = [];
  await elsewhere.watch(GENERAL_SETTINGS, ({ name }) => {
    heard.push(name);
    if (name === 'four' && heard.length < 3) throw new Error('not yet');
  });
  const before = heard.length;
  await t.owner.call('PUT', '/api/v3/setting/documents/general', { name: 'four' });
  await vi.waitFor(() => expect(heard.slice(before)).toEqual(['four', 'four']), LONG);
});

/** Stores a value as another version of the controller would. */
async function store(key: string, change: object, sealed?: Buffer): Promise<void> {
  const { value } = await t.database.db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  await t.database.db
    .updateTable('settings')
    .set((eb) => ({
      value: JSON.stringify({ ...value, ...change }),
      revision: eb('revision', '+', 1),
      ...(sealed && { sealed }),
    }))
    .where('key', '=', key)
    .execute();
}

it('a value of a newer version is read without unknown members, and can be changed', async () => {
  await t.owner.call('PUT', '/api/v3/setting/documents/general', { name: 'five' });
  await store('general', { newer: { a: 1 } });
  expect((await elsewhere.get(GENERAL_SETTINGS)).value).toEqual({ name: 'five', public_url: null });
  const changed = await t.owner.call('PATCH', '/api/v3/setting/documents/general', { name: 'six' });
  expect([changed.status, changed.body.value]).toEqual([200, { name: 'six', public_url: null }]);
});

it('a value that the schema refuses at start applies as far as possible, is reported, and is delivered once it is fixed', async () => {
  const path = '/api/v3/setting/documents/sign_in';
  expect((await t.owner.call('PUT', path, { otp_enforced: false, free_attempts: 4 })).status).toBe(200);
  await store('sign_in', { password_min_length: 4711 });
  await expect(elsewhere.get(SIGN_IN_SETTINGS)).rejects.toThrow();
  const heard: unknown[] = [];
  await elsewhere.watch(SIGN_IN_SETTINGS, (rules) => heard.push(rules));
  expect(heard).toEqual([expect.objectContaining({ free_attempts: 4, password_min_length: 64 })]);
  const refused = [{ path: 'password_min_length', rule: 'too_big' }];
  expect(failed).toHaveBeenCalledWith({ key: 'sign_in', refused }, 'settings.refused');
  expect(JSON.stringify(failed.mock.calls)).not.toContain('4711');
  expect((await t.owner.call('PATCH', path, { password_min_length: 14 })).status).toBe(200);
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ free_attempts: 4, password_min_length: 14 }), LONG);
});

it('a document whose secret cannot be decrypted at start sends nothing until it can', async () => {
  const document = { enabled: true, url: 'https://hooks.example.com', secret: 'pw' };
  expect((await t.owner.call('PUT', '/api/v3/setting/documents/webhook', document)).status).toBe(200);
  const { sealed } = await t.database.db
    .selectFrom('settings')
    .select('sealed')
    .where('key', '=', 'webhook')
    .executeTakeFirstOrThrow();
  if (!sealed) throw new Error('nothing is sealed');
  const broken = Buffer.from(sealed);
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
  await store('webhook', {}, broken);
  const heard: unknown[] = [];
  await elsewhere.watch(WEBHOOK_SETTINGS, ({ enabled, secret }) => heard.push([enabled, secret]));
  expect(heard).toEqual([[false, undefined]]);
  const refused = [{ path: 'secret', rule: 'does_not_open' }];
  expect(failed).toHaveBeenCalledWith({ key: 'webhook', refused }, 'settings.refused');
  await store('webhook', {}, sealed);
  await vi.waitFor(() => expect(heard.at(-1)).toEqual([true, 'pw']), LONG);
});

it('other features read the document of a project, or the installation’s (contradiction: collector settings)', async () => {
  const url = '/api/v3/setting/api_discovery';
  const other = await t.createProject('another');
  const rateIn = async (project?: string) =>
    (await elsewhere.get(API_DISCOVERY_SETTINGS, project === undefined ? {} : { project })).value.policy
      .raw_sample_rate;
  await t.owner.call('PUT', url, { policy: { raw_sample_rate: 0.5 } });
  await t.owner.call('PUT', `${url}?project=${t.project}`, { policy: { raw_sample_rate: 0.25 } });
  expect([await rateIn(t.project), await rateIn(other), await rateIn()]).toEqual([0.25, 0.5, 0.5]);
});
