import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../test-controller.ts';

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

describe('API tokens', () => {
  it('are shown once, kept as a digest, work in their project and end at once', async () => {
    const made = await admin.call('POST', url(), { name: 'ci', role: 'admin' });
    expect(made.status).toBe(201);
    const { token, id, prefix } = made.body;
    expect(made.headers.location).toBe(`/api/v3/setting/tokens/${id}`);
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

  it('have no more rights than who makes them', async () => {
    const answer = await admin.call('POST', url(), { name: 'high', role: 'owner' });
    expect(answer.body.code).toBe('role.too_high');
    expect((await t.owner.call('POST', url(), { name: 'high', role: 'owner' })).status).toBe(201);
  });

  it('change no accounts, memberships or tokens, whatever their role', async () => {
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
    expect((await use(token, 'POST', '/logout')).statusCode).toBe(401);
    expect((await use(token, 'POST', '/refresh')).json().code).toBe('auth.wrong_kind');
    expect((await use(token, 'GET', '/api/v3/setting/projects')).json().code).toBe('owner.required');
  });

  it('do what their maker may do now, and end with the maker', async () => {
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
    const told = async () => {
      const { body } = await admin.call('GET', url());
      return body.items.find(({ id }: { id: string }) => id === made.body.id).maker;
    };
    expect(await services()).toBe(200);
    const { db } = t.database;
    await db.updateTable('memberships').set({ role: 'viewer' }).where('user_id', '=', maker.userId).execute();
    expect(await services()).toBe(403);
    expect(await told()).toBe('active');
    await db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', maker.userId).execute();
    await db.updateTable('users').set({ active: false }).where('id', '=', maker.userId).execute();
    expect(await services()).toBe(401);
    expect(await told()).toBe('inactive');
    await db.updateTable('users').set({ active: true }).where('id', '=', maker.userId).execute();
    await db.deleteFrom('memberships').where('user_id', '=', maker.userId).execute();
    expect(await services()).toBe(401);
    expect(await told()).toBe('not_a_member');
    await db.updateTable('users').set({ is_owner: true }).where('id', '=', maker.userId).execute();
    expect(await services()).toBe(200);
    expect(await told()).toBe('active');
    await db.deleteFrom('users').where('id', '=', maker.userId).execute();
    expect(await services()).toBe(401);
    expect(await told()).toBe('deleted');
  });

  it('expire', async () => {
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

  it('are not kept readable for a repeated request either', async () => {
    const headers = { 'idempotency-key': 'make-token-1' };
    const first = await admin.call('POST', url(), { name: 'repeated', role: 'viewer' }, headers);
    const second = await admin.call('POST', url(), { name: 'repeated', role: 'viewer' }, headers);
    expect(second.body).toEqual(first.body);
    const rows = await t.database.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]?.answer.toString('latin1')).not.toContain(first.body.token);
  });

  it('of another project cannot be told from ones that never were', async () => {
    const other = await t.createProject('tokens-far');
    const far = await t.owner.call('POST', `/api/v3/setting/tokens?project=${other}`, { name: 'far', role: 'viewer' });
    const foreign = await admin.call('DELETE', url(`/${far.body.id}`));
    const never = await admin.call('DELETE', url('/01890000-0000-7000-8000-000000000000'));
    expect(foreign.status).toBe(404);
    expect(foreign.body.code).toBe(never.body.code);
  });
});
