import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTwoControllers, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { codeOf, turnFactorOn } from '../second-factor/testing/factor.ts';

const DOCUMENTS = '/api/v3/setting/documents';
const WAIT = { interval: 50 };
const DAY_MS = 24 * 3600_000;

let both: Awaited<ReturnType<typeof createTwoControllers>>;
let t: TestController;
beforeAll(async () => {
  both = await createTwoControllers('5'.repeat(64));
  ({ t } = both);
});
afterAll(() => both?.close());

const setRules = async (rules: object) => {
  const answer = await t.owner.call('PATCH', `${DOCUMENTS}/sign_in`, rules);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
};

/** Both controllers, neither of which is restarted. */
const apps = () => [t.app, both.other.app];

describe('the sign-in rules', () => {
  it('are those in the documentation until an owner changes them, and only owners can', async () => {
    expect((await t.owner.call('GET', `${DOCUMENTS}/sign_in`)).body).toMatchObject({
      revision: 0,
      value: {
        otp_enforced: false,
        password_min_length: 12,
        free_attempts: 5,
        longest_wait_s: 900,
        session_days: 30,
        browser_idle_days: 7,
      },
    });
    const admin = await t.createMember('admin');
    const tried = await admin.call('PATCH', `${DOCUMENTS}/sign_in?project=${t.project}`, { password_min_length: 64 });
    expect([tried.status, tried.body.code]).toEqual([403, 'owner.required']);
    const weaker = await t.owner.call('PATCH', `${DOCUMENTS}/sign_in`, { password_min_length: 8 });
    expect([weaker.status, weaker.body.code]).toEqual([400, 'request.invalid']);
  });

  it('set the length of passwords on every controller', async () => {
    await setRules({ password_min_length: 20 });
    for (const app of apps()) {
      await vi.waitFor(async () => {
        const answer = await app.inject({
          method: 'POST',
          url: '/api/v3/setting/users?dry_run=true',
          headers: { authorization: `Bearer ${t.owner.token}` },
          payload: { username: 'short', password: 'nineteen letters ok' },
        });
        expect(answer.json()).toMatchObject({
          code: 'password.weak',
          message: expect.stringContaining('20 characters'),
        });
        // Sign-in pages show it before anybody types a password.
        expect((await app.inject({ url: '/auth/realms' })).json().password_min_length).toBe(20);
      }, WAIT);
    }
    await setRules({ password_min_length: 12 });
  });

  it('set the lifetime of new sessions', async () => {
    const member = await t.createMember('viewer');
    await setRules({ session_days: 2, browser_idle_days: 1 });
    const { username, password } = member;
    await vi.waitFor(async () => {
      const answer = await t.app.inject({
        method: 'POST',
        url: '/auth/browser/login',
        payload: { username, password },
      });
      const ages = [answer.headers['set-cookie']].flat().map((one) => Number(/Max-Age=(\d+)/.exec(String(one))?.[1]));
      expect(Math.max(...ages)).toBe((2 * DAY_MS) / 1000);
      const id = String(answer.json().user.id);
      const row = await t.database.db
        .selectFrom('sessions')
        .select(['created_at', 'expires_at'])
        .where('user_id', '=', id)
        .orderBy('created_at', 'desc')
        .executeTakeFirstOrThrow();
      expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(2 * DAY_MS);
    }, WAIT);
    expect((await member.call('GET', '/api/v3/profile')).status).toBe(200);
    await setRules({ session_days: 30, browser_idle_days: 7 });
  });

  it('set the number of free failures', async () => {
    await setRules({ free_attempts: 3 });
    await vi.waitFor(async () => {
      const member = await t.createMember('viewer');
      const codes: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        const payload = { username: member.username, password: 'wrong' };
        const remoteAddress = '203.0.113.9';
        const answer = await t.app.inject({ method: 'POST', url: '/auth/login', payload, remoteAddress });
        codes.push(answer.json().code);
      }
      expect(codes.slice(0, 3)).toEqual(Array(3).fill('auth.wrong_credentials'));
      expect(codes[3]).toBe('auth.throttled');
    }, WAIT);
    await setRules({ free_attempts: 5 });
  });
});

describe('the requirement of a second factor', () => {
  const enforcedAt = async (caller: TestCaller, query = '') =>
    (await caller.call('GET', `/api/v3/setting/otp-config${query}`)).body.otp_enforced;
  const isAsked = async ({ username, password }: TestCaller) =>
    (await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } })).json().code;

  it('is one document with two addresses, for a project and for the installation', async () => {
    const project = `?project=${t.project}`;
    const admin = await t.createMember('admin');
    const { secret } = await turnFactorOn(admin);
    const member = await t.createMember('viewer');
    await admin.call('PUT', `/api/v3/setting/otp-config${project}`, { otp_enforced: true });
    expect((await admin.call('GET', `${DOCUMENTS}/otp${project}`)).body).toMatchObject({
      value: { otp_enforced: true },
      revision: 1,
    });
    const read = () => member.call('GET', `/api/v3/xds/clusters${project}`);
    expect((await read()).body.code).toBe('project.factor_required');
    expect(await isAsked(member)).toBeUndefined();
    await admin.call('PUT', `${DOCUMENTS}/otp${project}`, {});
    expect(await enforcedAt(admin, project)).toBe(false);
    await vi.waitFor(async () => expect((await read()).status).toBe(200));
    const off = { password: admin.password, otp_code: codeOf(secret, 1) };
    expect((await admin.call('POST', '/api/v3/profile/otp/disable', off)).status).toBe(204);
    await setRules({ otp_enforced: true, password_min_length: 14 });
    expect(await enforcedAt(t.owner)).toBe(true);
    expect(await isAsked(admin)).toBe('auth.factor_required');
    await t.owner.call('PUT', '/api/v3/setting/otp-config', { otp_enforced: false });
    const { value } = (await t.owner.call('GET', `${DOCUMENTS}/sign_in`)).body;
    expect(value).toMatchObject({ otp_enforced: false, password_min_length: 14 });
    expect(await isAsked(admin)).toBeUndefined();
  });

  it('is decided by the admins of a project for that project only', async () => {
    const [mine, theirs] = [await t.createProject('mine'), await t.createProject('theirs')];
    const [admin, neighbour] = [await t.createMember('admin', mine), await t.createMember('viewer', theirs)];
    const put = (query: string) => admin.call('PUT', `/api/v3/setting/otp-config${query}`, { otp_enforced: true });
    expect((await put(`?project=${theirs}`)).body.code).toBe('project.forbidden');
    expect((await put('')).body.code).toBe('project.missing');
    expect((await put(`?project=${mine}`)).status).toBe(200);
    expect([await isAsked(admin), await isAsked(neighbour)]).toEqual([undefined, undefined]);
    expect((await put(`?project=${mine}`)).body.code).toBe('project.factor_required');
    expect((await neighbour.call('GET', '/api/v3/profile/otp/status')).body.otp_enforced).toBe(false);
  });
});
