import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import type { TestCaller } from '../../../test-controller.ts';
import { BASE, digestTables } from '../test-restore.ts';
import { stageProjects } from '../test-stage.ts';

const here = stageProjects({ documents: true });
const WITH = { with_members: true };
let bob: TestCaller;
let group: string;
let backup: string;

const leave = ({ userId }: TestCaller, project = here.project) =>
  here.t.database.owner
    .deleteFrom('memberships')
    .where('user_id', '=', userId)
    .where('project_id', '=', project)
    .execute();
const setRole = ({ userId }: TestCaller, role: 'owner' | 'admin' | 'editor' | 'viewer') =>
  here.t.database.owner
    .updateTable('memberships')
    .set({ role })
    .where('user_id', '=', userId)
    .where('project_id', '=', here.project)
    .execute();

async function rolesIn(project = here.project): Promise<Record<string, string>> {
  const rows = await here.t.database.owner
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.username', 'm.role'])
    .where('m.project_id', '=', project)
    .execute();
  return Object.fromEntries(rows.map(({ username, role }) => [username, role]));
}

interface Planned {
  readonly digest: string;
  readonly creates: readonly { readonly kind: string; readonly names: readonly string[] }[];
  readonly not_taken: readonly { readonly kind: string; readonly count: number; readonly reason: string }[];
}
const membersOf = ({ creates }: Planned) =>
  creates.filter(({ kind }) => kind === 'members').flatMap(({ names }) => names);
const reasonsOf = ({ not_taken }: Planned) =>
  not_taken.filter(({ kind }) => kind === 'members').map(({ count, reason }) => `${count} ${reason}`);

beforeEach(async () => {
  bob = await here.t.createMember('editor', here.project);
  group = (await here.ask('POST', '/api/v3/setting/groups', { name: 'team', description: null })).id;
  const everyone = (await here.ask('POST', '/api/v3/setting/groups', { name: 'everyone', description: null })).id;
  for (const id of [group, everyone]) await here.ask('PUT', `/api/v3/setting/groups/${id}/members/${bob.userId}`, {});
  const isDefault = { is_default: true };
  await here.t.database.owner.updateTable('groups').set(isDefault).where('id', '=', everyone).execute();
  const given = {
    subject: { kind: 'user', id: bob.userId },
    resource: { kind: 'document', id: null },
    level: 'change',
  };
  await here.ask('POST', '/api/v3/setting/permissions', given);
  backup = (await here.makeBackup({})).id;
});

it('of another project become members of none, whatever was asked for, and are not named', async () => {
  const { there, far } = await here.createFar();
  const carried = await here.carry(backup, far);
  const planned = await here.plan({ backup: carried, ...WITH }, { of: far });
  expect(membersOf(planned)).toEqual([]);
  expect(reasonsOf(planned)).toEqual(['2 a backup of another project makes nobody a member of this one']);
  expect(JSON.stringify(planned.not_taken.filter(({ kind }: { kind: string }) => kind === 'members'))).not.toContain(
    bob.username,
  );
  const done = await here.restore({ backup: carried, ...WITH, digest: planned.digest }, { of: far });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  expect(await rolesIn(there)).toEqual({});
});

