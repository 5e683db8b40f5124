import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

const USERS = '/api/v3/setting/users';
const membership = (userId: string, project: string) => `${USERS}/${userId}/memberships/${project}`;
const account = (userId: string, project: string) => `${USERS}/${userId}?project=${project}`;

async function administratorsOf(project: string): Promise<string[]> {
  const rows = await t.database.db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('project_id', '=', project)
    .where('role', 'in', ['admin', 'owner'])
    .where('active', '=', true)
    .execute();
  return rows.map(({ id }) => id);
}

async function setMissing(userId: string, goneAt: Date | null): Promise<void> {
  const now = new Date();
  const identity = { issuer: 'ldap', subject: userId, user_id: userId, realm: 'ldap' };
  await t.database.db
    .insertInto('external_identities')
    .values({ ...identity, created_at: now, last_seen_at: now, gone_at: goneAt })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ gone_at: goneAt }))
    .execute();
}

describe('the last admin or owner of a project', () => {
  it('keeps role, membership and account, no matter who in the project tries to change them', async () => {
    const project = await t.createProject('alone');
    const admin = await t.createMember('admin', project);
    await t.createMember('editor', project);
    // A disabled administrator does not count.
    const away = await t.createMember('admin', project);
    await t.owner.call('PATCH', `${USERS}/${away.userId}`, { active: false });
    const tries = [
      ['PUT', membership(admin.userId, project), { role: 'editor' }],
      ['DELETE', membership(admin.userId, project), undefined],
      ['PATCH', account(admin.userId, project), { active: false }],
      ['DELETE', account(admin.userId, project), undefined],
    ] as const;
    for (const [method, url, body] of tries) {
      const answer = await admin.call(method, url, body);
      expect([answer.status, answer.body.code], `${method} ${url}`).toEqual([409, 'membership.last_administrator']);
    }
    expect(await administratorsOf(project)).toEqual([admin.userId]);
    // An administrator of the other project does not count here.
    await t.createMember('admin');
    expect((await admin.call('DELETE', membership(admin.userId, project))).status).toBe(409);
    expect((await t.owner.call('PUT', membership(admin.userId, project), { role: 'viewer' })).status).toBe(200);
  });

  it('is the last one who can still sign in: a person who is gone from their directory does not count', async () => {
    const project = await t.createProject('gone');
    const [admin, gone] = [await t.createMember('admin', project), await t.createMember('admin', project)];
    await setMissing(gone.userId, new Date());
    for (const [method, url, body] of [
      ['PUT', membership(admin.userId, project), { role: 'viewer' }],
      ['PATCH', account(admin.userId, project), { active: false }],
    ] as const)
      expect((await admin.call(method, url, body)).body.code, method).toBe('membership.last_administrator');
    await setMissing(gone.userId, null);
    expect((await admin.call('PUT', membership(admin.userId, project), { role: 'viewer' })).status).toBe(200);
  });

  it('of the installation is protected too: an owner who is gone from their directory does not count', async () => {
    const member = await t.createMember('viewer', await t.createProject('of-an-owner'));
    expect((await t.owner.call('PATCH', `${USERS}/${member.userId}`, { is_owner: true })).status).toBe(200);
    await setMissing(member.userId, new Date());
    const answer = await t.owner.call('PATCH', `${USERS}/${t.owner.userId}`, { is_owner: false });
    expect([answer.status, answer.body.code]).toEqual([409, 'user.last_owner']);
    expect((await t.owner.call('PATCH', `${USERS}/${member.userId}`, { is_owner: false })).status).toBe(200);
  });

  it('stays if two of them remove each other at once', async () => {
    const ways = [
      (by: TestCaller, of: TestCaller, project: string) =>
        by.call('PUT', membership(of.userId, project), { role: 'viewer' }),
      (by: TestCaller, of: TestCaller, project: string) => by.call('DELETE', membership(of.userId, project)),
      (by: TestCaller, of: TestCaller, project: string) => by.call('DELETE', account(of.userId, project)),
      (by: TestCaller, of: TestCaller, project: string) =>
        by.call('PATCH', account(of.userId, project), { active: false }),
    ];
    for (const [i, first] of ways.entries()) {
      for (const second of [first, ways[(i + 1) % ways.length] ?? first]) {
        const project = await t.createProject(`race-${createId()}`);
        const [one, other] = [await t.createMember('admin', project), await t.createMember('admin', project)];
        const answers = await Promise.all([first(one, other, project), second(other, one, project)]);
        expect(await administratorsOf(project), JSON.stringify(answers.map(({ body }) => body))).toHaveLength(1);
        expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      }
    }
  }, 120_000);
});

