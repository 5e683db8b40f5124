import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createTestController,
  openController,
  type TestCaller,
  type TestController,
} from '../../../testing/controller.ts';

const MASTER = { SVC_MASTER_KEY: '5'.repeat(64) };
const DOCUMENT = '/api/v3/setting/documents/tokens';
const WAIT = { interval: 50 };
const DAY_MS = 86_400_000;

let t: TestController;
let other: Awaited<ReturnType<typeof openController>>;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController(MASTER);
  other = await openController(t.database, MASTER);
  admin = await t.createMember('admin');
});
afterAll(async () => {
  await other.close();
  await t.close();
});

const url = (suffix = '', query = '') => `/api/v3/setting/tokens${suffix}?project=${t.project}${query}`;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const token = (name: string, more: object = {}) => ({ name, role: 'viewer', ...more });

/** Changes the rules and waits until both controllers apply them without a restart. */
async function setRules(
  rules: object,
  seen: (view: { families: unknown; expires_at: unknown; code?: string }) => void,
) {
  const answer = await t.owner.call('PUT', DOCUMENT, rules);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  for (const app of [t.app, other.controller.app]) {
    await vi.waitFor(async () => {
      const tried = await app.inject({
        method: 'POST',
        url: url('', '&dry_run=true'),
        headers: { authorization: `Bearer ${admin.token}` },
        payload: token('probe'),
      });
      seen(tried.json());
    }, WAIT);
  }
}

const BOUND = { longest_days: 30 };
const isBound = ({ code }: { code?: string }) => expect(code).toBe('token.too_long');
const isFree = (view: object) => expect(view).toMatchObject({ expires_at: null, families: null });

describe('the rules of new API tokens', () => {
  it('limit nothing until an owner of the installation sets them, and only owners can', async () => {
    expect((await t.owner.call('GET', DOCUMENT)).body).toMatchObject({
      revision: 0,
      value: { longest_days: null, default_days: null, default_families: [] },
    });
    expect((await admin.call('POST', url(), token('endless'))).body).toMatchObject({
      expires_at: null,
      families: null,
    });
    const tried = await admin.call('PUT', `${DOCUMENT}?project=${t.project}`, { longest_days: 3650 });
    expect(tried.body.code).toBe('owner.required');
    const crossed = await t.owner.call('PUT', DOCUMENT, { longest_days: 10, default_days: 11 });
    expect(crossed.body).toMatchObject({ code: 'request.invalid', details: [{ path: 'default_days' }] });
    for (const odd of [{ longest_days: 0 }, { default_families: ['all'] }, { default_families: ['jobs', 'jobs'] }]) {
      expect((await t.owner.call('PUT', DOCUMENT, odd)).body.code, JSON.stringify(odd)).toBe('request.invalid');
    }
  });

  it('refuse an expiry that is too far ahead or missing, at the field, with the allowed value', async () => {
    await setRules(BOUND, isBound);
    for (const more of [{}, { expires_at: null }, { expires_at: inDays(31) }]) {
      const { status, body } = await admin.call('POST', url(), token('long', more));
      expect(status, JSON.stringify(more)).toBe(400);
      expect(body).toMatchObject({ code: 'token.too_long', details: [{ path: 'expires_at', rule: 'longest' }] });
      const latest = /to (\S+Z) or earlier/.exec(body.message)?.[1];
      const fits = await admin.call('POST', url('', '&dry_run=true'), token('fits', { expires_at: latest }));
      expect(fits.body).toMatchObject({ dry_run: true, expires_at: latest });
    }
    const { body } = await admin.call('GET', url());
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['endless']);
    // Counted in whole days by a clock that is slightly ahead.
    const ahead = new Date(Date.now() + 30 * DAY_MS + 60_000).toISOString();
    expect((await admin.call('POST', url(), token('ahead', { expires_at: ahead }))).status).toBe(201);
    await setRules({}, isFree);
  });

  it('do not affect existing tokens until they are rotated or get another expiry', async () => {
    const made = (await admin.call('POST', url(), token('older', { expires_at: inDays(300) }))).body;
    const works = async (secret: string) =>
      (await t.app.inject({ url: '/api/v3/profile', headers: { authorization: `Bearer ${secret}` } })).statusCode;
    await setRules(BOUND, isBound);
    expect(await works(made.token)).toBe(200);
    const change = (body: object) => admin.call('PATCH', url(`/${made.id}`), body);
    const rotate = () => admin.call('POST', url(`/${made.id}/rotate`), { overlap_s: 0 });
    expect((await change({ name: 'renamed', expires_at: made.expires_at })).status).toBe(200);
    expect((await change({ expires_at: inDays(200) })).body).toMatchObject({
      code: 'token.too_long',
      details: [{ path: 'expires_at' }],
    });
    const refused = await rotate();
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'token.end_first', details: [{ path: 'expires_at' }] },
    });
    expect(await works(made.token)).toBe(200);
    expect((await change({ expires_at: inDays(20) })).status).toBe(200);
    const turned = await rotate();
    expect(turned.status).toBe(200);
    expect([await works(made.token), await works(turned.body.token)]).toEqual([401, 200]);
    await setRules({}, isFree);
  });

  it('supply values that the creator omits, and do not override given ones', async () => {
    const rules = { longest_days: 30, default_days: 7, default_families: ['services', 'events'] };
    await setRules(rules, ({ families }) => expect(families).toEqual(['services', 'events']));
    const usual = (await admin.call('POST', url(), token('usual'))).body;
    expect(usual.families).toEqual(['services', 'events']);
    expect(Date.parse(usual.expires_at) - Date.parse(usual.created_at)).toBe(7 * DAY_MS);
    const called = await t.app.inject({ url: url(), headers: { authorization: `Bearer ${usual.token}` } });
    expect(called.json().code).toBe('token.scope');
    const all = await admin.call('POST', url(), token('all', { families: null, expires_at: inDays(20) }));
    expect(all.body.families).toBeNull();
    expect((await admin.call('POST', url(), token('none', { expires_at: null }))).body.code).toBe('token.too_long');
    const one = await admin.call('POST', url(), token('one', { families: ['jobs'] }));
    expect(one.body.families).toEqual(['jobs']);
    const { changes } = await t.database.db
      .selectFrom('audit_log')
      .select('changes')
      .where('action', '=', 'api_token.create')
      .where('resource_id', '=', usual.id)
      .executeTakeFirstOrThrow();
    expect(changes).toMatchObject({ families: ['services', 'events'], expires_at: usual.expires_at });
    await setRules({}, isFree);
  });
});
