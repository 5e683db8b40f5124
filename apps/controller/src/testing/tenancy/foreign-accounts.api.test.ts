import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../controller.ts';

/**
 * Administrators of alpha call every route about an account with accounts of beta. The answers must not depend on
 * anything in beta, and beta's accounts must not change.
 */
let t: TestController;
let alpha: string;
let beta: string;
const admins: Record<'admin' | 'owner', TestCaller> = {} as never;
let stranger: TestCaller;
let betaAdmin: TestCaller;
let group: string;

const USERS = '/api/v3/setting/users';
type Ask = readonly [method: string, path: string, body?: object];

beforeAll(async () => {
  t = await createTestController();
  alpha = await t.createProject('alpha');
  beta = await t.createProject('beta');
  admins.admin = await t.createMember('admin', alpha);
  admins.owner = await t.createMember('owner', alpha);
  stranger = await t.createMember('viewer', beta);
  betaAdmin = await t.createMember('admin', beta);
  await t.owner.call('PATCH', `${USERS}/${stranger.userId}`, { email: 'secret@beta.example' });
  const made = await admins.admin.call('POST', `/api/v3/setting/groups?project=${alpha}`, { name: 'team' });
  group = made.body.id;
});
afterAll(() => t.close());

/** Every route about one account, with a valid body. */
const BY_ID: Readonly<Record<string, (id: string) => Ask>> = {
  read: (id) => ['GET', `${USERS}/${id}?project=${alpha}`],
  'plan of deletion': (id) => ['GET', `${USERS}/${id}/deletion?project=${alpha}`],
  replace: (id) => [
    'PUT',
    `${USERS}/${id}?project=${alpha}`,
    { username: 'taken-over', email: null, is_owner: false, active: true },
  ],
  'switch off': (id) => ['PATCH', `${USERS}/${id}?project=${alpha}`, { active: false }],
  'set the password': (id) => ['PATCH', `${USERS}/${id}?project=${alpha}`, { password: 'quiet evening by the river' }],
  'take home': (id) => ['PATCH', `${USERS}/${id}?project=${alpha}`, { home_project: alpha }],
  delete: (id) => ['DELETE', `${USERS}/${id}?project=${alpha}`],
  'list sessions': (id) => ['GET', `${USERS}/${id}/sessions?project=${alpha}`],
  'end sessions': (id) => ['DELETE', `${USERS}/${id}/sessions?project=${alpha}`],
  'end a session': (id) => ['DELETE', `${USERS}/${id}/sessions/${FREE}?project=${alpha}`],
  unlock: (id) => ['POST', `${USERS}/${id}/unlock?project=${alpha}`],
  'give a role': (id) => ['PUT', `${USERS}/${id}/memberships/${alpha}`, { role: 'viewer' }],
  'end the membership': (id) => ['DELETE', `${USERS}/${id}/memberships/${alpha}`],
  'put into a group': (id) => ['PUT', `/api/v3/setting/groups/${group}/members/${id}?project=${alpha}`],
  'give a permission': (id) => [
    'POST',
    `/api/v3/setting/permissions?project=${alpha}`,
    { subject: { kind: 'user', id }, resource: { kind: 'policy', id: null }, level: 'view' },
  ],
  'reset the second factor': (id) => ['POST', `/api/v3/setting/otp/reset-user/${id}`],
};
const FREE = createId();

/** Lists that can be filtered by a name, an address or an id. */
const BY_TEXT: Readonly<Record<string, (text: string) => string>> = {
  users: (text) => `${USERS}?project=${alpha}&q=${text}`,
  audit: (text) => `/api/v3/audit/logs?project=${alpha}&user=${text}`,
  'audit by text': (text) => `/api/v3/audit/logs?project=${alpha}&q=${text}`,
  search: (text) => `/api/v3/search?project=${alpha}&q=${text}`,
  groups: (text) => `/api/v3/setting/groups/${group}/members?project=${alpha}&q=${text}`,
};

const everything = async () => {
  const rows = await t.database.owner.selectFrom('users').selectAll().where('id', '=', stranger.userId).execute();
  const members = t.database.owner.selectFrom('memberships').selectAll().where('user_id', '=', stranger.userId);
  return { rows, members: await members.execute() };
};

