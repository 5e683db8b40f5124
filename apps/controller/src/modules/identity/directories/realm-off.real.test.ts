import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { SYSTEM } from '../../../platform/jobs/testing/jobs.ts';
import { stageDirectory } from '../ldap/testing/directory.ts';

const here = stageDirectory();
const { configure } = here;

const WAIT = { timeout: 90_000 };

async function signIn(username: string) {
  const { access_token: token, user } = (await here.signIn(username)).json();
  const headers = { authorization: `Bearer ${token}` };
  const ask = async () => (await here.t.app.inject({ url: '/api/v3/profile', headers })).statusCode;
  return { userId: user.id as string, headers, ask };
}

/** Creates a token of the person; `ask` calls the API with it and returns the status. */
async function makeToken({ headers }: { readonly headers: { readonly authorization: string } }) {
  const made = await here.t.app.inject({
    method: 'POST',
    url: `/api/v3/setting/tokens?project=${here.t.project}`,
    headers,
    payload: { name: `of-${createId()}`, role: 'viewer' },
  });
  expect(made.statusCode, made.body).toBe(201);
  const url = `/api/v3/overview?project=${here.t.project}`;
  return async () =>
    (await here.t.app.inject({ url, headers: { authorization: `Bearer ${made.json().token}` } })).statusCode;
}

/** Runs the recheck and returns its outcome. */
async function recheck(): Promise<string> {
  const { database, controller } = here.t;
  const type = controller.jobs.types.get('directories.recheck');
  if (!type) throw new Error('there is no such job');
  const order = { params: {}, project: null, actor: SYSTEM };
  // The schedule may have started one at this moment.
  const { id } = await vi.waitFor(
    () => database.db.transaction().execute((tx) => controller.jobs.enqueue(tx, type, order)),
    WAIT,
  );
  return vi.waitFor(async () => {
    const job = await database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(job.ended_at).not.toBeNull();
    return job.status;
  }, WAIT);
}

/** Changes the row directly, so that nobody is signed out. */
async function switchOffUnheard(): Promise<void> {
  await here.t.database.db
    .updateTable('settings')
    .set({ value: JSON.stringify({ ...here.describe(), bind_password: undefined, enabled: false }) })
    .where('key', '=', 'ldap')
    .execute();
}

async function listEnds(userId: string): Promise<(string | null)[]> {
  const { db } = here.t.database;
  const rows = await db.selectFrom('sessions').select('end_reason').where('user_id', '=', userId).execute();
  return rows.map(({ end_reason }) => end_reason);
}

async function listTold(userId: string) {
  return here.t.database.db
    .selectFrom('audit_log')
    .select(['action', 'actor_name', 'changes'])
    .where('resource_id', '=', userId)
    .where('action', 'in', ['user.gone', 'user.back'])
    .orderBy('at')
    .orderBy('id')
    .execute();
}

it('a directory that is switched off signs its people out at once, and suspends their tokens until it knows the holders again', async () => {
  await configure();
  const [alice, bob] = [await signIn('alice'), await signIn('bob')];
  const place = `/api/v3/setting/users/${alice.userId}/memberships/${here.t.project}`;
  expect((await here.t.owner.call('PUT', place, { role: 'admin' })).status).toBe(200);
  const byToken = await makeToken(alice);
  const member = await here.t.createMember('editor');
  expect([await alice.ask(), await bob.ask(), await byToken()]).toEqual([200, 200, 200]);

  await configure({ enabled: false });
  expect([await alice.ask(), await bob.ask(), await byToken()]).toEqual([401, 401, 401]);
  expect((await member.call('GET', '/api/v3/profile')).status).toBe(200);
  expect(await listEnds(alice.userId)).toEqual(['realm_off']);
  expect(await listTold(alice.userId)).toEqual([
    { action: 'user.gone', actor_name: 'ldap', changes: { realm: 'ldap', ended: 1, because: 'realm_off' } },
  ]);
  const written = await here.t.database.db
    .selectFrom('audit_log')
    .select('changes')
    .where('resource_type', '=', 'setting')
    .where('resource_name', '=', 'ldap')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  expect(written.changes).toMatchObject({ signed_out: { people: 2, sessions: 2 } });

  await configure();
  expect([await alice.ask(), await byToken()]).toEqual([401, 401]);
  await recheck();
  expect([await alice.ask(), await byToken()]).toEqual([401, 200]);
  expect((await listTold(alice.userId)).map(({ action }) => action)).toEqual(['user.gone', 'user.back']);
});

