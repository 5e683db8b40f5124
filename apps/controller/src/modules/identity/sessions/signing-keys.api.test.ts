import { FakeClock } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type Keyring, openKeyring } from '../../../platform/keyring/index.ts';
import { createTestController } from '../../../testing/controller.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { SigningKeys } from './signing-keys.ts';
import { AccessTokens } from './tokens.ts';

const databases: TestDatabase[] = [];
let database: TestDatabase;
let clock: FakeClock;
let cipher: Keyring;
const controller = () => new SigningKeys({ db: database.db, cipher, clock, outside: undefined });
const rotate = (keys: SigningKeys) => database.db.transaction().execute((tx) => keys.rotate(tx, new Date(clock.now())));

beforeEach(async () => {
  database = await createControllerDatabase();
  databases.push(database);
  cipher = await openKeyring({ db: database.db, masterKey: '8'.repeat(64), keyFile: '/nonexistent' });
  clock = new FakeClock(Date.now());
});
afterAll(async () => {
  for (const one of databases) await one.close();
});

it('a replaced key verifies until its last token has expired, and does not sign any more', async () => {
  const [here, there] = [controller(), controller()];
  const old = await here.current();
  expect((await there.current()).kid).toBe(old.kid);
  const next = await rotate(here);
  here.forget();
  expect((await here.current()).kid).toBe(next);
  clock.advance(20_000);
  expect((await there.current()).kid).toBe(next);
  clock.advance(15 * 60_000);
  for (const keys of [here, there]) expect((await keys.find(old.kid))?.kid).toBe(old.kid);
  clock.advance(60_000);
  for (const keys of [here, there]) expect(await keys.find(old.kid)).toBeUndefined();
  expect((await here.list()).map(({ kid }) => kid)).toEqual([next]);
});

it('a controller looks up an unknown key, but not for every name that strangers invent', async () => {
  const [here, there] = [controller(), controller()];
  await there.current();
  const next = await rotate(here);
  for (const kid of ['env', '../../etc/passwd', "' or true --"]) expect(await there.find(kid)).toBeUndefined();
  clock.advance(1000);
  expect((await there.find(next))?.kid).toBe(next);
});

it('controllers that start at once create one key', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => controller().current()));
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(1);
});

it('tokens with a changed type or algorithm, or with another key name, are refused', async () => {
  const keys = controller();
  const tokens = new AccessTokens(keys);
  const claims = { userId: 'u', sessionId: 's', audience: 'flotilla:api' } as const;
  const token = await tokens.sign(claims, new Date());
  expect(await tokens.read(token)).toMatchObject(claims);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString());
  const changes = [{ alg: 'none' }, { alg: 'HS512' }, { typ: 'JWT' }, { kid: 'env' }, { kid: null }, { kid: ['x'] }];
  for (const change of changes) {
    const changed = Buffer.from(JSON.stringify({ ...parsed, ...change })).toString('base64url');
    await expect(tokens.read(`${changed}.${payload}.${signature}`)).rejects.toMatchObject({ code: 'auth.invalid' });
  }
  for (const broken of [`${header}.${payload}.`, `${header}.${payload}`, '..', '', `${token}.x`])
    await expect(tokens.read(broken)).rejects.toMatchObject({ code: 'auth.invalid' });
  const old = await tokens.sign(claims, new Date(Date.now() - 16 * 60_000));
  await expect(tokens.read(old)).rejects.toMatchObject({ code: 'auth.expired' });
});

it('owners rotate the key while everybody stays signed in, and nobody else can', async () => {
  const t = await createTestController();
  try {
    const ROTATE = '/api/v3/setting/signing-keys/rotate';
    const admin = await t.createMember('admin');
    expect((await admin.call('POST', ROTATE)).body.code).toBe('owner.required');
    const rotated = await t.owner.call('POST', ROTATE);
    expect(rotated.status).toBe(201);
    expect((await admin.call('GET', '/api/v3/profile')).status).toBe(200);
    const { items } = (await t.owner.call('GET', '/api/v3/setting/signing-keys')).body;
    expect(items).toHaveLength(2);
    expect(items[0]).toMatchObject({ kid: rotated.body.kid, signs: true, verifies_until: null });
    expect(JSON.stringify(items)).not.toContain('secret');
  } finally {
    await t.close();
  }
  const outside = await createTestController({ SVC_JWT_SECRET: 'a secret from outside, long enough for it' });
  try {
    const answer = await outside.owner.call('POST', '/api/v3/setting/signing-keys/rotate');
    expect(answer).toMatchObject({ status: 409, body: { code: 'signing_key.outside' } });
  } finally {
    await outside.close();
  }
});