describe.each(['admin', 'owner'] as const)('%s of alpha (attack 9)', (role) => {
  it.each(Object.keys(BY_ID))(
    'gets the same answer to %s for an account of beta as for an unknown one',
    async (name) => {
      const ask = BY_ID[name];
      if (!ask) throw new Error(name);
      const before = await everything();
      const never = createId();
      const answers = [];
      for (const id of [stranger.userId, never])
        for (const dry of [true, false]) {
          const [method, path, body] = ask(id);
          const url = dry && method !== 'GET' ? `${path}${path.includes('?') ? '&' : '?'}dry_run=true` : path;
          const { status, body: said } = await admins[role].call(method, url, body);
          const { request_id: _, ...rest } = said as Record<string, unknown>;
          expect(status).toBeGreaterThanOrEqual(400);
          answers.push(`${status} ${JSON.stringify(rest).replaceAll(id, '<id>')}`);
        }
      expect(new Set(answers).size, answers.join('\n')).toBe(1);
      expect(await everything()).toEqual(before);
      expect((await stranger.call('GET', '/api/v3/profile')).status).toBe(200);
    },
  );

  it.each(Object.keys(BY_TEXT))('finds nothing of beta by a list of %s', async (name) => {
    for (const text of [stranger.username, stranger.userId, 'secret@beta.example']) {
      const { status, body } = await admins[role].call('GET', BY_TEXT[name]?.(encodeURIComponent(text)) ?? '');
      expect(status, JSON.stringify(body)).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/secret@beta|beta"/);
      expect(body.items ?? []).toEqual([]);
    }
  });
});

describe('an account of beta that has joined alpha (attack 9)', () => {
  let guest: TestCaller;
  beforeAll(async () => {
    guest = await t.createMember('viewer', beta);
    const body = { username: guest.username, role: 'viewer' };
    const { id } = (await admins.owner.call('POST', `/api/v3/setting/memberships?project=${alpha}`, body)).body;
    expect((await guest.call('POST', `/api/v3/profile/invitations/${id}/accept`)).status).toBe(200);
  });

  it.each(['admin', 'owner'] as const)('is a member whose roles %s of alpha can change, and no more', async (role) => {
    const account = [
      ...['plan of deletion', 'replace', 'switch off', 'set the password', 'take home', 'delete'],
      ...['list sessions', 'end sessions', 'end a session', 'unlock'],
    ];
    for (const name of account) {
      const [method, path, body] = BY_ID[name]?.(guest.userId) ?? ['', ''];
      const { status, body: said } = await admins[role].call(method, path, body);
      expect([name, status, said.code]).toEqual([name, 403, 'user.other_projects']);
      expect(said.message).not.toContain('beta');
    }
    const read = (await admins[role].call('GET', `${USERS}/${guest.userId}?project=${alpha}`)).body;
    expect(read).toMatchObject({ administrable: false, home_project: null, home_project_name: null });
    expect(read.memberships).toMatchObject([{ project: alpha }]);
    const change = BY_ID['give a role']?.(guest.userId) ?? ['', ''];
    expect((await admins[role].call(change[0], change[1], { role: 'editor' })).status).toBe(200);
  });

  it('stays under the authority of its home, whatever role it has in alpha', async () => {
    await t.owner.call('PUT', `${USERS}/${guest.userId}/memberships/${alpha}`, { role: 'owner' });
    const at = `${USERS}/${guest.userId}`;
    const read = (await betaAdmin.call('GET', `${at}?project=${beta}`)).body;
    expect(read).toMatchObject({ administrable: true, home_project: beta, home_project_name: 'beta' });
    expect(JSON.stringify(read)).not.toContain(alpha);
    const plan = (await betaAdmin.call('GET', `${at}/deletion?project=${beta}`)).body;
    expect(JSON.stringify(plan)).not.toContain('alpha');
    expect((await betaAdmin.call('POST', `${at}/unlock?project=${beta}`)).status).toBe(204);
    expect((await betaAdmin.call('GET', `${at}/sessions?project=${beta}`)).status).toBe(200);
    expect((await betaAdmin.call('PATCH', `${at}?project=${beta}`, { email: 'new@beta.example' })).status).toBe(200);
    expect((await betaAdmin.call('DELETE', `${at}/sessions?project=${beta}`)).status).toBe(204);
    expect((await guest.call('GET', '/api/v3/profile')).status).toBe(401);
    // Also if it is the last administrator of another project, which has no say in this.
    const alone = await t.createProject('alone');
    await t.owner.call('PUT', `${at}/memberships/${alone}`, { role: 'owner' });
    expect((await betaAdmin.call('PATCH', `${at}?project=${beta}`, { active: false })).status).toBe(200);
  });
});

