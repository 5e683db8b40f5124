import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

let t: TestController;
let admin: TestCaller;
let other: string;
const USERS = '/api/v3/setting/users';
const PASSWORD = 'wL9v2nTq0xYbEoHj';

beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
  other = await t.createProject('other');
});
afterAll(() => t.close());

let counter = 0;
async function createUser(body: Record<string, unknown> = {}) {
  counter += 1;
  const answer = await t.owner.call('POST', USERS, { username: `user-${counter}`, password: PASSWORD, ...body });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function signIn(username: string, password = PASSWORD) {
  return t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
}

/** Signs in and changes the password that the owner chose. */
async function settle(username: string) {
  const session = (await signIn(username)).json();
  const answer = await t.app.inject({
    method: 'PUT',
    url: '/api/v3/profile/password',
    headers: { authorization: `Bearer ${session.access_token}` },
    payload: { current_password: PASSWORD, new_password: 'quiet evening by the river' },
  });
  expect(answer.statusCode).toBe(204);
  return session;
}

describe('users', () => {
  it('are created by owners with memberships, and can sign in', async () => {
    const user = await createUser({ memberships: [{ project: t.project, role: 'editor' }], email: 'a@example.com' });
    expect(user).toMatchObject({ is_owner: false, active: true, email: 'a@example.com' });
    expect(user.memberships).toEqual([{ project: t.project, project_name: 'default', role: 'editor' }]);
    expect(JSON.stringify(user)).not.toMatch(/argon2|password/);
    expect((await signIn(user.username.toUpperCase())).statusCode).toBe(200);
  });

  it('get a generated password, which is shown once', async () => {
    const made = (await t.owner.call('POST', USERS, { username: 'generated' })).body;
    expect((await signIn('generated', made.initial_password)).statusCode).toBe(200);
    const read = await t.owner.call('GET', `${USERS}/${made.id}`);
    expect(read.body.initial_password).toBeUndefined();
  });

  it('have unique names, ignoring case, even if they are created at once', async () => {
    const make = () => t.owner.call('POST', USERS, { username: 'Twin', password: PASSWORD });
    const answers = await Promise.all([make(), make(), make()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const again = await t.owner.call('POST', USERS, { username: 'tWIN', password: PASSWORD });
    expect(again.body.code).toBe('record.exists');
  });

  it('are refused weak passwords with a reason', async () => {
    const answer = await t.owner.call('POST', USERS, { username: 'weak', password: 'Password1234!' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'password.weak', details: [{ path: 'password' }] });
  });

  it('are listed with their memberships, filtered, searched and paged', async () => {
    const project = await t.createProject('listing');
    for (const name of ['anna', 'berta', 'carla']) {
      await createUser({ username: `list-${name}`, memberships: [{ project, role: 'viewer' }] });
    }
    const first = await t.owner.call('GET', `${USERS}?project=${project}&limit=2`);
    expect(first.body.items.map(({ username }: { username: string }) => username)).toEqual(['list-anna', 'list-berta']);
    const next = await t.owner.call('GET', `${USERS}?project=${project}&limit=2&cursor=${first.body.next_cursor}`);
    expect(next.body.items).toHaveLength(1);
    expect(next.body.next_cursor).toBeNull();
    const found = await t.owner.call('GET', `${USERS}?q=list-b`);
    expect(found.body.items).toHaveLength(1);
    const owners = await t.owner.call('GET', `${USERS}?is_owner=true`);
    expect(owners.body.items.map(({ username }: { username: string }) => username)).toContain('admin');
  });

  it('are changed with If-Match, and outdated changes are refused', async () => {
    const user = await createUser();
    const url = `${USERS}/${user.id}`;
    const changed = await t.owner.call('PATCH', url, { email: 'new@example.com' }, { 'if-match': '"1"' });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).toBe('"2"');
    const stale = await t.owner.call('PATCH', url, { email: null }, { 'if-match': '"1"' });
    expect(stale.status).toBe(412);
    const dry = await t.owner.call('DELETE', `${url}?dry_run=true`);
    expect(dry).toMatchObject({ status: 200, body: { dry_run: true } });
    expect((await t.owner.call('DELETE', url)).status).toBe(204);
    expect((await t.owner.call('GET', url)).status).toBe(404);
  });

  it('lose their sessions at once if they are disabled or get a new password', async () => {
    const user = await createUser({ memberships: [{ project: t.project, role: 'viewer' }] });
    const profile = (token: string) =>
      t.app.inject({ url: '/api/v3/profile', headers: { authorization: `Bearer ${token}` } });
    const first = (await signIn(user.username)).json();
    expect((await profile(first.access_token)).statusCode).toBe(200);
    await t.owner.call('PATCH', `${USERS}/${user.id}`, { password: 'aNother-Fine-One-77' });
    expect((await profile(first.access_token)).json().code).toBe('auth.session_ended');
    const second = (await signIn(user.username, 'aNother-Fine-One-77')).json();
    await t.owner.call('PATCH', `${USERS}/${user.id}`, { active: false });
    expect((await profile(second.access_token)).json().code).toBe('auth.session_ended');
    const refresh = await t.app.inject({
      method: 'POST',
      url: '/refresh',
      headers: { authorization: `Bearer ${second.refresh_token}` },
    });
    expect(refresh.statusCode).toBe(401);
    expect((await signIn(user.username, 'aNother-Fine-One-77')).statusCode).toBe(401);
  });
});

describe('the last owner of the installation', () => {
  it('cannot be demoted, disabled or deleted', async () => {
    const url = `${USERS}/${t.owner.userId}`;
    for (const [method, body] of [
      ['PATCH', { is_owner: false }],
      ['PATCH', { active: false }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await t.owner.call(method, url, body);
      expect(answer.body.code, method).toBe('user.last_owner');
    }
  });

  it('stays if two owners demote each other at once', async () => {
    const second = await createUser({ is_owner: true });
    const session = await settle(second.username);
    const demote = (id: string, token: string) =>
      t.app.inject({
        method: 'PATCH',
        url: `${USERS}/${id}`,
        headers: { authorization: `Bearer ${token}` },
        payload: { is_owner: false },
      });
    const answers = await Promise.all([demote(second.id, t.owner.token), demote(t.owner.userId, session.access_token)]);
    expect(answers.map(({ statusCode }) => statusCode).filter((status) => status === 200)).toHaveLength(1);
    const owners = await t.database.db.selectFrom('users').select('id').where('is_owner', '=', true).execute();
    expect(owners).toHaveLength(1);
    await t.database.db.updateTable('users').set({ is_owner: true }).where('id', '=', t.owner.userId).execute();
    await t.database.db.updateTable('users').set({ is_owner: false }).where('id', '=', second.id).execute();
  });
});

describe('an administrator of a project', () => {
  it('can create members of that project only, and no owners', async () => {
    const make = (body: Record<string, unknown>) =>
      admin.call('POST', `${USERS}?project=${t.project}`, { username: 'by-admin', password: PASSWORD, ...body });
    expect((await make({})).body.code).toBe('user.membership_required');
    expect((await make({ memberships: [{ project: other, role: 'viewer' }] })).body.code).toBe(
      'user.membership_required',
    );
    expect((await make({ is_owner: true, memberships: [] })).body.code).toBe('user.owner_only');
    expect((await make({ memberships: [{ project: t.project, role: 'owner' }] })).body.code).toBe('role.too_high');
    expect((await make({ memberships: [{ project: t.project, role: 'admin' }] })).status).toBe(201);
    expect((await admin.call('GET', USERS)).body.code).toBe('project.missing');
    expect((await admin.call('GET', `${USERS}?project=${other}`)).body.code).toBe('project.forbidden');
  });

  it('cannot change an owner of the installation, not even one who is a member', async () => {
    const boss = await createUser({ is_owner: true, memberships: [{ project: t.project, role: 'viewer' }] });
    const url = `${USERS}/${boss.id}?project=${t.project}`;
    for (const [method, body] of [
      ['PATCH', { password: 'aNother-Fine-One-77' }],
      ['PATCH', { active: false }],
      ['DELETE', undefined],
    ] as const) {
      expect((await admin.call(method, url, body)).body.code, method).toBe('user.owner_only');
    }
    expect((await admin.call('GET', url)).body.administrable).toBe(false);
    const own = await createUser({ memberships: [{ project: t.project, role: 'admin' }] });
    expect((await admin.call('GET', `${USERS}/${own.id}?project=${t.project}`)).body.administrable).toBe(true);
    const membership = `${USERS}/${boss.id}/memberships/${t.project}`;
    expect((await admin.call('PUT', membership, { role: 'editor' })).body.code).toBe('user.owner_only');
    expect((await admin.call('DELETE', membership)).body.code).toBe('user.owner_only');
  });

  it('cannot take over accounts with roles in other projects', async () => {
    const shared = await createUser({
      memberships: [
        { project: t.project, role: 'viewer' },
        { project: other, role: 'admin' },
      ],
    });
    const url = `${USERS}/${shared.id}?project=${t.project}`;
    const listedFor = async (caller: TestCaller, query = `?project=${t.project}`) => {
      const { body } = await caller.call('GET', `${USERS}${query}`);
      return body.items.find(({ id }: { id: string }) => id === shared.id);
    };
    expect((await admin.call('GET', url)).body.administrable).toBe(false);
    expect(await listedFor(admin)).toMatchObject({ administrable: false, memberships: [{ project: t.project }] });
    expect(await listedFor(t.owner)).toMatchObject({ administrable: true });
    expect((await t.owner.call('GET', `${USERS}/${shared.id}`)).body).toMatchObject({ administrable: true });
    expect((await admin.call('PATCH', url, { password: 'aNother-Fine-One-77' })).body.code).toBe('user.other_projects');
    expect((await admin.call('PATCH', url, { email: 'mine@example.com' })).body.code).toBe('user.other_projects');
    expect((await admin.call('DELETE', url)).body.code).toBe('user.other_projects');
    expect((await admin.call('GET', url)).body.memberships).toEqual([
      { project: t.project, project_name: 'default', role: 'viewer' },
    ]);
    expect((await admin.call('DELETE', `${USERS}/${shared.id}/memberships/${t.project}`)).status).toBe(204);
    expect((await admin.call('GET', url)).status).toBe(404);
  });

  it('cannot raise their own role or lower those above it', async () => {
    const chief = await t.createMember('owner');
    const path = (userId: string) => `${USERS}/${userId}/memberships/${t.project}`;
    expect((await admin.call('PUT', path(admin.userId), { role: 'owner' })).body.code).toBe('role.too_high');
    expect(
      (await admin.call('PATCH', `${USERS}/${admin.userId}?project=${t.project}`, { is_owner: true })).status,
    ).toBe(403);
    expect((await admin.call('PUT', path(chief.userId), { role: 'viewer' })).body.code).toBe('role.too_high');
    expect((await admin.call('DELETE', path(chief.userId))).body.code).toBe('role.too_high');
    expect((await chief.call('PUT', path(admin.userId), { role: 'admin' })).status).toBe(200);
  });

  it('adds accounts of the project by name and changes their role, which counts from the next request on', async () => {
    const user = await createUser({ home_project: t.project });
    const session = await settle(user.username);
    const tokens = () =>
      t.app.inject({
        url: `/api/v3/setting/tokens?project=${t.project}`,
        headers: { authorization: `Bearer ${session.access_token}` },
      });
    const add = () =>
      admin.call('POST', `/api/v3/setting/memberships?project=${t.project}`, {
        username: user.username,
        role: 'viewer',
      });
    expect((await tokens()).json().code).toBe('project.forbidden');
    expect((await add()).status).toBe(201);
    expect((await add()).body.code).toBe('record.exists');
    expect((await tokens()).json().code).toBe('role.forbidden');
    await admin.call('PUT', `${USERS}/${user.id}/memberships/${t.project}`, { role: 'admin' });
    expect((await tokens()).statusCode).toBe(200);
  });

  it('cannot set their own password without the current one', async () => {
    const answer = await admin.call('PATCH', `${USERS}/${admin.userId}?project=${t.project}`, { password: PASSWORD });
    expect(answer.body.code).toBe('password.own');
  });
});
