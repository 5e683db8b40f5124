import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { TestAuthenticator } from '@flotilla/testkit';
import { beforeEach, expect, it, vi } from 'vitest';
import { SYSTEM } from '../../../platform/jobs/testing/jobs.ts';
import { PASSWORD, stageDirectory } from '../ldap/testing/directory.ts';

const here = stageDirectory();
const { configure } = here;
beforeEach(() => configure());

/** Signs in with the directory's password over the API. */
async function signIn(username: string) {
  const { access_token: token, user, code } = (await here.signIn(username)).json();
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (url = '/api/v3/profile') => (await here.t.app.inject({ url, headers })).statusCode;
  return { code, userId: user?.id as string, headers, ask };
}

/** Runs the recheck job to its end. */
async function recheck() {
  const type = here.t.controller.jobs.types.get('directories.recheck');
  if (!type) throw new Error('there is no such job');
  const order = { id: '00000000-0000-7000-8000-000000000001', params: {}, project: null, actor: SYSTEM };
  // The schedule may have started one at this moment.
  const { id } = await vi.waitFor(
    () => here.t.database.db.transaction().execute((tx) => here.t.controller.jobs.enqueue(tx, type, order)),
    { timeout: 90_000 },
  );
  return vi.waitFor(
    async () => {
      const job = await here.t.database.db
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (job.ended_at === null) throw new Error(`the job is ${job.status}`);
      return job;
    },
    { timeout: 90_000 },
  );
}

const dn = (uid: string) => `dn: uid=${uid},ou=people,${here.ldap.baseDn}`;
const operators = () => `dn: cn=operators,ou=groups,${here.ldap.baseDn}\nchangetype: modify`;
const member = (uid: string) => `member: uid=${uid},ou=people,${here.ldap.baseDn}`;

async function roleOf(userId: string): Promise<string | undefined> {
  const row = await here.t.database.db
    .selectFrom('memberships')
    .select('role')
    .where('user_id', '=', userId)
    .where('project_id', '=', here.t.project)
    .executeTakeFirst();
  return row?.role;
}

it('a person who is gone from the directory is signed out without a new sign-in, and cannot get in by any other way', async () => {
  const [alice, bob] = [await signIn('alice'), await signIn('bob')];
  // A person with a role given by an admin, and a token that depends on it.
  const place = `/api/v3/setting/users/${alice.userId}/memberships/${here.t.project}`;
  expect((await here.t.owner.call('PUT', place, { role: 'admin' })).status).toBe(200);
  const made = await here.t.app.inject({
    method: 'POST',
    url: `/api/v3/setting/tokens?project=${here.t.project}`,
    headers: alice.headers,
    payload: { name: 'of-alice', role: 'viewer' },
  });
  expect(made.statusCode).toBe(201);
  const byToken = async () =>
    (
      await here.t.app.inject({
        url: `/api/v3/overview?project=${here.t.project}`,
        headers: { authorization: `Bearer ${made.json().token}` },
      })
    ).statusCode;
  expect([await alice.ask(), await byToken()]).toEqual([200, 200]);

  await here.ldap.change(`${dn('alice')}\nchangetype: delete`);
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect([await alice.ask(), await byToken(), await bob.ask()]).toEqual([401, 401, 200]);
  const ended = await here.t.database.db
    .selectFrom('sessions')
    .select('end_reason')
    .where('user_id', '=', alice.userId)
    .execute();
  expect(ended).toEqual([{ end_reason: 'gone_from_directory' }]);
  expect((await signIn('alice')).code).toBe('auth.wrong_credentials');
  const entries = await here.t.database.db
    .selectFrom('audit_log')
    .select(['action', 'actor_kind', 'actor_name'])
    .where('resource_id', '=', alice.userId)
    .where('action', 'like', 'user.%')
    .orderBy('at')
    .execute();
  expect(entries.at(-1)).toEqual({ action: 'user.gone', actor_kind: 'system', actor_name: 'ldap' });

  // A new entry with the same name is another person; this one stays signed out.
  await here.ldap.change(
    `${dn('alice')}\nchangetype: add\nobjectClass: inetOrgPerson\ncn: alice\nsn: alice\nuid: alice\nuserPassword: ${PASSWORD}`,
  );
  await recheck();
  expect(await byToken()).toBe(401);
  expect((await signIn('alice')).code).toBe('sign_in.name_taken');
});

