import { expect, it } from 'vitest';
import type { TestBrowser } from './testing/browser.ts';
import { DISCOVERY, OFFLINE, stageRechecks } from './testing/recheck.ts';
import { stageProviders, whoIs } from './testing/stage.ts';

const here = stageProviders();
const { signIn, recheck, grantOf, ageGrant } = stageRechecks(here);

const askedAgain = () => here.corp.requests.filter((path) => path === '/token').length;

it('a person whose token was used up without an answer is not gone: they stay for an hour and are then signed out, as the audit log says', async () => {
  const browser = await signIn('r-unheard');
  here.corp.faults.set('/token', 'unheard');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  here.corp.faults.clear();
  for (let round = 0; round < 2; round += 1) expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(await ageGrant('r-unheard', 59)).toBe(true);
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-unheard');

  expect(await ageGrant('r-unheard', 60)).toBe(true);
  const job = await recheck();
  expect(job).toMatchObject({ status: 'done_with_errors' });
  expect(JSON.stringify(job)).toContain('1 of them are signed out, since it has said nothing of them for an hour');
  expect([await whoIs(browser), await grantOf('r-unheard')]).toEqual([undefined, undefined]);
  const { id } = (await here.findUser('p-r-unheard')) ?? { id: '' };
  const { db } = here.t.database;
  const entries = await db.selectFrom('audit_log').select('changes').where('resource_id', '=', id).execute();
  expect(entries.at(-1)?.changes).toEqual({ realm: 'oidc/corp', ended: 1, because: 'unanswered' });
  const ended = await db.selectFrom('sessions').select('end_reason').where('user_id', '=', id).execute();
  expect(ended).toEqual([{ end_reason: 'unanswered_by_directory' }]);

  const back = await signIn('r-unheard');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(back))?.username).toBe('p-r-unheard');
  here.corp.gone.add('r-unheard');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(await whoIs(back)).toBeUndefined();
});

it('a provider that answers about nobody signs nobody out, however long that lasts', async () => {
  const browser = await signIn('r-outage');
  here.corp.faults.set('/token', 'failing');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(await ageGrant('r-outage', 600)).toBe(true);
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-outage');
  here.corp.faults.clear();
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(browser))?.username).toBe('p-r-outage');
});

it('a person whose token cannot be decrypted cannot be asked about', async () => {
  const [lost, other] = [await signIn('r-unopened'), await signIn('r-opened')];
  const { id } = await whoIs(lost);
  const sealed_token = Buffer.from((await grantOf('r-opened')) ?? Buffer.alloc(0));
  await here.t.database.db.updateTable('provider_grants').set({ sealed_token }).where('user_id', '=', id).execute();
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(lost))?.username).toBe('p-r-unopened');
  expect(await ageGrant('r-unopened', 60)).toBe(true);
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect([await whoIs(lost), (await whoIs(other))?.username]).toEqual([undefined, 'p-r-opened']);
});

it('a person about whom the provider cannot answer does not prevent questions about others', async () => {
  const subs = ['r-poison-1', 'r-poison-2', 'r-poison-3'];
  const browsers = new Map<string, TestBrowser>();
  for (const sub of subs) browsers.set(sub, await signIn(sub));
  here.corp.faults.set('/token', 'unheard');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  here.corp.faults.clear();
  const marks = await Promise.all(subs.map(async (sub) => ({ sub, isMarked: await ageGrant(sub, 0) })));
  const first = marks.find(({ isMarked }) => isMarked)?.sub;
  const second = marks.find(({ isMarked }) => !isMarked)?.sub;
  if (first === undefined || second === undefined) throw new Error('it was asked about one of three');
  // It answers about everybody asked before this person.
  here.corp.gone.add(second);
  let before = askedAgain();
  here.corp.before = async (path) => {
    if (path === '/token' && askedAgain() - before === 3) here.corp.faults.set('/token', 'failing');
  };
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect([
    await whoIs(browsers.get(second) ?? here.openBrowser()),
    (await whoIs(browsers.get(first) ?? here.openBrowser()))?.username,
  ]).toEqual([undefined, `p-${first}`]);
  expect(await ageGrant(first, 60)).toBe(true);
  here.corp.faults.clear();
  before = askedAgain() - 1;
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(await whoIs(browsers.get(first) ?? here.openBrowser())).toBeUndefined();
});

/** Creates two people: the provider has said nothing about one for long, and was not asked about the other. */
async function missOne() {
  const subs = ['r-missed-1', 'r-missed-2'];
  const browsers = new Map<string, TestBrowser>();
  for (const sub of subs) browsers.set(sub, await signIn(sub));
  here.corp.faults.set('/token', 'failing');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  for (const sub of subs) {
    const browser = browsers.get(sub);
    if (browser && (await ageGrant(sub, 600))) return { sub, browser, other: subs.find((one) => one !== sub) ?? '' };
  }
  throw new Error('it was asked about nobody');
}

