import { createSilentLogger } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SYSTEM } from '../../../platform/jobs/testing/jobs.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { turnFactorOn } from '../second-factor/testing/factor.ts';

const WAIT = { timeout: 90_000 };
const logger = createSilentLogger();
const said = vi.spyOn(logger, 'error');

let t: TestController;
beforeAll(async () => {
  // Child loggers write to the same place.
  Object.assign(logger, { child: () => logger });
  t = await createTestController({}, { logger });
});
afterAll(() => t.close());

const documents = '/api/v3/setting/documents';
const DIRECTORY = {
  enabled: true,
  title: 'Example Inc.',
  servers: [{ url: 'ldaps://ldap.example.org' }],
  base_dn: 'dc=x',
};
const PROVIDER = { enabled: true, title: 'Corp', issuer: 'https://accounts.example.org', client_id: 'flotilla' };

/** Stores a value as another version of the controller would. */
async function store(key: string, change: object, name = ''): Promise<void> {
  const { db } = t.database;
  const { id, value } = await db
    .selectFrom('settings')
    .select(['id', 'value'])
    .where('key', '=', key)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('settings')
    .set((eb) => ({ value: JSON.stringify({ ...value, ...change }), revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

const signIn = async ({ username, password } = t.owner) =>
  (await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } })).json();

async function listRealms(): Promise<string[]> {
  const answer = await t.app.inject({ url: '/auth/realms' });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().items.map(({ name }: { name: string }) => name);
}

it('sign-in realms whose settings a version refuses are off until they are fixed, and nobody else is locked out', async () => {
  await t.owner.call('PUT', `${documents}/general`, { public_url: 'https://fleet.example' });
  await t.owner.call('PUT', `${documents}/ldap`, DIRECTORY);
  for (const name of ['corp', 'other']) await t.owner.call('PUT', `${documents}/oidc/${name}`, PROVIDER);
  expect(await listRealms()).toEqual(['local', 'ldap', 'corp', 'other']);
  await store('ldap', { timeout_ms: 'soon' });
  await store('oidc', { issuer: 'http://accounts.example.org' }, 'corp');
  expect(await listRealms()).toEqual(['local', 'other']);
  expect(await listRealms()).toEqual(['local', 'other']);
  expect((await signIn()).access_token).toBeDefined();
  const elsewhere = { username: 'anna', password: 'Some-Password-1234', realm: 'ldap' };
  const refused = await t.app.inject({ method: 'POST', url: '/auth/login', payload: elsewhere });
  expect(refused.json().code).toBe('sign_in.realm_unknown');

  const logged = said.mock.calls.filter(([, event]) => event === 'settings.refused').map(([what]) => what);
  expect(logged).toEqual(
    expect.arrayContaining([
      { key: 'ldap', refused: [{ path: 'timeout_ms', rule: 'invalid_type' }] },
      { key: 'oidc', name: 'corp', refused: [{ path: 'issuer', rule: expect.any(String) }] },
    ]),
  );
  expect(logged).toHaveLength(2);
  const shown = await t.owner.call('GET', `${documents}/ldap`);
  expect(shown.body.refused).toEqual([{ path: 'timeout_ms', rule: 'invalid_type' }]);

  await t.owner.call('PATCH', `${documents}/ldap`, { timeout_ms: 3000 });
  await t.owner.call('PATCH', `${documents}/oidc/corp`, { issuer: PROVIDER.issuer });
  expect(await listRealms()).toEqual(['local', 'ldap', 'corp', 'other']);
  expect((await t.owner.call('GET', `${documents}/ldap`)).body).not.toHaveProperty('refused');
});

/** Runs the job and returns it after its end. */
async function run(type: string) {
  const job = t.controller.jobs.types.get(type);
  if (!job) throw new Error('there is no such job');
  const order = { params: {}, project: null, actor: SYSTEM };
  const { db } = t.database;
  // The schedule may have started one at this moment.
  const { id } = await vi.waitFor(
    () => db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, job, order)),
    WAIT,
  );
  return vi.waitFor(async () => {
    const { body } = await t.owner.call('GET', `/api/v3/jobs/${id}`);
    expect(body.ended_at).not.toBeNull();
    return body;
  }, WAIT);
}

describe.each([
  ['directories.recheck', 'ldap', '', 'ldap'],
  ['oidc.recheck', 'oidc', 'corp', 'oidc/corp'],
])('the job %s', (type, key, name, target) => {
  const fix = () =>
    t.owner.call('PATCH', `${documents}/${name === '' ? key : `${key}/${name}`}`, { timeout_ms: 3000, enabled: true });

  it('reports that it cannot ask, and signs nobody out', async () => {
    await store(key, { timeout_ms: 'soon' }, name);
    expect(await run(type)).toMatchObject({ status: 'done_with_errors', errors: [{ target }] });
    await fix();
  });

  it('has no work for a disabled realm, whatever else of it is refused', async () => {
    await store(key, { timeout_ms: 'soon', enabled: false }, name);
    expect(await run(type)).toMatchObject({ status: 'no_work', errors: [] });
    await fix();
  });
});

it('an address that a version refuses offers no provider, and prevents nobody from signing in', async () => {
  await t.owner.call('PUT', `${documents}/general`, { public_url: 'https://fleet.example' });
  await store('general', { public_url: 'fleet' });
  expect(await listRealms()).toEqual(['local', 'ldap']);
  expect((await signIn()).access_token).toBeDefined();
});

it('a second factor that is required in a format of another version is required', async () => {
  const project = await t.createProject('of another version');
  const member = await t.createMember('viewer', project);
  const admin = await t.createMember('admin', project);
  await turnFactorOn(admin);
  for (const otp_enforced of [true, false])
    await admin.call('PUT', `${documents}/otp?project=${project}`, { otp_enforced });
  const read = () => member.call('GET', `/api/v3/xds/clusters?project=${project}`);
  await vi.waitFor(async () => expect((await read()).status).toBe(200));
  await store('otp', { otp_enforced: 'for_admins' });
  await vi.waitFor(async () => expect((await read()).body.code).toBe('project.factor_required'));
  const view = await admin.call('GET', `/api/v3/setting/otp-config?project=${project}`);
  expect(view).toMatchObject({ status: 200, body: { otp_enforced: true } });
});