describe('accounts of a directory', () => {
  async function createDirectoryUser(): Promise<{ id: string; username: string }> {
    const member = await t.createMember('viewer');
    await setMissing(member.userId, null);
    return { id: member.userId, username: member.username };
  }

  it('show and can be filtered by their realm, and are named there', async () => {
    const { id, username } = await createDirectoryUser();
    const shown = await t.owner.call('GET', `${USERS}/${id}`);
    expect(shown.body).toMatchObject({ realm: 'ldap' });
    const namesBy = async (query: string) =>
      (await t.owner.call('GET', `${USERS}?project=${t.project}&limit=1000&${query}`)).body.items.map(
        (user: { username: string }) => user.username,
      );
    expect(await namesBy('realm=ldap')).toEqual([username]);
    expect(await namesBy('realm=local')).not.toContain(username);
    expect(await namesBy('realm=local&realm=ldap')).toContain(username);
    for (const change of [
      { username: 'other' },
      { email: 'other@example.com' },
      { password: 'quiet evening by the river' },
    ]) {
      const answer = await t.owner.call('PATCH', `${USERS}/${id}`, change);
      expect([answer.status, answer.body.code]).toEqual([409, 'user.of_directory']);
    }
    expect((await t.owner.call('PATCH', `${USERS}/${id}`, { username, active: false })).status).toBe(200);
  });
});

it('a list by role uses the roles in the requested project', async () => {
  const other = await t.createProject('by-role');
  const both = await t.createMember('admin', other);
  await t.owner.call('PUT', membership(both.userId, t.project), { role: 'viewer' });
  const idsBy = async (query: string) =>
    (await t.owner.call('GET', `${USERS}?limit=1000&${query}`)).body.items.map(({ id }: { id: string }) => id);
  expect(await idsBy(`project=${other}&role=admin`)).toEqual([both.userId]);
  expect(await idsBy(`project=${other}&role=viewer`)).toEqual([]);
  expect(await idsBy(`project=${other}&role=viewer&role=admin`)).toEqual([both.userId]);
  expect(await idsBy('role=viewer')).toContain(both.userId);
});

it('a renamed account keeps its session, confirms with its password, and signs in with the new name', async () => {
  const member = await t.createMember('viewer');
  const username = `renamed-${member.userId.slice(-8)}`;
  expect((await t.owner.call('PATCH', `${USERS}/${member.userId}`, { username })).status).toBe(200);
  const shown = await member.call('PUT', '/api/v3/profile/password', {
    current_password: member.password,
    new_password: 'quiet evening by the river',
  });
  expect(shown.status, JSON.stringify(shown.body)).toBe(204);
  const signIn = async (name: string) =>
    (
      await t.app.inject({
        method: 'POST',
        url: '/auth/login',
        payload: { username: name, password: 'quiet evening by the river' },
      })
    ).statusCode;
  expect([await signIn(username), await signIn(member.username)]).toEqual([200, 401]);
});

