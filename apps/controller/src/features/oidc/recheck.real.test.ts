import { createId } from '@flotilla/kit';
import { beforeEach, expect, it, vi } from 'vitest';
import { SYSTEM } from '../jobs/test-jobs.ts';
import type { TestBrowser } from './test-browser.ts';
import { person, stageProviders, whoIs } from './test-stage.ts';

const here = stageProviders();
const OFFLINE = { scopes: ['profile', 'email', 'offline_access'] };
const WAIT = { timeout: 30_000 };

beforeEach(async () => {
  here.corp.gone.clear();
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE });
});

async function signIn(sub: string, provider = here.corp, name = 'corp'): Promise<TestBrowser> {
  provider.person = person(sub);
  const browser = here.openBrowser();
  expect((await browser.signIn(name)).location).toBe('/');
  return browser;
}

/** Runs the job that asks again, to its end. */
async function recheck() {
  const { database, controller } = here.t;
  const type = controller.jobs.types.get('oidc.recheck');
  if (!type) throw new Error('there is no such job');
  const order = { params: {}, project: null, actor: SYSTEM };
  // The clock may have begun one at this very moment.
  const { id } = await vi.waitFor(
    () => database.db.transaction().execute((tx) => controller.jobs.enqueue(tx, type, order)),
    WAIT,
  );
  return vi.waitFor(async () => {
    const job = await database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    if (job.ended_at === null) throw new Error(`the job is ${job.status}`);
    return job;
  }, WAIT);
}

async function grantOf(sub: string): Promise<Buffer | undefined> {
  const user = await here.findUser(`p-${sub}`);
  const row = await here.t.database.db
    .selectFrom('provider_grants')
    .select('sealed_token')
    .where('user_id', '=', user?.id ?? createId())
    .executeTakeFirst();
  return row?.sealed_token;
}

it('whoever has left the provider is signed out without a new sign-in, and nobody else; again and again', async () => {
  const [leaver, stayer] = [await signIn('r-leaver'), await signIn('r-stayer')];
  const before = await grantOf('r-stayer');
  for (let round = 0; round < 3; round += 1) expect(await recheck()).toMatchObject({ status: 'done' });
  // The provider takes each token once, and gives another.
  expect((await grantOf('r-stayer'))?.equals(before ?? Buffer.alloc(0))).toBe(false);
  expect([(await whoIs(leaver))?.username, (await whoIs(stayer))?.username]).toEqual(['p-r-leaver', 'p-r-stayer']);

  here.corp.gone.add('r-leaver');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect([await whoIs(leaver), (await whoIs(stayer))?.username]).toEqual([undefined, 'p-r-stayer']);
  const user = await here.findUser('p-r-leaver');
  const told = await here.t.database.db
    .selectFrom('audit_log')
    .select(['action', 'actor_kind', 'actor_name'])
    .where('resource_id', '=', user?.id ?? '')
    .where('action', '=', 'user.gone')
    .execute();
  expect(told).toEqual([{ action: 'user.gone', actor_kind: 'system', actor_name: 'oidc/corp' }]);
  expect(await grantOf('r-leaver')).toBeUndefined();

  here.corp.gone.clear();
  const back = await signIn('r-leaver');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(back))?.username).toBe('p-r-leaver');
});

it('where the provider does not answer, or does not take us for who we are, nothing changes', async () => {
  const browser = await signIn('r-kept');
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE, client_secret: 'another' });
  here.corp.gone.add('r-kept');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-kept');
  // An issuer where nobody listens: what was given by another one is not shown to it either.
  await here.configure('corp', { issuer: 'http://localhost:9', ...OFFLINE });
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-kept');
});

it('a provider that does not know most people any more has changed itself, and nothing changes', async () => {
  const browsers: TestBrowser[] = [];
  for (let i = 0; i < 6; i += 1) browsers.push(await signIn(`r-many-${i}`));
  const { db } = here.t.database;
  await db
    .deleteFrom('provider_grants')
    .where('user_id', 'not in', await idsOf(6))
    .execute();
  for (let i = 0; i < 6; i += 1) here.corp.gone.add(`r-many-${i}`);
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  for (const browser of browsers) expect(await whoIs(browser)).toBeDefined();
});

const idsOf = async (count: number) => {
  const users = await Promise.all(Array.from({ length: count }, (_, i) => here.findUser(`p-r-many-${i}`)));
  return users.map((user) => user?.id ?? '');
};

it('what is kept is sealed, of those alone whose provider is to be asked, and goes with the account', async () => {
  await here.configure('corp', { issuer: here.corp.issuer });
  await signIn('r-unasked');
  expect(await grantOf('r-unasked')).toBeUndefined();
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE });
  await signIn('r-asked');
  const sealed = await grantOf('r-asked');
  expect(sealed?.length).toBeGreaterThan(40);
  expect(sealed?.toString('latin1')).not.toMatch(/^[\w-]+$/);
  const user = await here.findUser('p-r-asked');
  expect((await here.t.owner.call('DELETE', `/api/v3/setting/users/${user?.id}`)).status).toBe(204);
  const left = await here.t.database.db.selectFrom('provider_grants').select('user_id').execute();
  expect(left.map(({ user_id }) => user_id)).not.toContain(user?.id);
});