describe('authority over an account (attack 9)', () => {
  it("is limited by the caller's role in its home, and the refusal says so", async () => {
    const chief = await t.createMember('owner', alpha);
    const { status, body } = await admins.admin.call('PATCH', `${USERS}/${chief.userId}?project=${alpha}`, {
      active: false,
    });
    expect([status, body.code]).toEqual([403, 'role.too_high']);
    expect(body.message).toContain('owner');
  });

  it('comes with the home only, which owners of the installation set', async () => {
    const member = await t.createMember('viewer', beta);
    const at = `${USERS}/${member.userId}`;
    const home = (by: TestCaller, value: string | null, query = '') =>
      by.call('PATCH', `${at}${query}`, { home_project: value });
    expect((await home(betaAdmin, null, `?project=${beta}`)).body.code).toBe('owner.required');
    expect((await home(betaAdmin, beta, `?project=${beta}`)).status).toBe(200);
    expect((await home(t.owner, createId())).body.code).toBe('request.invalid');
    expect((await home(t.owner, null)).status).toBe(200);
    expect((await betaAdmin.call('PATCH', `${at}?project=${beta}`, { active: false })).body.code).toBe(
      'user.other_projects',
    );
    expect((await home(t.owner, alpha)).status).toBe(200);
    expect((await admins.admin.call('PATCH', `${at}?project=${alpha}`, { active: false })).status).toBe(200);
  });

  it('belongs to the installation if its home is deleted', async () => {
    const project = await t.createProject('short-lived');
    const member = await t.createMember('viewer', project);
    const chief = await t.createMember('admin', project);
    await t.owner.call('PUT', `${USERS}/${member.userId}/memberships/${alpha}`, { role: 'viewer' });
    await t.owner.call('PUT', `${USERS}/${chief.userId}/memberships/${alpha}`, { role: 'admin' });
    expect((await t.owner.call('DELETE', `/api/v3/setting/project/${project}`)).status).toBe(204);
    expect((await t.owner.call('GET', `${USERS}/${member.userId}`)).body).toMatchObject({ home_project: null });
    for (const by of [admins.owner, chief])
      expect((await by.call('PATCH', `${USERS}/${member.userId}?project=${alpha}`, { active: false })).body.code).toBe(
        'user.other_projects',
      );
  });

  it('belongs to the project that creates it for a new account', async () => {
    const make = (by: TestCaller, query: string, body: object) =>
      by.call('POST', `${USERS}${query}`, { username: `new-${createId().slice(-8)}`, ...body });
    const member = (project: string) => ({ project, role: 'viewer' });
    const cases: [TestCaller, string, object, string | null][] = [
      [admins.admin, `?project=${alpha}`, { memberships: [member(alpha)] }, alpha],
      [t.owner, `?project=${alpha}`, { memberships: [member(alpha)] }, alpha],
      [t.owner, '', { memberships: [member(beta)] }, beta],
      [t.owner, '', { memberships: [member(alpha), member(beta)] }, null],
      [t.owner, '', { memberships: [] }, null],
      [t.owner, '', { is_owner: true, memberships: [member(alpha)] }, null],
      [t.owner, '', { memberships: [member(alpha), member(beta)], home_project: beta }, beta],
    ];
    for (const [by, query, body, home] of cases) {
      const made = await make(by, query, body);
      expect([made.status, made.body.home_project], JSON.stringify([query, body])).toEqual([201, home]);
    }
    const refused = await make(admins.admin, `?project=${alpha}`, { memberships: [member(alpha)], home_project: beta });
    expect(refused.body.code).toBe('owner.required');
  });
});
