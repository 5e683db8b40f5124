import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

let t: TestController;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
});
afterAll(() => t.close());

const url = (suffix = '') => `/api/v3/setting/tokens${suffix}?project=${t.project}`;
const use = (token: string, method: 'GET' | 'POST', path: string, payload?: object) =>
  t.app.inject({ method, url: path, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) });

async function lastAudit(action: string) {
  const row = await t.database.db
    .selectFrom('audit_log')
    .select('changes')
    .where('action', '=', action)
    .where('outcome', '=', 'done')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return { audits: row.changes };
}

describe('API tokens', () => {
  it('are shown once, stored as a digest, work in their project and end at once', async () => {
    const made = await admin.call('POST', url(), { name: 'ci', role: 'admin' });
    expect(made.status).toBe(201);
    const { token, id, prefix } = made.body;
    expect(made.headers.location).toBe(`/api/v3/setting/tokens/${id}?project=${t.project}`);
    expect(token.startsWith(prefix)).toBe(true);
    const listed = await admin.call('GET', url());
    expect(JSON.stringify(listed.body)).not.toContain(token);
    const row = await t.database.db.selectFrom('api_tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(token);
    expect((await use(token, 'GET', '/api/v3/profile')).json()).toMatchObject({ kind: 'token', role: 'admin' });
    expect((await use(token, 'GET', url())).json().items[0].last_used_at).not.toBeNull();
    const other = await t.createProject('tokens-other');
    const foreign = await use(token, 'GET', `/api/v3/setting/tokens?project=${other}`);
    expect(foreign.json().code).toBe('project.forbidden');
    expect((await admin.call('DELETE', url(`/${id}`))).status).toBe(204);
    expect((await use(token, 'GET', '/api/v3/profile')).statusCode).toBe(401);
  });

  it('have no more rights than their creator', async () => {
    const answer = await admin.call('POST', url(), { name: 'high', role: 'owner' });
    expect(answer.body.code).toBe('role.too_high');
    expect((await t.owner.call('POST', url(), { name: 'high', role: 'owner' })).status).toBe(201);
  });

  it('cannot change accounts, memberships or tokens with any role', async () => {
    const { token } = (await t.owner.call('POST', url(), { name: 'strong', role: 'owner' })).body;
    const user = { username: 'backdoor', memberships: [{ project: t.project, role: 'owner' }] };
    const attempts = [
      await use(token, 'POST', url(), { name: 'child', role: 'viewer' }),
      await use(token, 'POST', `/api/v3/setting/users?project=${t.project}`, user),
      await use(token, 'POST', `/api/v3/setting/memberships?project=${t.project}`, {
        username: 'admin',
        role: 'viewer',
      }),
    ];
    for (const attempt of attempts) expect(attempt.json().code).toBe('auth.session_required');
    expect((await use(token, 'POST', '/logout')).json().code).toBe('auth.session_required');
    expect((await use(token, 'POST', '/refresh')).json().code).toBe('auth.wrong_kind');
    expect((await use(token, 'GET', '/api/v3/setting/projects')).json().code).toBe('owner.required');
  });

  it('have the current rights of their creator, and end with the creator', async () => {
    const maker = await t.createMember('admin');
    const made = await maker.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
      name: 'follows',
      role: 'admin',
    });
    expect(made.status).toBe(201);
    const services = async () =>
      (
        await t.app.inject({
          url: `/api/op/services?project=${t.project}`,
          headers: { authorization: `Bearer ${made.body.token}` },
        })
      ).statusCode;
    const readCreatorState = async () => {
      const { body } = await admin.call('GET', url());
      return body.items.find(({ id }: { id: string }) => id === made.body.id).maker;
    };
    expect(await services()).toBe(200);
    const { db } = t.database;
    await db.updateTable('memberships').set({ role: 'viewer' }).where('user_id', '=', maker.userId).execute();
    expect(await services()).toBe(403);
    expect(await readCreatorState()).toBe('active');
    await db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', maker.userId).execute();
    await db.updateTable('users').set({ active: false }).where('id', '=', maker.userId).execute();
    expect(await services()).toBe(401);
    expect(await readCreatorState()).toBe('inactive');
    await db.updateTable('users').set({ active: true }).where('id', '=', maker.userId).execute();
    await db.deleteFrom('memberships').where('user_id', '=', maker.userId).execute();
    expect(await services()).toBe(401);
    expect(await readCreatorState()).toBe('not_a_member');
    await db.updateTable('users').set({ is_owner: true }).where('id', '=', maker.userId).execute();
    expect(await services()).toBe(200);
    expect(await readCreatorState()).toBe('active');
    await db.deleteFrom('users').where('id', '=', maker.userId).execute();
    expect(await services()).toBe(401);
    expect(await readCreatorState()).toBe('deleted');
  });

  it('expire at their expiry time', async () => {
    const past = await admin.call('POST', url(), { name: 'past', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' });
    expect(past.body.code).toBe('token.expiry_past');
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const { token, id } = (await admin.call('POST', url(), { name: 'soon', role: 'viewer', expires_at: soon })).body;
    expect((await use(token, 'GET', '/api/v3/profile')).statusCode).toBe(200);
    await t.database.db
      .updateTable('api_tokens')
      .set({ expires_at: new Date(0) })
      .where('id', '=', id)
      .execute();
    expect((await use(token, 'GET', '/api/v3/profile')).json().code).toBe('auth.expired');
  });

  it('can only call routes of their scopes, and read their own identity', async () => {
    const body = { name: 'narrow', role: 'admin', families: ['services'] };
    const { token, families } = (await admin.call('POST', url(), body)).body;
    expect(families).toEqual(['services']);
    const status = async (path: string) => (await use(token, 'GET', `${path}?project=${t.project}`)).statusCode;
    expect(await status('/api/op/services')).toBe(200);
    expect((await use(token, 'GET', '/api/v3/profile')).json()).toMatchObject({ kind: 'token', name: 'narrow' });
    const refused = await use(token, 'GET', url());
    expect(refused.json()).toMatchObject({ code: 'token.scope', family: 'identity' });
    const mixed = await use(token, 'GET', `/api/v3/overview?project=${t.project}`);
    expect(mixed.json()).toMatchObject({ code: 'token.scope', family: null });
    for (const families of [[], ['services', 'services'], ['everything']]) {
      expect((await admin.call('POST', url(), { ...body, name: 'odd', families })).status).toBe(400);
    }
  });

  it('can be narrowed, but never widened', async () => {
    const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();
    const { id, token } = (await admin.call('POST', url(), { name: 'shrinks', role: 'viewer' })).body;
    const change = (body: object) => admin.call('PATCH', url(`/${id}`), body);
    expect((await change({ families: ['services', 'policies'], expires_at: day(9) })).status).toBe(200);
    expect((await change({ families: ['services'], expires_at: day(2), name: 'shrunk' })).body).toMatchObject({
      name: 'shrunk',
      families: ['services'],
    });
    for (const body of [{ families: null }, { families: ['services', 'policies'] }, { families: ['audit'] }]) {
      expect((await change(body)).body).toMatchObject({ code: 'token.wider' });
    }
    for (const expires_at of [null, day(3)]) expect((await change({ expires_at })).body.code).toBe('token.wider');
    expect((await change({ expires_at: day(-1) })).body.code).toBe('token.expiry_past');
    expect((await use(token, 'GET', `/api/v3/setting/users?project=${t.project}`)).json().code).toBe('token.scope');
    const { audits } = await lastAudit('api_token.update');
    const expected = [
      { path: 'name', change: 'changed', before: 'shrinks', after: 'shrunk' },
      { path: 'families[1]', change: 'removed', before: 'services' },
    ];
    expect(audits).toMatchObject({ diff: expect.arrayContaining(expected) });
  });

  it('have two secrets during a rotation, and one afterwards', async () => {
    const { id, token: first } = (await admin.call('POST', url(), { name: 'turns', role: 'admin' })).body;
    const rotate = (overlap_s: number) => admin.call('POST', url(`/${id}/rotate`), { overlap_s });
    const status = async (token: string) => (await use(token, 'GET', '/api/v3/profile')).statusCode;
    const turned = await rotate(3600);
    expect(turned.status).toBe(200);
    const second = turned.body.token as string;
    expect(await Promise.all([status(first), status(second)])).toEqual([200, 200]);
    expect(turned.body.secrets).toMatchObject([
      { prefix: second.slice(0, 10), expires_at: null },
      { prefix: first.slice(0, 10), expires_at: expect.any(String) },
    ]);
    expect((await rotate(3600)).body.code).toBe('token.overlap');
    const { db } = t.database;
    await db
      .updateTable('token_secrets')
      .set({ expires_at: new Date(0) })
      .where('token_id', '=', id)
      .where('expires_at', 'is not', null)
      .execute();
    expect(await Promise.all([status(first), status(second)])).toEqual([401, 200]);
    expect((await admin.call('GET', url(`/${id}`))).body.secrets).toHaveLength(1);
    const third = (await rotate(3600)).body.token as string;
    const fourth = (await rotate(0)).body.token as string;
    expect(await Promise.all([first, second, third, fourth].map(status))).toEqual([401, 401, 401, 200]);
    const rows = await db.selectFrom('token_secrets').select('id').where('token_id', '=', id).execute();
    expect(rows).toHaveLength(1);
    expect((await rotate(7 * 86_400 + 1)).status).toBe(400);
    expect((await use(fourth, 'POST', url(`/${id}/rotate`), { overlap_s: 0 })).json().code).toBe(
      'auth.session_required',
    );
    expect((await admin.call('DELETE', url(`/${id}`))).status).toBe(204);
    expect(await db.selectFrom('token_secrets').select('id').where('token_id', '=', id).execute()).toEqual([]);
  });

  it('rotated by another person do not keep an old secret alive longer than its holder, or with more rights than the other person', async () => {
    const leaver = await t.createMember('admin');
    const of = `?project=${t.project}`;
    const made = await leaver.call('POST', `/api/v3/setting/tokens${of}`, { name: 'inherited', role: 'admin' });
    const turned = await admin.call('POST', url(`/${made.body.id}/rotate`), { overlap_s: 3600 });
    expect(turned.body).toMatchObject({ created_by: leaver.username, issued_to: admin.username, maker: 'active' });
    const status = async (token: string) => (await use(token, 'GET', '/api/v3/profile')).statusCode;
    expect(await status(made.body.token)).toBe(200);
    await t.database.db.deleteFrom('memberships').where('user_id', '=', leaver.userId).execute();
    expect([await status(made.body.token), await status(turned.body.token)]).toEqual([401, 200]);
    const high = (await t.owner.call('POST', url(), { name: 'higher', role: 'owner' })).body;
    const taken = await admin.call('POST', url(`/${high.id}/rotate`), { overlap_s: 0 });
    expect(taken.body.code).toBe('role.too_high');
    expect(await status(high.token)).toBe(200);
  });

  it('are rotated once if two people rotate them at the same time', async () => {
    const { id } = (await admin.call('POST', url(), { name: 'raced', role: 'viewer' })).body;
    const answers = await Promise.all([1, 2].map(() => admin.call('POST', url(`/${id}/rotate`), { overlap_s: 60 })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('show when and from where they were last used', async () => {
    const { id, token } = (await admin.call('POST', url(), { name: 'seen', role: 'viewer' })).body;
    expect((await admin.call('GET', url(`/${id}`))).body).toMatchObject({ last_used_at: null, last_used_ip: null });
    await use(token, 'GET', '/api/v3/profile');
    expect((await admin.call('GET', url(`/${id}`))).body.last_used_ip).toBe('127.0.0.1');
  });

  it('are not stored readable for a repeated request either', async () => {
    const headers = { 'idempotency-key': 'make-token-1' };
    const first = await admin.call('POST', url(), { name: 'repeated', role: 'viewer' }, headers);
    const second = await admin.call('POST', url(), { name: 'repeated', role: 'viewer' }, headers);
    expect(second.body).toEqual(first.body);
    const rows = await t.database.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]?.answer.toString('latin1')).not.toContain(first.body.token);
  });

  it('of another project look like ones that never existed', async () => {
    const other = await t.createProject('tokens-far');
    const far = await t.owner.call('POST', `/api/v3/setting/tokens?project=${other}`, { name: 'far', role: 'viewer' });
    const foreign = await admin.call('DELETE', url(`/${far.body.id}`));
    const never = await admin.call('DELETE', url('/01890000-0000-7000-8000-000000000000'));
    expect(foreign.status).toBe(404);
    expect(foreign.body.code).toBe(never.body.code);
    expect((await admin.call('GET', url(`/${far.body.id}`))).status).toBe(404);
    expect((await admin.call('PATCH', url(`/${far.body.id}`), { name: 'mine' })).status).toBe(404);
    expect((await admin.call('POST', url(`/${far.body.id}/rotate`), { overlap_s: 0 })).status).toBe(404);
  });
});