describe('the deletion of an account', () => {
  it('is planned first, with what is deleted and what stops working, and happens in one transaction', async () => {
    const admin = await t.createMember('admin');
    const leaver = await t.createMember('admin');
    const project = `project=${t.project}`;
    const group = (await admin.call('POST', `/api/v3/setting/groups?${project}`, { name: 'leaving' })).body.id;
    await admin.call('PUT', `/api/v3/setting/groups/${group}/members/${leaver.userId}?${project}`);
    await admin.call('POST', `/api/v3/setting/permissions?${project}`, {
      subject: { kind: 'user', id: leaver.userId },
      resource: { kind: 'policy', id: null },
      level: 'view',
    });
    const token = (await leaver.call('POST', `/api/v3/setting/tokens?${project}`, { name: 'left', role: 'viewer' }))
      .body;
    // A token ends with the account, unless somebody else also received a secret; used tokens are unaffected.
    const enrolment = `/api/v3/setting/enrolment-tokens`;
    const [lone, shared, used] = await Promise.all(
      ['rack 7', 'shared', 'used'].map(
        async (note) => (await leaver.call('POST', `${enrolment}?${project}`, { note })).body.id as string,
      ),
    );
    const rotated = await admin.call('POST', `${enrolment}/${shared}/rotate?${project}`, { overlap_s: 600 });
    expect(rotated.status, JSON.stringify(rotated.body)).toBe(200);
    await t.database.db
      .updateTable('enrolment_tokens')
      .set({ used_at: new Date() })
      .where('id', '=', used ?? '')
      .execute();
    await t.database.db
      .insertInto('job_schedules')
      .values({
        id: createId(),
        project_id: t.project,
        name: 'nightly',
        type: 'none',
        params: '{}',
        params_sealed: null,
        cron: '0 3 * * *',
        time_zone: 'UTC',
        enabled: false,
        actor: JSON.stringify({ kind: 'user', id: leaver.userId, name: leaver.username }),
        created_at: new Date(),
      })
      .execute();
    const plan = await admin.call('GET', `${USERS}/${leaver.userId}/deletion?${project}`);
    expect(plan.status, JSON.stringify(plan.body)).toBe(200);
    expect(plan.body.items).toEqual([
      { kind: 'memberships', fate: 'deleted', count: 1, examples: ['default'] },
      { kind: 'sessions', fate: 'deleted', count: 1, examples: [] },
      { kind: 'groups', fate: 'deleted', count: expect.any(Number), examples: expect.arrayContaining(['leaving']) },
      { kind: 'permissions', fate: 'deleted', count: 1, examples: [] },
      { kind: 'api_tokens', fate: 'ended', count: 1, examples: ['left'] },
      { kind: 'enrolment_tokens', fate: 'ended', count: 1, examples: ['rack 7'] },
      { kind: 'schedules', fate: 'ended', count: 1, examples: ['nightly'] },
    ]);
    const remove = (digest: string) => admin.call('DELETE', `${account(leaver.userId, t.project)}&plan=${digest}`);
    await t.database.db.deleteFrom('group_members').where('user_id', '=', leaver.userId).execute();
    const stale = await remove(plan.body.digest);
    expect([stale.status, stale.body.code]).toEqual([409, 'user.plan_changed']);
    const again = await admin.call('GET', `${USERS}/${leaver.userId}/deletion?${project}`);
    // Another session does not change the plan.
    const payload = { username: leaver.username, password: leaver.password };
    expect((await t.app.inject({ method: 'POST', url: '/auth/login', payload })).statusCode).toBe(200);
    expect((await remove(again.body.digest)).status).toBe(204);
    const listed = await admin.call('GET', `${enrolment}?${project}&status=void`);
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([lone]);
    const { db } = t.database;
    for (const table of ['memberships', 'sessions', 'group_members', 'permissions'] as const) {
      const left = await db.selectFrom(table).select('user_id').where('user_id', '=', leaver.userId).execute();
      expect(left, table).toEqual([]);
    }
    const refused = await t.app.inject({
      url: `/api/v3/profile`,
      headers: { authorization: `Bearer ${token.token}` },
    });
    expect(refused.statusCode).toBe(401);
    expect((await leaver.call('GET', '/api/v3/profile')).status).toBe(401);
  });

  it('is refused with the plan of another account or without a valid plan', async () => {
    const [admin, one, twin] = [
      await t.createMember('admin'),
      await t.createMember('viewer'),
      await t.createMember('viewer'),
    ];
    const plan = await admin.call('GET', `${USERS}/${one.userId}/deletion?project=${t.project}`);
    for (const digest of [plan.body.digest, 'x', '']) {
      const refused = await admin.call('DELETE', `${account(twin.userId, t.project)}&plan=${digest}`);
      expect([refused.status, refused.body.code]).toEqual([409, 'user.plan_changed']);
    }
    const shown = await admin.call('GET', account(twin.userId, t.project));
    expect(shown.status).toBe(200);
  });

  it('tells an admin nothing about what remains in projects of others', async () => {
    const other = await t.createProject('left-behind');
    const mover = await t.createMember('admin', other);
    const made = await mover.call('POST', `/api/v3/setting/tokens?project=${other}`, { name: 'hush', role: 'viewer' });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await t.owner.call('PUT', membership(mover.userId, t.project), { role: 'viewer' });
    expect((await t.owner.call('DELETE', membership(mover.userId, other))).status).toBe(204);
    await t.owner.call('PATCH', `${USERS}/${mover.userId}`, { home_project: t.project });
    const admin = await t.createMember('admin');
    const plan = async (by: TestCaller) =>
      (await by.call('GET', `${USERS}/${mover.userId}/deletion?project=${t.project}`)).body.items;
    const kinds = (await plan(admin)).map(({ kind }: { kind: string }) => kind);
    expect(kinds.filter((kind: string) => kind !== 'groups')).toEqual(['memberships', 'sessions']);
    expect(await plan(t.owner)).toContainEqual({ kind: 'api_tokens', fate: 'ended', count: 1, examples: ['hush'] });
  });

  it('can only be planned by people who may do it', async () => {
    const other = await t.createProject('plans');
    const admin = await t.createMember('admin', other);
    const stranger = await t.createMember('viewer');
    const shared = await t.createMember('viewer');
    await t.owner.call('PUT', membership(shared.userId, other), { role: 'viewer' });
    const plan = (by: TestCaller, id: string) => by.call('GET', `${USERS}/${id}/deletion?project=${other}`);
    expect((await plan(admin, stranger.userId)).body.code).toBe('record.not_found');
    expect((await plan(admin, createId())).body.code).toBe('record.not_found');
    expect((await plan(admin, shared.userId)).body.code).toBe('user.other_projects');
    expect((await plan(admin, t.owner.userId)).body.code).toBe('record.not_found');
    expect((await plan(shared, shared.userId)).body.code).toBe('role.forbidden');
    expect((await t.owner.call('GET', `${USERS}/${shared.userId}/deletion`)).status).toBe(200);
  });
});