it('a group removed in the directory loses its role here, and an added one gives it', async () => {
  const carol = await signIn('carol');
  expect(await roleOf(carol.userId)).toBe('editor');
  const overview = `/api/v3/overview?project=${here.t.project}`;
  expect(await carol.ask(overview)).toBe(200);

  await here.ldap.change(`${operators()}\ndelete: member\n${member('carol')}`);
  await recheck();
  expect(await roleOf(carol.userId)).toBeUndefined();
  expect([await carol.ask(), await carol.ask(overview)]).toEqual([200, 403]);

  await here.ldap.change(`${operators()}\nadd: member\n${member('carol')}`);
  await recheck();
  expect(await roleOf(carol.userId)).toBe('editor');
  expect(await carol.ask(overview)).toBe(200);
});

it('the last administrator of a project keeps the role, even if no group gives it any more', async () => {
  const project = await here.t.createProject('of one group');
  const rule = { group: 'operators', project, role: 'admin' };
  await configure({ mapping: { rules: [rule] } });
  const [bob, erika] = [await signIn('bob'), await signIn('erika')];
  const administrators = async () => {
    const rows = await here.t.database.db
      .selectFrom('memberships')
      .select('user_id')
      .where('project_id', '=', project)
      .execute();
    return rows.map(({ user_id: id }) => id);
  };
  expect((await administrators()).toSorted()).toEqual([bob.userId, erika.userId].toSorted());
  await configure({ mapping: { rules: [] } });
  await recheck();
  expect(await administrators()).toHaveLength(1);
  await recheck();
  expect(await administrators()).toHaveLength(1);
});

it('the only administrator of two projects gets a higher role by a group in one of them, and keeps the role in the other', async () => {
  const [rising, kept] = [
    await here.t.createProject('of one who rises'),
    await here.t.createProject('of one who stays'),
  ];
  const rule = (project: string, role: string) => ({ group: 'operators', project, role });
  await configure({ mapping: { rules: [rule(rising, 'admin'), rule(kept, 'admin')] } });
  const { userId } = await signIn('bob');
  await configure({ mapping: { allow_owner: true, rules: [rule(rising, 'owner')] } });
  await signIn('bob');
  const rows = await here.t.database.db
    .selectFrom('memberships')
    .select(['project_id', 'role'])
    .where('user_id', '=', userId)
    .where('project_id', 'in', [rising, kept])
    .execute();
  expect(new Map(rows.map(({ project_id: id, role }) => [id, role]))).toEqual(
    new Map([
      [rising, 'owner'],
      [kept, 'admin'],
    ]),
  );
});

it('a person whom the filter of the settings no longer matches is gone, and back when it matches again', async () => {
  const dee = await signIn('dee');
  await configure({ user_filter: '(&(objectClass=person)(uid={username})(!(mail=dee@example.org)))' });
  await recheck();
  expect(await dee.ask()).toBe(401);
  await configure();
  const again = await signIn('dee');
  expect(await again.ask()).toBe(200);
  const entries = await here.t.database.db
    .selectFrom('audit_log')
    .select('action')
    .where('resource_id', '=', dee.userId)
    .where('action', 'in', ['user.gone', 'user.back'])
    .orderBy('at')
    .execute();
  expect(entries.map(({ action }) => action)).toEqual(['user.gone', 'user.back']);
});