it('who left is a member again where that is asked for, in the role of before, with groups and permissions', async () => {
  await leave(bob);
  const without = await here.plan({ backup });
  expect(membersOf(without)).toEqual([]);
  expect(reasonsOf(without)).toEqual([`1 they become members again only where that is asked for: ${bob.username}`]);
  const choices = { ...WITH, on_conflict: 'replace' };
  const planned = await here.plan({ backup, ...choices });
  expect(membersOf(planned)).toEqual([`${bob.username} as editor`]);
  // The group of all members has them back by itself.
  expect(planned.conflicts).toEqual([{ kind: 'groups', name: 'team', choice: 'replace' }]);
  expect(planned.digest).not.toBe(without.digest);
  const done = await here.restore({ backup, ...choices, digest: planned.digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  expect(await rolesIn()).toMatchObject({ [bob.username]: 'editor' });
  const { items } = await here.ask('GET', `/api/v3/setting/groups/${group}/members`);
  expect(items.map(({ username }: { username: string }) => username)).toEqual([bob.username]);
  const given = await here.t.database.owner
    .selectFrom('permissions')
    .select('level')
    .where('user_id', '=', bob.userId)
    .where('project_id', '=', here.project)
    .execute();
  expect(given).toEqual([{ level: 'change' }]);
  const record = await here.t.database.owner
    .selectFrom('audit_log')
    .select('changes')
    .where('project_id', '=', here.project)
    .where('action', '=', 'backup.restore')
    .executeTakeFirstOrThrow();
  expect(record.changes).toMatchObject({ members: [`${bob.username} as editor`] });
  expect(done.body.restored).toContainEqual({
    kind: 'members',
    name: `${bob.username} as editor`,
    from: bob.userId,
    to: bob.userId,
  });
});

it('nobody gets another role than the one that they have, and the plan names them', async () => {
  await setRole(bob, 'viewer');
  const planned = await here.plan({ backup, ...WITH, on_conflict: 'replace' });
  expect(membersOf(planned)).toEqual([]);
  expect(reasonsOf(planned)).toEqual([`1 they have another role here, and keep it: ${bob.username}`]);
});

it('an account that was made anew by a name of before is somebody else', async () => {
  const { owner: db } = here.t.database;
  await leave(bob);
  await db
    .updateTable('users')
    .set({ username: `was-${bob.username}` })
    .where('id', '=', bob.userId)
    .execute();
  const row = await db.selectFrom('users').selectAll().where('id', '=', bob.userId).executeTakeFirstOrThrow();
  await db
    .insertInto('users')
    .values({ ...row, id: createId(), username: bob.username, email: null })
    .execute();
  const planned = await here.plan({ backup, ...WITH });
  expect(membersOf(planned)).toEqual([]);
  expect(reasonsOf(planned)).toEqual([`1 there is no such account any more: ${bob.username}`]);
});

it('a role above that of whoever restores is not given, and a token gives none', async () => {
  await setRole(bob, 'owner');
  backup = (await here.makeBackup({})).id;
  await leave(bob);
  const planned = await here.plan({ backup, ...WITH }, { by: here.admin });
  expect(membersOf(planned)).toEqual([]);
  expect(reasonsOf(planned)).toEqual([`1 whoever restores may not give them their role: ${bob.username}`]);
  expect(membersOf(await here.plan({ backup, ...WITH }))).toEqual([`${bob.username} as owner`]);
  // What an owner was shown is nothing that an admin can have done.
  const { digest } = await here.plan({ backup, ...WITH });
  const before = await digestTables(here.t.database.owner);
  const order = { backup, ...WITH, digest };
  const refused = await here.admin.call('POST', `${BASE}/backup/import${here.query}`, order);
  expect([refused.status, refused.body.code]).toEqual([409, 'backup.plan_changed']);
  expect(await digestTables(here.t.database.owner)).toEqual(before);

  const made = await here.ask('POST', '/api/v3/setting/tokens', { name: 'ci', role: 'admin' });
  const answer = await here.t.app.inject({
    method: 'POST',
    url: `${BASE}/backup/plan${here.query}`,
    headers: { authorization: `Bearer ${made.token ?? made.secret}` },
    payload: { backup, ...WITH },
  });
  expect(answer.statusCode, answer.body).toBe(200);
  expect(membersOf(answer.json())).toEqual([]);
});

it('who has come since the backup stays in the group of all members, and makes it no conflict', async () => {
  const late = await here.t.createMember('viewer', here.project);
  const choices = { ...WITH, on_conflict: 'replace' };
  const same = await here.plan({ backup, ...choices });
  expect([same.creates, same.conflicts]).toEqual([[], []]);
  const { items: groups } = await here.ask('GET', '/api/v3/setting/groups');
  const { id: everyone } = groups.find(({ name }: { name: string }) => name === 'everyone');
  const membersNow = async () =>
    (await here.ask('GET', `/api/v3/setting/groups/${everyone}/members`)).items.map(
      ({ username }: { username: string }) => username,
    );
  await here.ask('PATCH', `/api/v3/setting/groups/${everyone}`, { description: 'of later' });
  await here.ask('DELETE', `/api/v3/setting/groups/${everyone}/members/${bob.userId}`);
  const planned = await here.plan({ backup, ...choices });
  expect(planned.conflicts).toEqual([{ kind: 'groups', name: 'everyone', choice: 'replace' }]);
  const done = await here.restore({ backup, ...choices, digest: planned.digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  expect(await membersNow()).toEqual(expect.arrayContaining([late.username, bob.username]));
});

it('who is made a member while the restore goes on keeps the role that they were given', async () => {
  await leave(bob);
  let asked: Promise<{ status: number; body: { code?: string } }> | undefined;
  await here.t.database.owner.transaction().execute(async (tx) => {
    await tx
      .insertInto('memberships')
      .values({ project_id: here.project, user_id: bob.userId, role: 'viewer', created_at: new Date() })
      .execute();
    asked = here.owner.call('POST', `${BASE}/backup/plan${here.query}`, { backup, ...WITH });
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query ilike '%memberships%'`.execute(
          here.t.database.owner,
        );
        expect(rows).toHaveLength(1);
      },
      { timeout: 20_000, interval: 20 },
    );
  });
  const refused = await asked;
  expect([refused?.status, refused?.body.code]).toEqual([409, 'backup.plan_changed']);
  expect(await rolesIn()).toMatchObject({ [bob.username]: 'viewer' });
});

it('who owns the installation is told apart from those whose role is too high', async () => {
  await leave(bob);
  await here.t.database.owner.updateTable('users').set({ is_owner: true }).where('id', '=', bob.userId).execute();
  expect(reasonsOf(await here.plan({ backup, ...WITH }))).toEqual([
    `1 they own the installation, which no restore has a say in: ${bob.username}`,
  ]);
});
