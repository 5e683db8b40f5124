import { createServer } from 'node:net';
import type { LdapSettings } from '@flotilla/contract';
import { LDAP_SETTINGS } from '@flotilla/contract';
import { createServerCertificate, findFreePorts, type LdapServer, startLdapServer } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../test-controller.ts';
import { askServer } from './directory.ts';

const PASSWORD = 'In-The-Directory-7';

const person = (uid: string, more = '', rdn = `uid=${uid}`) => `
dn: ${rdn},ou=people,dc=example,dc=org
objectClass: inetOrgPerson
cn: ${uid}
sn: ${uid}
uid: ${uid}
userPassword: ${PASSWORD}
mail: ${uid}@example.org
${more}`;

const group = (cn: string, ...members: string[]) => `
dn: cn=${cn},ou=groups,dc=example,dc=org
objectClass: groupOfNames
cn: ${cn}
${members.map((member) => `member: ${member},dc=example,dc=org`).join('\n')}
`;

const ENTRIES = `
dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=org
objectClass: organizationalUnit
ou: groups
${person('alice')}
${person('bob', 'memberOf: cn=operators,ou=groups,dc=example,dc=org\n')}
${person('carol')}
${person('dora')}
${person('erika')}
${person('twin', '', 'cn=one')}
${person('twin', '', 'cn=two')}
${person('mallory')}
${person('dee')}
${person('owner-of-all')}
${person('zoe', `uid:: ${Buffer.from('zoë').toString('base64')}\n`)}
${group('operators', 'uid=alice,ou=people', 'uid=bob,ou=people', 'uid=carol,ou=people', 'uid=dora,ou=people', 'uid=erika,ou=people', 'uid=owner-of-all,ou=people', 'uid=dee,ou=people')}
${group('night-shift', 'cn=operators,ou=groups')}
${group('loop', 'cn=night-shift,ou=groups', 'cn=loop,ou=groups')}
`;

let ldap: LdapServer;
let t: TestController;

beforeAll(async () => {
  ldap = await startLdapServer(ENTRIES);
  t = await createTestController();
});
afterAll(async () => {
  await t?.close();
  await ldap?.close();
});

function document(change: Record<string, unknown> = {}) {
  return {
    enabled: true,
    title: 'Example Inc.',
    servers: [{ url: ldap.url, start_tls: true }],
    ca: ldap.ca,
    bind_dn: ldap.bindDn,
    bind_password: ldap.bindPassword,
    base_dn: ldap.baseDn,
    groups: { from: 'search', nested: 'walk' },
    mapping: { rules: [{ group: `cn=operators,ou=groups,${ldap.baseDn}`, project: t.project, role: 'editor' }] },
    ...change,
  };
}

async function configure(change: Record<string, unknown> = {}): Promise<void> {
  const answer = await t.owner.call('PUT', '/api/v3/setting/ldap-config', document(change));
  expect(answer.body).toMatchObject({ key: 'ldap' });
}

function signIn(username: string, password = PASSWORD, realm = 'ldap') {
  return t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password, realm } });
}

async function rolesOf(
  username: string,
  project = t.project,
): Promise<{ role: string; given_by: string | null } | undefined> {
  return t.database.db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['role', 'given_by'])
    .where('username', '=', username)
    .where('project_id', '=', project)
    .executeTakeFirst();
}

const settings = (change: Record<string, unknown> = {}): LdapSettings => LDAP_SETTINGS.schema.parse(document(change));
const given = { username: 'alice', password: PASSWORD };