it('many people who left long ago do not prevent the sign-out of one who leaves today', async () => {
  const dora = await signIn('dora');
  const left = new Date(0);
  for (let i = 0; i < 20; i += 1) {
    const id = createId();
    const dates = { created_at: left, updated_at: left, password_changed_at: left };
    await here.t.database.db
      .insertInto('users')
      .values({ id, username: `left-${i}`, email: null, password_hash: null, ...dates })
      .execute();
    await here.t.database.db
      .insertInto('external_identities')
      .values({
        issuer: 'ldap',
        subject: id,
        user_id: id,
        realm: 'ldap',
        created_at: left,
        last_seen_at: left,
        gone_at: left,
      })
      .execute();
    const key = { credential_id: Buffer.from(id), public_key: Buffer.alloc(1), sign_count: 0, transports: [] };
    await here.t.database.db
      .insertInto('passkeys')
      .values({ id: createId(), user_id: id, name: 'phone', backed_up: false, created_at: left, ...key })
      .execute();
  }
  await configure({ user_filter: '(&(objectClass=person)(uid={username})(!(mail=dora@example.org)))' });
  expect(await recheck()).toMatchObject({ status: 'done' });
  expect(await dora.ask()).toBe(401);
});

it('a passkey does not bypass the directory: it is suspended while its owner is gone, and works again when they are back', async () => {
  const origin = 'https://fleet.example.com';
  await here.t.owner.call('PATCH', '/api/v3/setting/documents/general', { public_url: origin });
  const post = async (url: string, payload: object, headers = {}) =>
    (await here.t.app.inject({ method: 'POST', url, payload, headers })).json();
  const erika = await signIn('erika');
  const device = new TestAuthenticator('fleet.example.com');
  const asked = await post('/api/v3/profile/passkeys/begin', { password: PASSWORD }, erika.headers);
  const passkey = device.register({ challenge: asked.challenge, userHandle: asked.user.id, origin });
  expect(await post('/api/v3/profile/passkeys', { name: 'phone', passkey }, erika.headers)).toHaveProperty('id');
  const byPasskey = async () => {
    const { challenge } = await post('/auth/passkey/begin', {});
    return post('/auth/passkey/finish', { passkey: device.answer({ challenge, origin }) });
  };
  expect(await byPasskey()).toHaveProperty('access_token');

  await configure({ user_filter: '(&(objectClass=person)(uid={username})(!(mail=erika@example.org)))' });
  await recheck();
  expect(await byPasskey()).toMatchObject({ code: 'auth.wrong_credentials' });
  await configure();
  await recheck();
  expect(await byPasskey()).toHaveProperty('access_token');
});

it('a directory that does not answer, or finds hardly anybody any more, changes nothing', async () => {
  const dora = await signIn('dora');
  await here.ldap.stop();
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(await dora.ask()).toBe(200);
  await here.ldap.start();
  await configure({ base_dn: `ou=moved,${here.ldap.baseDn}` });
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  expect(await dora.ask()).toBe(200);

  await configure();
  // Six with the owner of a passkey; people who are already gone do not count.
  const people = ['bob', 'carol', 'dee', 'owner-of-all', 'dora'];
  const sessions = await Promise.all(people.map(signIn));
  await configure({ user_filter: '(&(objectClass=nobody-is-this)(uid={username}))' });
  expect(await recheck()).toMatchObject({ status: 'done_with_errors' });
  for (const session of sessions) expect(await session.ask()).toBe(200);
});

it('an interrupted recheck is not complete: it reports neither that all were asked nor that no server answers', async () => {
  const step = here.t.controller.jobs.types.get('directories.recheck')?.steps[0];
  const context = {
    id: '0198f000-0000-7000-8000-000000000000',
    params: {},
    project: null,
    actor: SYSTEM,
    attempt: 1,
    fence: 1,
    results: {},
    signal: AbortSignal.abort(),
    write: () => Promise.reject(new Error('nothing is written')),
    progress: () => Promise.resolve(),
    note: () => Promise.resolve(),
    spawn: () => Promise.reject(new Error('nothing is begun')),
    children: () => Promise.resolve([]),
  };
  await signIn('dora');
  await expect(step?.run(context)).rejects.toMatchObject({ name: 'AbortError' });
});

it('a recheck has no work while the directory is switched off', async () => {
  await configure({ enabled: false });
  expect(await recheck()).toMatchObject({ status: 'no_work' });
});

it('the recheck runs on a schedule that an owner can change', async () => {
  const { body } = await here.t.owner.call('GET', '/api/v3/jobs/schedules');
  expect(body.items).toContainEqual(
    expect.objectContaining({ type: 'directories.recheck', cron: '*/5 * * * *', enabled: true }),
  );
});
