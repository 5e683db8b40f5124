import { createId } from '@flotilla/kit';
import { expect, it } from 'vitest';
import type { TestBrowser } from './test-browser.ts';
import { stageRechecks } from './test-recheck.ts';
import { stageProviders, whoIs } from './test-stage.ts';

const here = stageProviders();
const { signIn, recheck, grantOf } = stageRechecks(here);

/** As if it had not been answered since then. */
async function ageGrant(sub: string, minutes: number): Promise<void> {
  const user = await here.findUser(`p-${sub}`);
  const { numUpdatedRows } = await here.t.database.db
    .updateTable('provider_grants')
    .set({ asked_at: new Date(Date.now() - minutes * 60_000) })
    .where('user_id', '=', user?.id ?? createId())
    .where('asked_at', 'is not', null)
    .executeTakeFirstOrThrow();
  expect(Number(numUpdatedRows)).toBe(1);
}

const askedAgain = () => here.corp.requests.filter((path) => path === '/token').length;

it('whose token was taken while no answer came is not gone: they stay for an hour, and are signed out then, as the record says', async () => {
  const browser = await signIn('r-unheard');
  here.corp.faults.set('/token', 'unheard');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  here.corp.faults.clear();
  for (let round = 0; round < 2; round += 1) expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  await ageGrant('r-unheard', 59);
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-unheard');

  await ageGrant('r-unheard', 60);
  const job = await recheck();
  expect(job).toMatchObject({ status: 'done_with_errors' });
  expect(JSON.stringify(job)).toContain('1 of them are signed out, since it has said nothing of them for an hour');
  expect([await whoIs(browser), await grantOf('r-unheard')]).toEqual([undefined, undefined]);
  const { id } = (await here.findUser('p-r-unheard')) ?? { id: '' };
  const { db } = here.t.database;
  const told = await db.selectFrom('audit_log').select('changes').where('resource_id', '=', id).execute();
  expect(told.at(-1)?.changes).toEqual({ realm: 'oidc/corp', ended: 1, because: 'unanswered' });
  const ended = await db.selectFrom('sessions').select('end_reason').where('user_id', '=', id).execute();
  expect(ended).toEqual([{ end_reason: 'unanswered_by_directory' }]);

  const back = await signIn('r-unheard');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(back))?.username).toBe('p-r-unheard');
  here.corp.gone.add('r-unheard');
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(await whoIs(back)).toBeUndefined();
});

it('a provider that answers nothing of anybody signs nobody out, for however long', async () => {
  const browser = await signIn('r-outage');
  here.corp.faults.set('/token', 'failing');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  await ageGrant('r-outage', 600);
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(browser))?.username).toBe('p-r-outage');
  here.corp.faults.clear();
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect((await whoIs(browser))?.username).toBe('p-r-outage');
});

it('whose token does not open here cannot be asked about either', async () => {
  const [lost, other] = [await signIn('r-unopened'), await signIn('r-opened')];
  const { id } = await whoIs(lost);
  const sealed_token = Buffer.from((await grantOf('r-opened')) ?? Buffer.alloc(0));
  await here.t.database.db.updateTable('provider_grants').set({ sealed_token }).where('user_id', '=', id).execute();
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect((await whoIs(lost))?.username).toBe('p-r-unopened');
  await ageGrant('r-unopened', 60);
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect([await whoIs(lost), (await whoIs(other))?.username]).toEqual([undefined, 'p-r-opened']);
});

it('one whom the provider cannot answer about keeps nobody else from being asked about', async () => {
  const subs = ['r-poison-1', 'r-poison-2', 'r-poison-3'];
  const browsers = new Map<string, TestBrowser>();
  for (const sub of subs) browsers.set(sub, await signIn(sub));
  const ids = await Promise.all(subs.map(async (sub) => ({ sub, id: (await here.findUser(`p-${sub}`))?.id ?? '' })));
  const [first, second] = ids.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ sub }) => sub);
  if (first === undefined || second === undefined) throw new Error('there are three');
  here.corp.faults.set('/token', 'unheard');
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  here.corp.faults.clear();
  // It answers of whoever is asked about before.
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
  await ageGrant(first, 60);
  here.corp.faults.clear();
  before = askedAgain() - 1;
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(await whoIs(browsers.get(first) ?? here.openBrowser())).toBeUndefined();
});