describe('asking a directory', () => {
  it.each([
    ['StartTLS', () => ({ url: ldap.url, start_tls: true })],
    ['LDAPS', () => ({ url: ldap.tlsUrl, start_tls: false })],
  ])('goes over %s, and finds who somebody is by what never changes', async (_name, server) => {
    const answer = await askServer(settings(), server(), { given });
    expect(answer).toMatchObject({
      kind: 'person',
      person: {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
        username: 'alice',
        email: 'alice@example.org',
        groups: expect.arrayContaining([
          `cn=operators,ou=groups,${ldap.baseDn}`,
          `cn=night-shift,ou=groups,${ldap.baseDn}`,
          `cn=loop,ou=groups,${ldap.baseDn}`,
        ]),
      },
    });
  });

  it('knows only the groups somebody is in directly, where nothing else is asked for', async () => {
    const answer = await askServer(
      settings({ groups: { from: 'search' } }),
      { url: ldap.tlsUrl, start_tls: false },
      { given },
    );
    expect(answer).toMatchObject({ person: { groups: [`cn=operators,ou=groups,${ldap.baseDn}`] } });
  });

  it('reads groups from the entry of the person', async () => {
    const bob = { username: 'bob', password: PASSWORD };
    const answer = await askServer(
      settings({ groups: { from: 'member_of' } }),
      { url: ldap.tlsUrl, start_tls: false },
      { given: bob },
    );
    expect(answer).toMatchObject({ person: { groups: [`cn=operators,ou=groups,${ldap.baseDn}`] } });
  });

  it.each([
    ['StartTLS', () => ({ url: ldap.url, start_tls: true })],
    ['LDAPS', () => ({ url: ldap.tlsUrl, start_tls: false })],
  ])('ends before anything is sent where the certificate of %s is of another authority', async (_name, server) => {
    const { certificatePem } = await createServerCertificate('localhost');
    await expect(askServer(settings({ ca: certificatePem }), server(), { given })).rejects.toMatchObject({
      step: 'tls',
    });
  });

  it('ends where the certificate is that of another name', async () => {
    const server = { url: ldap.tlsUrl.replace('localhost', '127.0.0.1'), start_tls: false };
    await expect(askServer(settings(), server, { given })).rejects.toMatchObject({ step: 'tls' });
  });

  it.each(['*', 'a*', '*)(uid=*', 'alice)(|(uid=*', 'alice\\', 'alice\0', '\\2a'])(
    'finds nobody by %j',
    async (username) => {
      const answer = await askServer(
        settings(),
        { url: ldap.tlsUrl, start_tls: false },
        { given: { username, password: PASSWORD } },
      );
      expect(answer).toEqual({ kind: 'unknown' });
    },
  );

  it('finds people whose names are not of ASCII letters', async () => {
    const zoe = { username: 'zoë', password: PASSWORD };
    const answer = await askServer(settings(), { url: ldap.tlsUrl, start_tls: false }, { given: zoe });
    expect(answer).toMatchObject({ kind: 'person', person: { username: 'zoë' } });
  });

  it('takes nobody where two entries have the name', async () => {
    const twin = { username: 'twin', password: PASSWORD };
    const answer = await askServer(settings(), { url: ldap.tlsUrl, start_tls: false }, { given: twin });
    expect(answer).toEqual({ kind: 'ambiguous' });
  });

  it.each(['', '\0', `${PASSWORD}\0`, `\0${PASSWORD}`])(
    'sends no password like %j, which a server may take for none',
    async (password) => {
      const nowhere = { url: 'ldap://127.0.0.1:1', start_tls: false };
      const answer = await askServer(settings(), nowhere, { given: { username: 'alice', password } });
      expect(answer).toEqual({ kind: 'wrong_password' });
    },
  );

  it('sends nothing that is secret where somebody in between answers StartTLS with more than its answer', async () => {
    const heard: Buffer[] = [];
    const between = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        heard.push(chunk);
        // The answer, and the beginning of another one that what is encrypted later would complete.
        const answer = Buffer.from('300c02010178070a010004000400', 'hex');
        socket.write(Buffer.concat([answer, Buffer.from('302002010161', 'hex')]));
      });
    });
    const [port = 0] = await findFreePorts(1);
    await new Promise<void>((resolve) => between.listen(port, '127.0.0.1', resolve));
    const server = { url: `ldap://localhost:${port}`, start_tls: true };
    await expect(askServer(settings(), server, { given })).rejects.toMatchObject({ step: 'tls' });
    between.close();
    expect(heard).toHaveLength(1);
    expect(Buffer.concat(heard).includes('1.3.6.1.4.1.1466.20037')).toBe(true);
  });

  it('waits no longer than it may for a server that says nothing', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    const [port = 0] = await findFreePorts(1);
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    const server = { url: `ldap://localhost:${port}`, start_tls: true };
    await expect(askServer(settings({ timeout_ms: 300 }), server, { given })).rejects.toMatchObject({ step: 'tls' });
    await expect(
      askServer(settings({ timeout_ms: 300 }), { ...server, start_tls: false }, { given }),
    ).rejects.toMatchObject({ step: 'bind' });
    silent.close();
  });
});