it('each of very many people is signed out and recorded', async () => {
  await configure();
  const many = 1201;
  const { owner } = here.t.database;
  await sql`
    with people as (
      insert into users (id, username, password_hash, password_changed_at, created_at, updated_at)
        select gen_random_uuid(), 'one-of-many-' || n, null, now(), now(), now() from generate_series(1, ${many}::int) n
        returning id
    ), known as (
      insert into external_identities (issuer, subject, user_id, realm, created_at, last_seen_at)
        select 'ldap', id::text, id, 'ldap', now(), now() from people
    )
    insert into sessions (id, user_id, kind, created_at, expires_at, ip, device, refresh_hash)
      select gen_random_uuid(), id, 'bearer', now(), now() + interval '1 day', '192.0.2.1', 'd', sha256((id::text || n)::bytea)
      from people, generate_series(1, 2) n`.execute(owner);
  await configure({ enabled: false });
  const { rows } = await sql<{ reasons: string[]; recorded: number; ended: number }>`
    select array(select distinct coalesce(end_reason, 'none') from sessions join users on users.id = user_id
        where username like 'one-of-many-%') as reasons,
      count(distinct resource_id)::int as recorded, sum((changes ->> 'ended')::int)::int as ended
    from audit_log where action = 'user.gone' and resource_name like 'one-of-many-%'`.execute(owner);
  expect(rows).toEqual([{ reasons: ['realm_off'], recorded: many, ended: 2 * many }]);
});

it('a dry run signs nobody out', async () => {
  await configure();
  const carol = await signIn('carol');
  const answer = await here.t.owner.call('PUT', '/api/v3/setting/documents/ldap?dry_run=true', {
    ...here.describe(),
    enabled: false,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(await carol.ask()).toBe(200);
});

it('a directory whose settings are deleted is off too', async () => {
  await configure();
  const dora = await signIn('dora');
  expect((await here.t.owner.call('DELETE', '/api/v3/setting/ldap-config')).status).toBe(204);
  expect(await dora.ask()).toBe(401);
});

it('the schedule finds a realm that was off before switching off signed people out', async () => {
  await configure();
  const erika = await signIn('erika');
  await switchOffUnheard();
  await recheck();
  await vi.waitFor(async () => expect(await erika.ask()).toBe(401), WAIT);
  expect(await listEnds(erika.userId)).toContain('realm_off');
});

it('the directory of every owner of the installation cannot be switched off, and the schedule signs none of them out', async () => {
  await configure();
  const { db } = here.t.database;
  const owner = await signIn('owner-of-all');
  await db.updateTable('users').set({ is_owner: true }).where('id', '=', owner.userId).execute();
  await db.updateTable('users').set({ is_owner: false }).where('id', '=', here.t.owner.userId).execute();
  const answer = await vi.waitFor(async () => {
    const response = await here.t.app.inject({
      method: 'DELETE',
      url: '/api/v3/setting/ldap-config',
      headers: owner.headers,
    });
    // Waits until the controller knows the new owner of the installation.
    expect(response.statusCode).not.toBe(403);
    return response;
  }, WAIT);
  expect([answer.statusCode, answer.json().code]).toEqual([409, 'setting.no_owner_left']);
  await switchOffUnheard();
  expect(await recheck()).toBe('done_with_errors');
  expect(await owner.ask()).toBe(200);
  expect(await listEnds(owner.userId)).toEqual([null]);
});