/** Every token request from the nth on meets the fault, up to but not including `until`. */
function failFrom(nth: number, fault: 'failing' | 'limited', until = Number.POSITIVE_INFINITY): void {
  const before = askedAgain();
  here.corp.faults.clear();
  here.corp.before = async (path) => {
    if (path !== '/token') return;
    const at = askedAgain() - before;
    if (at >= nth && at < until) here.corp.faults.set('/token', fault);
    else here.corp.faults.clear();
  };
}

it('an outage does not count: a person who is missing afterwards has an hour from then on', async () => {
  const { sub, browser, other } = await missOne();
  // It is still unreachable, then returns for everybody but one, who is asked about last.
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  here.corp.faults.clear();
  await signIn(other);
  failFrom(2, 'failing');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe(`p-${sub}`);
  expect(await ageGrant(sub, 60)).toBe(true);
  failFrom(2, 'failing');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(await whoIs(browser)).toBeUndefined();
});

it('a provider whose discovery fails is treated as unreachable', async () => {
  const { sub, browser } = await missOne();
  here.corp.faults.set(DISCOVERY, 'failing');
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE });
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  here.corp.faults.clear();
  await here.configure('corp', { issuer: here.corp.issuer, ...OFFLINE });
  failFrom(2, 'failing');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe(`p-${sub}`);
});

it('one missed answer after a long pause signs nobody out', async () => {
  const { sub, browser } = await missOne();
  // The requests: the other person, this person, this person again.
  failFrom(2, 'failing', 3);
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(browser))?.username).toBe(`p-${sub}`);
  expect(await ageGrant(sub, 600)).toBe(false);
});

it('a provider that is rate-limited has answered about nobody, and a person who is then gone is signed out', async () => {
  const { sub, browser } = await missOne();
  failFrom(2, 'limited');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe(`p-${sub}`);

  failFrom(3, 'limited');
  expect(await recheck()).toMatchObject({ status: 'done' });
  failFrom(1, 'limited');
  const before = askedAgain();
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(askedAgain() - before).toBe(1);
  here.corp.before = async () => {};
  here.corp.faults.clear();
  for (const one of ['r-missed-1', 'r-missed-2']) here.corp.gone.add(one);
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(await whoIs(browser)).toBeUndefined();
});

it('many people without an answer neither protect a person who is gone nor leave all at once', async () => {
  const subs = Array.from({ length: 12 }, (_, i) => `r-mass-${i}`);
  const browsers = new Map<string, TestBrowser>();
  for (const sub of subs) browsers.set(sub, await signIn(sub));
  const lost = subs.slice(0, 7);
  const { db } = here.t.database;
  const other = Buffer.from((await grantOf('r-mass-11')) ?? Buffer.alloc(0));
  for (const sub of lost) {
    const { id } = await whoIs(browsers.get(sub) ?? here.openBrowser());
    await db.updateTable('provider_grants').set({ sealed_token: other }).where('user_id', '=', id).execute();
  }
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  for (const sub of lost) expect(await ageGrant(sub, 60)).toBe(true);
  here.corp.gone.add('r-mass-8');
  const job = await recheck();
  expect(JSON.stringify(job)).toContain(
    'it says nothing of 7 of 12 people, and of 7 of them for an hour; for so many at once nothing is changed',
  );
  const here12 = await Promise.all(
    subs.map(async (sub) => (await whoIs(browsers.get(sub) ?? here.openBrowser())) && sub),
  );
  expect(here12.filter(Boolean)).toEqual(subs.filter((sub) => sub !== 'r-mass-8'));
});

it('a provider that answers about one person per run is eventually asked about everybody', async () => {
  const browsers = new Map<string, TestBrowser>();
  for (const sub of ['r-turn-1', 'r-turn-2', 'r-turn-3']) browsers.set(sub, await signIn(sub));
  const ids = await Promise.all(
    [...browsers].map(async ([sub, browser]) => ({ sub, browser, id: (await whoIs(browser)).id as string })),
  );
  for (const { sub, browser } of ids.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, 2)) {
    here.corp.gone.add(sub);
    // The order is random; being missed in 80 runs would not be.
    for (let run = 0; run < 80 && (await whoIs(browser)); run += 1) {
      failFrom(2, 'limited');
      await recheck();
    }
    expect(await whoIs(browser)).toBeUndefined();
  }
}, 120_000);
