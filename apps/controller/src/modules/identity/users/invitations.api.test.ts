import { INVITATIONS_MAX } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { forgetOldInvitations } from './invitation-store.ts';

let t: TestController;
let alpha: string;
let beta: string;
let admin: TestCaller;
const USERS = '/api/v3/setting/users';
const OWN = '/api/v3/profile/invitations';

beforeAll(async () => {
  t = await createTestController();
  alpha = await t.createProject('alpha');
  beta = await t.createProject('beta');
  admin = await t.createMember('admin', alpha);
});
afterAll(() => t.close());

const invite = (
  username: string,
  {
    by = admin,
    project = alpha,
    role = 'viewer',
    query = '',
  }: Partial<Record<'project' | 'role' | 'query', string>> & { by?: TestCaller } = {},
) => by.call('POST', `/api/v3/setting/memberships?project=${project}${query}`, { username, role });
const pending = async (by: TestCaller = admin, project = alpha) =>
  (await by.call('GET', `/api/v3/setting/invitations?project=${project}&limit=1000`)).body.items;
const own = async (caller: TestCaller) => (await caller.call('GET', OWN)).body.items;
const answer = (caller: TestCaller, id: string, what: 'accept' | 'decline', query = '') =>
  caller.call('POST', `${OWN}/${id}/${what}${query}`);
const withdraw = (id: string, by: TestCaller = admin, project = alpha) =>
  by.call('DELETE', `/api/v3/setting/invitations/${id}?project=${project}`);
const roleOf = async ({ userId }: TestCaller, project = alpha) =>
  (
    await t.database.db
      .selectFrom('memberships')
      .select('role')
      .where('user_id', '=', userId)
      .where('project_id', '=', project)
      .executeTakeFirst()
  )?.role;
const entries = async (query: string) =>
  (await t.owner.call('GET', `/api/v3/audit/logs?${query}&limit=100`)).body.items;

/** The answer without the values that change with each call. */
function shape(body: Record<string, unknown>, username: string): string {
  const { id: _, request_id: __, created_at: ___, expires_at: ____, ...rest } = body;
  return JSON.stringify(rest).replaceAll(username, '<name>');
}

