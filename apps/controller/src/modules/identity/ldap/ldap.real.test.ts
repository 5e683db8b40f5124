import { describe, expect, it } from 'vitest';
import { holdAccounts } from '../sessions/testing/attempts.ts';
import { PASSWORD, stageDirectory } from './testing/directory.ts';

const here = stageDirectory();
const { configure, signIn } = here;

async function rolesOf(
  username: string,
  project = here.t.project,
): Promise<{ role: string; given_by: string | null } | undefined> {
  return here.t.database.db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['role', 'given_by'])
    .where('username', '=', username)
    .where('project_id', '=', project)
    .executeTakeFirst();
}

describe('signing in with a name and a password of the directory', () => {
  it('creates an account with the roles of its groups and without a local password', async () => {
    await configure();
    const first = await signIn('alice');
    expect(first.statusCode).toBe(200);
    expect(first.json().user).toMatchObject({
      username: 'alice',
      is_owner: false,
      email: 'alice@example.org',
      memberships: [{ project: here.t.project, role: 'editor' }],
    });
    const again = await signIn('ALICE');
    expect(again.json().user.id).toBe(first.json().user.id);
    for (const password of [PASSWORD, 'not a password of anybody', 'null'])
      expect((await signIn('alice', password, 'local')).statusCode).toBe(401);
  });

  it('is offered as a realm, without revealing its address', async () => {
    const realms = await here.t.app.inject({ url: '/auth/realms' });
    expect(realms.json()).toMatchObject({
      items: [
        { name: 'local', kind: 'local', title: 'Flotilla', start: null },
        { name: 'ldap', kind: 'ldap', title: 'Example Inc.', start: null },
      ],
    });
  });

  it('answers wrong passwords, unknown names and ambiguous ones alike, and like those of local accounts', async () => {
    await configure();
    const answers = await Promise.all([
      signIn('bob', 'wrong'),
      signIn('nobody'),
      signIn('twin'),
      signIn('nobody', PASSWORD, 'local'),
    ]);
    const compared = answers.map((answer) => {
      const { request_id: _, ...body } = answer.json();
      return { status: answer.statusCode, body };
    });
    expect(new Set(compared.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(compared[0]).toMatchObject({ status: 401, body: { code: 'auth.wrong_credentials' } });
  });

  it('creates no account if no group gives a role', async () => {
    await configure();
    expect((await signIn('mallory')).json()).toMatchObject({ code: 'sign_in.no_access' });
    await configure({ create_users: false });
    expect((await signIn('bob')).json()).toMatchObject({ code: 'sign_in.no_access' });
    await configure();
  });

  it("never takes over a local account by its name, least of all the owner's", async () => {
    await configure();
    const member = await here.t.createMember('admin');
    await here.t.database.db.updateTable('users').set({ username: 'dora' }).where('id', '=', member.userId).execute();
    expect((await signIn('dora')).json()).toMatchObject({ code: 'sign_in.name_taken' });
    const linked = await here.t.database.db.selectFrom('external_identities').select('user_id').execute();
    expect(linked.map(({ user_id: id }) => id)).not.toContain(member.userId);
    expect(await findDenials('sign_in.name_taken')).toHaveLength(1);
  });

  it('follows the groups at the next sign-in, and keeps roles that people have given', async () => {
    await configure();
    const other = await here.t.createProject('of-people');
    const { user } = (await signIn('carol')).json();
    const set = await here.t.owner.call('PUT', `/api/v3/setting/users/${user.id}/memberships/${other}`, {
      role: 'admin',
    });
    expect(set.status).toBe(201);
    expect(await rolesOf('carol')).toEqual({ role: 'editor', given_by: 'ldap' });

    const rule = { group: 'Operators', project: here.t.project, role: 'viewer' };
    await configure({ mapping: { rules: [rule, { ...rule, project: other }] } });
    await signIn('carol');
    expect(await rolesOf('carol')).toEqual({ role: 'viewer', given_by: 'ldap' });
    expect(await rolesOf('carol', other)).toEqual({ role: 'admin', given_by: null });

    await configure({ mapping: { rules: [] } });
    const last = await signIn('carol');
    expect(last.json().user.memberships.map(({ project }: { project: string }) => project)).toEqual([other]);
    const records = await here.t.database.db
      .selectFrom('audit_log')
      .select(['action', 'actor_kind', 'actor_name'])
      .where('resource_id', '=', user.id)
      .where('actor_kind', '=', 'system')
      .orderBy('at')
      .execute();
    expect(records.map(({ action }) => action)).toEqual([
      'user.create',
      'membership.update',
      'membership.update',
      'membership.delete',
    ]);
    expect(records[0]?.actor_name).toBe('ldap');
  });

  it('keeps a role once a person has set it', async () => {
    await configure();
    const { user } = (await signIn('bob')).json();
    await here.t.owner.call('PUT', `/api/v3/setting/users/${user.id}/memberships/${here.t.project}`, {
      role: 'viewer',
    });
    await signIn('bob');
    expect(await rolesOf('bob')).toEqual({ role: 'viewer', given_by: null });
  });

  it('does not admit a person whose account is disabled here', async () => {
    await configure();
    const { user } = (await signIn('erika')).json();
    await here.t.owner.call('PATCH', `/api/v3/setting/users/${user.id}`, { active: false });
    expect((await signIn('erika')).json()).toMatchObject({ code: 'auth.wrong_credentials' });
  });

  it('requires the second factor like every other way to sign in', async () => {
    await configure();
    const { owner } = here.t;
    const enforce = await owner.call('PUT', '/api/v3/setting/otp-config', { otp_enforced: true });
    expect(enforce.status).toBe(200);
    const answer = await signIn('alice');
    expect(answer.json()).toMatchObject({ code: 'auth.factor_required', enrol: true });
    await owner.call('PUT', '/api/v3/setting/otp-config', { otp_enforced: false });
  });

  it('slows guessing down', async () => {
    await configure();
    const answers = [];
    for (let i = 0; i < 7; i += 1) answers.push((await signIn('owner-of-all', `guess-${i}`)).json().code);
    expect(answers.at(-1)).toBe('auth.throttled');
    expect((await signIn('owner-of-all')).json().code).toBe('auth.throttled');
  });

  it('slows guessing down for a name in all spellings that the directory accepts', async () => {
    await configure();
    const spellings = ['carol', 'CAROL', ' carol', 'carol ', 'ｃａｒｏｌ', ' Ｃarol', 'CaRoL'];
    const person = (await signIn('carol')).json().user.id;
    for (const name of spellings) expect((await signIn(name)).json().user?.id, name).toBe(person);
    for (const name of spellings) await signIn(name, 'wrong');
    await holdAccounts(here.t);
    for (const name of spellings) expect((await signIn(name)).json().code, name).toBe('auth.throttled');
  });

  it('uses the next server if one is unreachable; if all are, it says so, and local accounts still sign in', async () => {
    const dead = { url: 'ldap://localhost:1', start_tls: true };
    await configure({ servers: [dead, { url: here.ldap.tlsUrl, start_tls: false }] });
    expect((await signIn('alice')).statusCode).toBe(200);
    await here.ldap.stop();
    for (let i = 0; i < 8; i += 1)
      expect((await signIn('alice')).json()).toMatchObject({ code: 'sign_in.directory_unavailable' });
    expect((await signIn(here.t.owner.username, here.t.owner.password, 'local')).statusCode).toBe(200);
    await here.ldap.start();
    expect((await signIn('alice')).statusCode).toBe(200);
  });

  it('is not possible while it is switched off', async () => {
    await configure({ enabled: false });
    expect((await signIn('alice')).json()).toMatchObject({ code: 'sign_in.realm_unknown' });
    expect((await signIn('alice', PASSWORD, 'oidc')).json()).toMatchObject({ code: 'sign_in.realm_unknown' });
  });
});

describe('an account of a directory', () => {
  const call = (token: string, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
    here.t.app.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) });

  it('sets up its second factor with the password of the directory, and with no other', async () => {
    await configure();
    const { access_token: token } = (await signIn('dee')).json();
    const enable = (password: string) => call(token, 'POST', '/api/v3/profile/otp/enable', { password });
    expect((await enable('not a password of anybody')).json()).toMatchObject({ code: 'password.wrong' });
    expect((await enable(PASSWORD)).json()).toMatchObject({ backup_codes: expect.any(Array) });
  });

  it('has no local password and cannot get one, neither by itself nor from an administrator', async () => {
    await configure();
    const { access_token: token, user } = (await signIn('dee')).json();
    const password = 'Correct-Horse-7-Battery';
    const own = await call(token, 'PUT', '/api/v3/profile/password', {
      current_password: PASSWORD,
      new_password: password,
    });
    expect(own.json()).toMatchObject({ code: 'user.of_directory' });
    const mail = await call(token, 'PUT', '/api/v3/profile/email', { current_password: PASSWORD, email: null });
    expect(mail.json()).toMatchObject({ code: 'user.of_directory' });
    const set = await here.t.owner.call('PATCH', `/api/v3/setting/users/${user.id}`, { password });
    expect(set).toMatchObject({ status: 409, body: { code: 'user.of_directory' } });
    expect((await signIn('dee', password, 'local')).statusCode).toBe(401);
  });
});

describe('the settings of a directory', () => {
  it('are visible to owners only, because they reveal groups and roles of every project', async () => {
    await configure();
    const admin = await here.t.createMember('admin');
    const urls = ['/api/v3/setting/ldap-config', '/api/v3/setting/documents/ldap', '/api/v3/setting/revisions/ldap'];
    for (const url of urls) {
      expect(
        await admin.call('GET', `${url}${url.endsWith('config') ? '' : `?project=${here.t.project}`}`),
      ).toMatchObject({
        status: 403,
        body: { code: 'owner.required' },
      });
      expect((await here.t.owner.call('GET', url)).status).toBe(200);
    }
    const kinds = await admin.call('GET', `/api/v3/setting/documents?project=${here.t.project}`);
    const keys = kinds.body.items.map(({ key }: { key: string }) => key);
    expect(keys).toContain('syslog');
    expect(keys.filter((key: string) => ['ldap', 'oidc'].includes(key))).toEqual([]);
  });
});

async function findDenials(code: string): Promise<unknown[]> {
  for (const until = Date.now() + 90_000; ; ) {
    const rows = await here.t.database.db.selectFrom('audit_log').select('id').where('error_code', '=', code).execute();
    if (rows.length > 0 || Date.now() > until) return rows;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
