import { GENERAL_SETTINGS, SMTP_SETTINGS } from '@flotilla/contract';
import { openDatabase } from '@flotilla/db';
import { createSilentLogger } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../test-controller.ts';
import { openKeyring } from '../keyring/index.ts';
import { openSettings, type Settings } from './service.ts';

const MASTER = 'a'.repeat(64);
const logger = createSilentLogger();
/** On a machine that has much to do. */
const LONG = { timeout: 30_000 };

let t: TestController;
let elsewhere: Settings;
let closeAll: () => Promise<void>;

beforeAll(async () => {
  t = await createTestController({ SVC_MASTER_KEY: MASTER });
  // What a second controller on the same database has: connections, keyring and settings of its own.
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

it('another controller hears of every change, with secrets opened, in their order, and not of what was rolled back', async () => {
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

it('a listener that throws keeps nobody else from hearing', async () => {
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