describe('an invitation (attack 9)', () => {
  it('is created for every name outside the project, and its answer reveals nothing about the account', async () => {
    const known = await t.createMember('viewer', beta);
    const boss = await t.createMember('viewer', beta);
    await t.owner.call('PATCH', `${USERS}/${boss.userId}`, { is_owner: true, email: 'boss@beta.example' });
    const off = await t.createMember('viewer', beta);
    await t.owner.call('PATCH', `${USERS}/${off.userId}`, { active: false });
    const names = [known.username, boss.username, off.username, `nobody-${createId().slice(-8)}`];
    for (const query of ['&dry_run=true', '', '&dry_run=true', '']) {
      const answers = [];
      for (const username of names) {
        const { status, body } = await invite(username, { query });
        expect(Object.keys(body)).not.toContain('email');
        answers.push(`${status} ${shape(body, username)}`);
      }
      expect(new Set(answers).size, answers.join('\n')).toBe(1);
    }
    const listed = (await pending()).filter(({ username }: { username: string }) => names.includes(username));
    const shapes = listed.map((item: { username: string }) => shape(item as never, item.username));
    expect(shapes).toHaveLength(names.length);
    expect(new Set(shapes).size).toBe(1);
    for (const one of [known, boss, off]) expect(await roleOf(one)).toBeUndefined();
    for (const { id } of listed) expect((await withdraw(id)).status).toBe(204);
  });

  it('makes the account that accepts it a member, once, with its role', async () => {
    const guest = await t.createMember('viewer', beta);
    const made = (await invite(guest.username.toUpperCase(), { role: 'editor' })).body;
    expect(made).toMatchObject({ kind: 'invitation', project: alpha, role: 'editor', invited_by: admin.username });
    expect(await own(guest)).toMatchObject([
      { id: made.id, project: alpha, project_name: 'alpha', role: 'editor', invited_by: admin.username },
    ]);
    expect((await guest.call('GET', `/api/v3/xds/clusters?project=${alpha}`)).body.code).toBe('project.forbidden');
    expect((await answer(guest, made.id, 'accept', '?dry_run=true')).body).toMatchObject({ dry_run: true });
    const answers = await Promise.all([1, 2, 3].map(() => answer(guest, made.id, 'accept')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect(await roleOf(guest)).toBe('editor');
    expect((await guest.call('GET', `/api/v3/xds/clusters?project=${alpha}`)).status).toBe(200);
    expect([await own(guest), await pending()]).toEqual([[], []]);
    expect((await invite(guest.username)).body.code).toBe('record.exists');
  });

  it('is for the account that had the name, and for nobody else', async () => {
    const [guest, other] = [await t.createMember('viewer', beta), await t.createMember('viewer', beta)];
    const { id } = (await invite(guest.username)).body;
    for (const caller of [other, admin])
      for (const what of ['accept', 'decline'] as const)
        expect((await answer(caller, id, what)).body.code).toBe('record.not_found');
    const late = `late-${createId().slice(-8)}`;
    await invite(late);
    // An account that gets the name later was not invited; the invited account keeps the invitation under its new name.
    await t.owner.call('PATCH', `${USERS}/${guest.userId}`, { username: `was-${guest.username}` });
    await t.owner.call('PATCH', `${USERS}/${other.userId}`, { username: guest.username });
    const third = await t.createMember('viewer', beta);
    await t.owner.call('PATCH', `${USERS}/${third.userId}`, { username: late });
    expect([await own(other), await own(third)]).toEqual([[], []]);
    expect((await answer(guest, id, 'accept')).status).toBe(200);
    for (const item of await pending()) await withdraw(item.id);
  });

  it('that was declined stays open for the project, and is not shown to the account any more', async () => {
    const guest = await t.createMember('viewer', beta);
    const { id } = (await invite(guest.username)).body;
    const before = await pending();
    expect((await answer(guest, id, 'decline')).status).toBe(204);
    expect(await own(guest)).toEqual([]);
    expect(await pending()).toEqual(before);
    expect((await answer(guest, id, 'accept')).body.code).toBe('record.not_found');
    expect((await invite(guest.username)).body.id).toBe(id);
    const log = JSON.stringify((await admin.call('GET', `/api/v3/audit/logs?project=${alpha}&limit=100`)).body);
    expect(log).not.toContain('decline');
    expect(log).not.toContain(guest.userId);
    expect(await entries(`action=invitation.decline&user=${guest.userId}`)).toMatchObject([{ project: null }]);
    await withdraw(id);
  });

  it('ends after a week, when it is withdrawn, and when its inviter may not give the role any more', async () => {
    const guest = await t.createMember('viewer', beta);
    const inviter = await t.createMember('admin', alpha);
    const expired = (await invite(guest.username)).body.id;
    await t.database.owner
      .updateTable('invitations')
      .set({ expires_at: new Date() })
      .where('id', '=', expired)
      .execute();
    expect([await own(guest), await pending()]).toEqual([[], []]);
    expect((await answer(guest, expired, 'accept')).body.code).toBe('record.not_found');
    expect((await withdraw(expired)).body.code).toBe('record.not_found');
    await forgetOldInvitations(t.database.db, new Date());
    expect(await t.database.db.selectFrom('invitations').select('id').where('id', '=', expired).execute()).toEqual([]);

    const withdrawn = (await invite(guest.username)).body.id;
    expect((await withdraw(withdrawn)).status).toBe(204);
    expect((await answer(guest, withdrawn, 'accept')).body.code).toBe('record.not_found');

    const changes = [
      () => t.owner.call('PUT', `${USERS}/${inviter.userId}/memberships/${alpha}`, { role: 'editor' }),
      () => t.owner.call('DELETE', `${USERS}/${inviter.userId}/memberships/${alpha}`),
      () => t.owner.call('PATCH', `${USERS}/${inviter.userId}`, { active: false }),
      () => t.owner.call('DELETE', `${USERS}/${inviter.userId}`),
    ];
    for (const change of changes) {
      await t.owner.call('PATCH', `${USERS}/${inviter.userId}`, { active: true });
      await t.owner.call('PUT', `${USERS}/${inviter.userId}/memberships/${alpha}`, { role: 'admin' });
      const { id } = (await invite(guest.username, { by: await again(inviter), role: 'admin' })).body;
      expect(await own(guest)).toMatchObject([{ id }]);
      expect((await change()).status).toBeLessThan(300);
      expect([await own(guest), await pending()]).toEqual([[], []]);
      expect((await answer(guest, id, 'accept')).body.code).toBe('record.not_found');
    }
    expect(await roleOf(guest)).toBeUndefined();
  });

  it('has a role that its inviter may give, stays the same if it is repeated, and is a new one with another role', async () => {
    const guest = await t.createMember('viewer', beta);
    const chief = await t.createMember('owner', alpha);
    expect((await invite(guest.username, { role: 'owner' })).body.code).toBe('role.too_high');
    const [first, second] = [await invite(guest.username), await invite(guest.username)];
    expect([first.status, second.status, second.body.id]).toEqual([201, 200, first.body.id]);
    const raised = (await invite(guest.username, { by: chief, role: 'owner' })).body;
    expect((await answer(guest, first.body.id, 'accept')).body.code).toBe('record.not_found');
    // An admin can neither replace nor withdraw an invitation above their own role.
    expect((await invite(guest.username)).body.code).toBe('role.too_high');
    expect((await withdraw(raised.id)).body.code).toBe('role.too_high');
    expect((await withdraw(raised.id, chief)).status).toBe(204);
  });

  it('belongs to its project: others cannot see or withdraw it, and neither can a token or an editor', async () => {
    const guest = await t.createMember('viewer', beta);
    const { id } = (await invite(guest.username)).body;
    const foreign = await t.createMember('owner', beta);
    expect((await foreign.call('GET', `/api/v3/setting/invitations?project=${alpha}`)).body.code).toBe(
      'project.forbidden',
    );
    expect((await withdraw(id, foreign, beta)).body.code).toBe('record.not_found');
    const editor = await t.createMember('editor', alpha);
    expect((await withdraw(id, editor)).body.code).toBe('role.forbidden');
    expect((await invite('anybody', { by: editor })).body.code).toBe('role.forbidden');
    const made = await admin.call('POST', `/api/v3/setting/tokens?project=${alpha}`, { name: 'ci', role: 'admin' });
    const bearer = { authorization: `Bearer ${made.body.token}` };
    const byToken = await admin.call('DELETE', `/api/v3/setting/invitations/${id}?project=${alpha}`, undefined, bearer);
    expect(byToken.body.code).toBe('auth.session_required');
    await withdraw(id);
  });

  it('is not needed for accounts of the project itself, or if an owner of the installation adds somebody', async () => {
    const leaver = await t.createMember('viewer', alpha);
    expect((await admin.call('DELETE', `${USERS}/${leaver.userId}/memberships/${alpha}`)).status).toBe(204);
    expect((await invite(leaver.username)).body).toMatchObject({ kind: 'member', id: leaver.userId });
    const guest = await t.createMember('viewer', beta);
    expect((await invite(guest.username, { by: t.owner })).body).toMatchObject({ kind: 'member', id: guest.userId });
    expect((await invite('nobody-at-all', { by: t.owner })).body.code).toBe('record.not_found');
  });

  it('ends with a membership that was created in another way, and does not return when that ends', async () => {
    const guest = await t.createMember('viewer', beta);
    const { id } = (await invite(guest.username, { role: 'admin' })).body;
    await t.owner.call('PUT', `${USERS}/${guest.userId}/memberships/${alpha}`, { role: 'viewer' });
    expect((await answer(guest, id, 'accept')).body.code).toBe('record.not_found');
    await admin.call('DELETE', `${USERS}/${guest.userId}/memberships/${alpha}`);
    expect((await answer(guest, id, 'accept')).body.code).toBe('record.not_found');
    expect(await roleOf(guest)).toBeUndefined();
  });

  it('is recorded in the project without the account, and in the installation with it', async () => {
    const guest = await t.createMember('viewer', beta);
    const { id } = (await invite(guest.username)).body;
    const inProject = await entries(`project=${alpha}&resource_id=${id}`);
    expect(inProject).toMatchObject([
      {
        action: 'membership.create',
        actor: { id: admin.userId },
        resource: { type: 'invitation', name: guest.username },
      },
    ]);
    expect(JSON.stringify(inProject)).not.toContain(guest.userId);
    const everywhere = await entries(`resource_id=${id}&action=invitation.account`);
    expect(everywhere).toMatchObject([{ project: null, changes: { account: guest.userId, project: alpha } }]);
    await answer(guest, id, 'accept');
    expect(await entries(`project=${alpha}&action=invitation.accept&user=${guest.userId}`)).toMatchObject([
      { actor: { id: guest.userId, role: 'viewer' }, resource: { type: 'membership', id: guest.userId } },
    ]);
    for (const project of [beta]) expect(JSON.stringify(await entries(`project=${project}`))).not.toContain(alpha);
  });

  it('is one of at most a hundred open ones of a project, no matter who has the names', async () => {
    const crowded = await t.createProject('crowded');
    const host = await t.createMember('admin', crowded);
    const guest = await t.createMember('viewer', beta);
    const now = new Date();
    const rows = Array.from({ length: INVITATIONS_MAX - 1 }, (_, i) => ({
      id: createId(),
      project_id: crowded,
      username: `crowd-${i}`,
      user_id: null,
      role: 'viewer' as const,
      invited_by: host.userId,
      created_at: now,
      expires_at: new Date(now.getTime() + 60_000),
    }));
    await t.database.owner.insertInto('invitations').values(rows).execute();
    const at = { by: host, project: crowded };
    const answers = await Promise.all(['one', 'two', 'three'].map((name) => invite(name, at)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    for (const name of [guest.username, 'nobody-here'])
      expect((await invite(name, at)).body.code).toBe('invitation.too_many');
    expect((await invite('crowd-7', at)).status).toBe(200);
  });
});

describe('with concurrent requests (attack 9)', () => {
  it('accepting, declining and withdrawing an invitation succeeds only once', async () => {
    for (let i = 0; i < 5; i += 1) {
      const guest = await t.createMember('viewer', beta);
      const { id } = (await invite(guest.username)).body;
      const [accepted, withdrawn] = await Promise.all([answer(guest, id, 'accept'), withdraw(id)]);
      expect([accepted.status === 200, withdrawn.status === 204].filter(Boolean)).toHaveLength(1);
      expect((await roleOf(guest)) !== undefined).toBe(accepted.status === 200);
      const again = (await invite(guest.username)).body.id;
      if (accepted.status === 200) continue;
      const [yes, no] = await Promise.all([answer(guest, again, 'accept'), answer(guest, again, 'decline')]);
      expect([yes.status === 200, no.status === 204].filter(Boolean)).toHaveLength(1);
      await withdraw(again);
    }
  });

  it('an owner who adds the account and the account that accepts create one membership', async () => {
    for (let i = 0; i < 5; i += 1) {
      const guest = await t.createMember('viewer', beta);
      const { id } = (await invite(guest.username)).body;
      const answers = await Promise.all([
        answer(guest, id, 'accept'),
        invite(guest.username, { by: t.owner, role: 'editor' }),
      ]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(answers.every(({ status }) => status < 500)).toBe(true);
      expect(await roleOf(guest)).toBeDefined();
    }
  });

  it('a deleted project and a disabled or deleted account leave no membership behind', async () => {
    const ends = [
      (_: TestCaller, project: string) => t.owner.call('DELETE', `/api/v3/setting/project/${project}`),
      (guest: TestCaller) => t.owner.call('PATCH', `${USERS}/${guest.userId}`, { active: false }),
      (guest: TestCaller) => t.owner.call('DELETE', `${USERS}/${guest.userId}`),
    ];
    for (const end of ends) {
      const project = await t.createProject(`ends-${createId().slice(-8)}`);
      const host = await t.createMember('admin', project);
      const guest = await t.createMember('viewer', beta);
      const { id } = (await invite(guest.username, { by: host, project })).body;
      const [accepted, ended] = await Promise.all([answer(guest, id, 'accept'), end(guest, project)]);
      expect([accepted.status < 500, ended.status < 300], JSON.stringify([accepted.body, ended.body])).toEqual([
        true,
        true,
      ]);
      expect((await answer(guest, id, 'accept')).status).toBeGreaterThanOrEqual(400);
      const left = await t.database.db
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .innerJoin('projects', 'projects.id', 'memberships.project_id')
        .select('user_id')
        .where('user_id', '=', guest.userId)
        .where('project_id', '=', project)
        .where('active', '=', true)
        .execute();
      expect(left.length > 0 && accepted.status !== 200).toBe(false);
    }
  });

  it('inviting the same name many times creates one invitation', async () => {
    const name = `crowd-${createId().slice(-8)}`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => invite(name)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });
});

/** Signs in again after a new role or a disabled account ended the session. */
async function again(caller: TestCaller): Promise<TestCaller> {
  const { username, password } = caller;
  const login = await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
  const headers = { authorization: `Bearer ${login.json().access_token}` };
  return { ...caller, call: (method, url, body) => t.owner.call(method, url, body, headers) };
}
