import { expect, it, vi } from 'vitest';
import type { TestBrowser } from './testing/browser.ts';
import { DISCOVERY, OFFLINE, stageRechecks, WAIT } from './testing/recheck.ts';
import { stageProviders, whoIs } from './testing/stage.ts';

const here = stageProviders();
const { signIn, recheck, grantOf } = stageRechecks(here);

it('a person who has left the provider is signed out without a new sign-in, and nobody else is, repeatedly', async () => {
  const [leaver, stayer] = [await signIn('r-leaver'), await signIn('r-stayer')];
  const before = await grantOf('r-stayer');
  const roles = (await whoIs(leaver))?.memberships;
  expect(roles).toHaveLength(1);
  for (let round = 0; round < 3; round += 1) expect(await recheck()).toMatchObject({ status: 'done' });
  // The provider accepts each token once and issues another one.
  expect((await grantOf('r-stayer'))?.equals(before ?? Buffer.alloc(0))).toBe(false);
  expect([(await whoIs(leaver))?.username, (await whoIs(stayer))?.username]).toEqual(['p-r-leaver', 'p-r-stayer']);

  here.corp.gone.add('r-leaver');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect([await whoIs(leaver), (await whoIs(stayer))?.username]).toEqual([undefined, 'p-r-stayer']);
  const user = await here.findUser('p-r-leaver');
  const entries = await here.t.database.db
    .selectFrom('audit_log')
    .select(['action', 'actor_kind', 'actor_name'])
    .where('resource_id', '=', user?.id ?? '')
    .where('action', '=', 'user.gone')
    .execute();
  expect(entries).toEqual([{ action: 'user.gone', actor_kind: 'system', actor_name: 'oidc/corp' }]);
  // A provider may refuse a token for its own reasons: the person keeps their rights for when they are back.
  const { db } = here.t.database;
  const kept = await db
    .selectFrom('memberships')
    .select('role')
    .where('user_id', '=', user?.id ?? '')
    .execute();
  expect(kept).toEqual([{ role: 'editor' }]);
  expect(await grantOf('r-leaver')).toBeUndefined();

  here.corp.gone.clear();
  const back = await signIn('r-leaver');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(back))?.username).toBe('p-r-leaver');
});

it('nothing changes if the provider does not answer or does not accept our credentials', async () => {
  const browser = await signIn('r-kept');
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE, client_secret: 'another' });
  here.corp.gone.add('r-kept');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-kept');
  here.corp.faults.set(DISCOVERY, 'failing');
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE });
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-kept');
});

it.each([
  ['provider', () => ({ issuer: here.other.issuer }), undefined],
  ['client', () => ({ issuer: here.corp.issuer, client_id: 'another' }), 'p-r-elsewhere'],
])('a token of another %s is sent to nobody and deleted', async (_name, change, whoStays) => {
  const browser = await signIn('r-elsewhere');
  const redeemed = () => [here.corp, here.other].map((one) => one.requests.filter((path) => path === '/token').length);
  const before = redeemed();
  await here.configure('corp', { ...change(), ...OFFLINE });
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(redeemed()).toEqual(before);
  expect(await grantOf('r-elsewhere')).toBeUndefined();
  expect((await whoIs(browser))?.username).toBe(whoStays);
});

it.each([
  ['its scopes name no offline_access any more', {}, 'p-r-unasked'],
  ['it is switched off', { ...OFFLINE, enabled: false }, undefined],
])('a provider is not asked, and its tokens are deleted, if %s', async (_name, change, whoStays) => {
  const browser = await signIn('r-unasked');
  expect(await grantOf('r-unasked')).toBeDefined();
  await here.configure('corp', { issuer: here.corp.issuer, ...change });
  here.corp.gone.add('r-unasked');
  const before = here.corp.requests.length;
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(here.corp.requests).toHaveLength(before);
  expect(await grantOf('r-unasked')).toBeUndefined();
  expect((await whoIs(browser))?.username).toBe(whoStays);
});

it("unavailable keys prevent no recheck, and lose nobody's replacement token", async () => {
  const browser = await signIn('r-keys');
  here.corp.faults.set('/jwks', 'failing');
  const before = here.corp.requests.length;
  for (let round = 0; round < 2; round += 1) expect(await recheck()).toMatchObject({ status: 'done' });
  expect(here.corp.requests.slice(before)).not.toContain('/jwks');
  expect((await whoIs(browser))?.username).toBe('p-r-keys');
  here.corp.gone.add('r-keys');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(await whoIs(browser)).toBeUndefined();
});