describe('signing in with a name and a password of the directory', () => {
  it('makes an account that has the roles of its groups, and no password here', async () => {
    await configure();
    const first = await signIn('alice');
    expect(first.statusCode).toBe(200);
    expect(first.json().user).toMatchObject({
      username: 'alice',
      is_owner: false,
      email: 'alice@example.org',
      memberships: [{ project: t.project, role: 'editor' }],
    });
    const again = await signIn('ALICE');
    expect(again.json().user.id).toBe(first.json().user.id);
    for (const password of [PASSWORD, 'not a password of anybody', 'null'])
      expect((await signIn('alice', password, 'local')).statusCode).toBe(401);
  });

  it('is one of the realms, which tell nothing of where they are', async () => {
    const realms = await t.app.inject({ url: '/auth/realms' });
    expect(realms.json()).toMatchObject({
      items: [
        { name: 'local', kind: 'local', title: 'Flotilla', start: null },
        { name: 'ldap', kind: 'ldap', title: 'Example Inc.', start: null },
      ],
    });
  });

  it('answers wrong passwords, unknown names and doubled ones alike, and as for accounts of here', async () => {
    await configure();
    const answers = await Promise.all([
      signIn('bob', 'wrong'),
      signIn('nobody'),
      signIn('twin'),
      signIn('nobody', PASSWORD, 'local'),
    ]);
    const told = answers.map((answer) => {
      const { request_id: _, ...body } = answer.json();
      return { status: answer.statusCode, body };
    });
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(told[0]).toMatchObject({ status: 401, body: { code: 'auth.wrong_credentials' } });
  });

  it('gives no account to whom no group gives a role', async () => {
    await configure();
    expect((await signIn('mallory')).json()).toMatchObject({ code: 'sign_in.no_access' });
    await configure({ create_users: false });
    expect((await signIn('bob')).json()).toMatchObject({ code: 'sign_in.no_access' });
    await configure();
  });

  it('never takes over an account of here by its name, not the owner of all either', async () => {
    await configure();
    const member = await t.createMember('admin');
    await t.database.db.updateTable('users').set({ username: 'dora' }).where('id', '=', member.userId).execute();
    expect((await signIn('dora')).json()).toMatchObject({ code: 'sign_in.name_taken' });
    const linked = await t.database.db.selectFrom('external_identities').select('user_id').execute();
    expect(linked.map(({ user_id: id }) => id)).not.toContain(member.userId);
    expect(await findDenials('sign_in.name_taken')).toHaveLength(1);
  });

  it('follows the groups at the next sign-in, and leaves what people have given', async () => {
    await configure();
    const other = await t.createProject('of-people');
    const { user } = (await signIn('carol')).json();
    const set = await t.owner.call('PUT', `/api/v3/setting/users/${user.id}/memberships/${other}`, { role: 'admin' });
    expect(set.status).toBe(200);
    expect(await rolesOf('carol')).toEqual({ role: 'editor', given_by: 'ldap' });

    const rule = { group: 'Operators', project: t.project, role: 'viewer' };
    await configure({ mapping: { rules: [rule, { ...rule, project: other }] } });
    await signIn('carol');
    expect(await rolesOf('carol')).toEqual({ role: 'viewer', given_by: 'ldap' });
    expect(await rolesOf('carol', other)).toEqual({ role: 'admin', given_by: null });

    await configure({ mapping: { rules: [] } });
    const last = await signIn('carol');
    expect(last.json().user.memberships.map(({ project }: { project: string }) => project)).toEqual([other]);
    const records = await t.database.db
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

  it('keeps a role that a person has set, from then on', async () => {
    await configure();
    const { user } = (await signIn('bob')).json();
    await t.owner.call('PUT', `/api/v3/setting/users/${user.id}/memberships/${t.project}`, { role: 'viewer' });
    await signIn('bob');
    expect(await rolesOf('bob')).toEqual({ role: 'viewer', given_by: null });
  });

  it('lets nobody in whose account is switched off here', async () => {
    await configure();
    const { user } = (await signIn('erika')).json();
    await t.owner.call('PATCH', `/api/v3/setting/users/${user.id}`, { active: false });
    expect((await signIn('erika')).json()).toMatchObject({ code: 'auth.wrong_credentials' });
  });

  it('asks for the second factor like every other way in', async () => {
    await configure();
    const owner = t.owner as TestCaller;
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

  it('asks the next server where one is away; where all are, says so, and accounts of here still sign in', async () => {
    const dead = { url: 'ldap://localhost:1', start_tls: true };
    await configure({ servers: [dead, { url: ldap.tlsUrl, start_tls: false }] });
    expect((await signIn('alice')).statusCode).toBe(200);
    await ldap.stop();
    for (let i = 0; i < 8; i += 1)
      expect((await signIn('alice')).json()).toMatchObject({ code: 'sign_in.directory_unavailable' });
    expect((await signIn(t.owner.username, t.owner.password, 'local')).statusCode).toBe(200);
    await ldap.start();
    expect((await signIn('alice')).statusCode).toBe(200);
  });

  it('is no way in while it is switched off', async () => {
    await configure({ enabled: false });
    expect((await signIn('alice')).json()).toMatchObject({ code: 'sign_in.realm_unknown' });
    expect((await signIn('alice', PASSWORD, 'oidc')).json()).toMatchObject({ code: 'sign_in.realm_unknown' });
  });
});

describe('an account of a directory', () => {
  const call = (token: string, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
    t.app.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) });

  it('sets its second factor up with the password of the directory, and with no other', async () => {
    await configure();
    const { access_token: token } = (await signIn('dee')).json();
    const enable = (password: string) => call(token, 'POST', '/api/v3/profile/otp/enable', { password });
    expect((await enable('not a password of anybody')).json()).toMatchObject({ code: 'password.wrong' });
    expect((await enable(PASSWORD)).json()).toMatchObject({ backup_codes: expect.any(Array) });
  });

  it('has no password here, and gets none: neither by itself nor by an administrator', async () => {
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
    const set = await t.owner.call('PATCH', `/api/v3/setting/users/${user.id}`, { password });
    expect(set).toMatchObject({ status: 409, body: { code: 'user.of_directory' } });
    expect((await signIn('dee', password, 'local')).statusCode).toBe(401);
  });
});

describe('the configuration', () => {
  it('is the owners’ alone to see: it tells of the groups and roles of every project', async () => {
    await configure();
    const admin = await t.createMember('admin');
    const urls = ['/api/v3/setting/ldap-config', '/api/v3/setting/documents/ldap', '/api/v3/setting/revisions/ldap'];
    for (const url of urls) {
      expect(await admin.call('GET', `${url}${url.endsWith('config') ? '' : `?project=${t.project}`}`)).toMatchObject({
        status: 403,
        body: { code: 'owner.required' },
      });
      expect((await t.owner.call('GET', url)).status).toBe(200);
    }
    const kinds = await admin.call('GET', `/api/v3/setting/documents?project=${t.project}`);
    const keys = kinds.body.items.map(({ key }: { key: string }) => key);
    expect(keys).toContain('syslog');
    expect(keys.filter((key: string) => ['ldap', 'oidc'].includes(key))).toEqual([]);
  });
});

describe('trying a configuration that is not saved', () => {
  const test = (body: unknown) => t.owner.call('POST', '/api/v3/setting/documents/ldap/test', body);

  it('says which step fails, server by server', async () => {
    const good = await test(document());
    expect(good.body).toMatchObject({ ok: true });
    expect(good.body.steps.map(({ name }: { name: string }) => name.split(' ')[0])).toEqual(['tls', 'bind']);
    const wrong = await test(document({ bind_password: 'not it' }));
    expect(wrong.body).toMatchObject({ ok: false, steps: [{ ok: true }, { ok: false }] });
    expect(wrong.body.steps[1].name).toMatch(/^bind /);
    expect(JSON.stringify(wrong.body)).not.toContain('not it');
    const away = await test(document({ servers: [{ url: 'ldaps://localhost:1' }] }));
    expect(away.body.steps).toMatchObject([{ ok: false, name: 'connect ldaps://localhost:1' }]);
    const clear = await test(document({ servers: [{ url: 'ldap://directory.example', start_tls: false }] }));
    expect(clear.status).toBe(400);
  });

  it('sends the stored password nowhere else', async () => {
    await configure();
    const { bind_password: _, ...elsewhere } = document({ servers: [{ url: 'ldaps://localhost:1' }] });
    expect((await test(elsewhere)).body).toMatchObject({ code: 'setting.secrets_again' });
    const { bind_password: __, ...same } = document();
    expect((await test(same)).body).toMatchObject({ ok: true });
  });
});

describe('trying a sign-in', () => {
  const test = (body: object, caller = t.owner) =>
    caller.call('POST', '/api/v3/setting/ldap-config/test-auth', { username: 'alice', password: PASSWORD, ...body });

  it('shows who is found and which roles that gives, and makes nothing of it', async () => {
    await t.owner.call('DELETE', '/api/v3/setting/ldap-config');
    const before = await t.database.db.selectFrom('users').select('id').execute();
    const answer = await test({ username: 'dora', configuration: document() });
    expect(answer.body).toMatchObject({
      ok: true,
      person: {
        username: 'dora',
        dn: `uid=dora,ou=people,${ldap.baseDn}`,
        roles: [{ project: t.project, role: 'editor' }],
      },
    });
    expect(await t.database.db.selectFrom('users').select('id').execute()).toHaveLength(before.length);
  });

  it('says at which step it ends, and nothing of what was typed', async () => {
    const wrong = await test({ password: 'typed-wrong', configuration: document() });
    expect(wrong.body).toMatchObject({ ok: false, person: null });
    expect(wrong.body.steps.at(-1)).toMatchObject({ ok: false, name: `password ${ldap.url}` });
    const nobody = await test({ username: 'nobody', configuration: document() });
    expect(nobody.body.steps.at(-1)).toMatchObject({ ok: false, name: `search ${ldap.url}` });
    expect(JSON.stringify([wrong.body, nobody.body])).not.toContain('typed-wrong');
    const audit = await t.database.db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'setting.test')
      .execute();
    expect(audit.length).toBeGreaterThan(0);
    for (const secret of ['typed-wrong', PASSWORD, ldap.bindPassword])
      expect(JSON.stringify(audit)).not.toContain(secret);
  });

  it('is for owners of the installation', async () => {
    const admin = await t.createMember('admin');
    expect((await test({}, admin)).status).toBe(403);
  });
});

async function findDenials(code: string): Promise<unknown[]> {
  for (const until = Date.now() + 30_000; ; ) {
    const rows = await t.database.db.selectFrom('audit_log').select('id').where('error_code', '=', code).execute();
    if (rows.length > 0 || Date.now() > until) return rows;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