it('a provider that answers again is trusted, and its earlier silence does not count', async () => {
  const browser = await signIn('r-recovered');
  here.corp.faults.set('/token', 'failing');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  here.corp.faults.clear();
  expect(await recheck()).toMatchObject({ status: 'done' });
  here.corp.gone.add('r-recovered');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(await whoIs(browser)).toBeUndefined();
});

it('a provider that does not answer is asked once, and not for each person', async () => {
  for (const sub of ['r-slow-1', 'r-slow-2', 'r-slow-3']) await signIn(sub);
  here.corp.faults.set('/token', 'failing');
  const before = here.corp.requests.length;
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(here.corp.requests.slice(before).filter((path) => path === '/token')).toHaveLength(1);
});

/** Runs `work` once, between the request to the provider and its answer. */
function meanwhile(work: () => Promise<unknown>): void {
  here.corp.before = async (path) => {
    if (path !== '/token') return;
    here.corp.before = async () => {};
    await work();
  };
}

it("secrets that are encrypted again while the provider is asked lose nobody's grant", async () => {
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE, timeout_ms: 30_000 });
  const browser = await signIn('r-resealed');
  const before = await grantOf('r-resealed');
  let resealed: Buffer | undefined;
  meanwhile(async () => {
    const begun = await here.t.owner.call('POST', '/api/v3/setting/keys/rotate', { which: 'data' });
    expect(begun.status).toBe(202);
    await vi.waitFor(async () => {
      resealed = await grantOf('r-resealed');
      expect(resealed).not.toEqual(before);
    }, WAIT);
  });
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(resealed).toBeDefined();
  expect(await grantOf('r-resealed')).not.toEqual(resealed);
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(browser))?.username).toBe('p-r-resealed');
});

it.each([
  ['with a clock that is behind', (seen: Date) => new Date(seen.getTime() - 60_000)],
  ['at the very time of the sign-in before', (seen: Date) => seen],
])(
  'a person who signs in again while the provider is asked keeps the session and the grant, %s',
  async (_name, clock) => {
    const first = await signIn('r-again');
    const { id } = await whoIs(first);
    const { db } = here.t.database;
    const { last_seen_at: seen } = await db
      .selectFrom('external_identities')
      .select('last_seen_at')
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow();
    let second: TestBrowser | undefined;
    meanwhile(async () => {
      second = await signIn('r-again');
      await db
        .updateTable('external_identities')
        .set({ last_seen_at: clock(seen) })
        .where('user_id', '=', id)
        .execute();
      here.corp.gone.add('r-again');
    });
    expect(await recheck()).toMatchObject({ status: 'done' });
    if (!second) throw new Error('the provider was not asked');
    expect((await whoIs(second))?.username).toBe('p-r-again');
    here.corp.gone.clear();
    expect(await grantOf('r-again')).toBeDefined();
    expect(await recheck()).toMatchObject({ status: 'done' });
    here.corp.gone.add('r-again');
    expect(await recheck()).toMatchObject({ status: 'done' });
    expect(await whoIs(second)).toBeUndefined();
  },
);

it("a sign-in without a new grant outdates the provider's answer about the previous one", async () => {
  const browser = await signIn('r-same');
  const { id } = await whoIs(browser);
  here.corp.gone.add('r-same');
  meanwhile(() =>
    here.t.database.db
      .updateTable('external_identities')
      .set({ last_seen_at: new Date(0) })
      .where('user_id', '=', id)
      .execute(),
  );
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(browser))?.username).toBe('p-r-same');
});

it('nothing changes if a provider does not know most people any more', async () => {
  const browsers: TestBrowser[] = [];
  for (let i = 0; i < 6; i += 1) browsers.push(await signIn(`r-many-${i}`));
  const { db } = here.t.database;
  await db
    .deleteFrom('provider_grants')
    .where('user_id', 'not in', await idsOf(6))
    .execute();
  for (let i = 0; i < 6; i += 1) here.corp.gone.add(`r-many-${i}`);
  // If it repeats the same answer, these people do not count as unanswered.
  for (let round = 0; round < 2; round += 1) {
    const job = await recheck();
    expect(job).toMatchObject({ status: 'done_with_errors' });
    expect(JSON.stringify(job)).toContain('6 of 6 people are not known any more');
  }
  for (const browser of browsers) expect(await whoIs(browser)).toBeDefined();
});

const idsOf = async (count: number) => {
  const users = await Promise.all(Array.from({ length: count }, (_, i) => here.findUser(`p-r-many-${i}`)));
  return users.map((user) => user?.id ?? '');
};

it('grants are encrypted, kept only for providers that are asked, and deleted with the account', async () => {
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
