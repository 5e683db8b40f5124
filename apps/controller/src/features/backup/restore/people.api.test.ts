import { createId } from '@flotilla/kit';
import { beforeEach, expect, it } from 'vitest';
import type { TestCaller } from '../../../test-controller.ts';
import { TEST_VERSION } from '../../../test-fleet.ts';
import { createTestSigner, sectionOf, writeTestBackup } from '../format/test-backup.ts';
import { stageProjects } from '../test-stage.ts';

const AUTH = { auth_url: 'https://keystone.example:5000/v3', application_credential_id: 'id' };
const SECRET = 'a secret of a cloud 4711';
const CLOUD = { auth: { ...AUTH, application_credential_secret: SECRET }, region_name: 'north' };

const here = stageProjects({ documents: true });
let ann: TestCaller;
let bob: TestCaller;
let group: string;

beforeEach(async () => {
  ann = await here.t.createMember('editor', here.project);
  bob = await here.t.createMember('editor', here.project);
  group = (await here.ask('POST', '/api/v3/setting/groups', { name: 'team', description: 'who mends it' })).id;
  for (const { userId } of [ann, bob]) await here.ask('PUT', `/api/v3/setting/groups/${group}/members/${userId}`, {});
  const listener = await here.ask('GET', `/api/v3/xds/listeners/web`, undefined, { more: `&version=${TEST_VERSION}` });
  await grant({ kind: 'user', id: ann.userId }, { kind: 'document', id: listener.id }, 'change');
  await grant({ kind: 'user', id: bob.userId }, { kind: 'document', id: listener.id }, 'view');
  await grant({ kind: 'group', id: group }, { kind: 'service', id: null }, 'use');
  await here.ask('PUT', '/api/v3/setting/documents/cloud/north', CLOUD);
});

const grant = (subject: object, resource: object, level: string) =>
  here.ask('POST', '/api/v3/setting/permissions', { subject, resource, level });
const kinds = (planned: { creates: { kind: string; names: string[] }[] }) =>
  Object.fromEntries(planned.creates.map(({ kind, names }) => [kind, names]));
const leave = ({ userId }: TestCaller) =>
  here.t.database.owner
    .deleteFrom('memberships')
    .where('user_id', '=', userId)
    .where('project_id', '=', here.project)
    .execute();

async function givenIn(of: string): Promise<unknown[]> {
  const rows = await here.t.database.owner
    .selectFrom('permissions as p')
    .leftJoin('users as u', 'u.id', 'p.user_id')
    .leftJoin('groups as g', 'g.id', 'p.group_id')
    .select(['u.username', 'g.name as group', 'p.resource_kind', 'p.level'])
    .where('p.project_id', '=', of)
    .orderBy('p.level')
    .execute();
  return rows;
}

it('brings back settings with their secrets, groups with those who are members, and what they may do', async () => {
  const { id: backup } = await here.makeBackup({});
  const same = await here.plan({ backup });
  expect([same.creates, same.conflicts]).toEqual([[], []]);
  await here.ask('DELETE', `/api/v3/setting/groups/${group}`);
  await leave(bob);
  await here.ask('DELETE', '/api/v3/setting/documents/cloud/north');
  await here.t.database.owner.deleteFrom('permissions').where('project_id', '=', here.project).execute();
  const planned = await here.plan({ backup });
  expect(kinds(planned)).toEqual({
    settings: ['cloud/north'],
    groups: ['team'],
    permissions: expect.arrayContaining([
      `user ${ann.username} may change document ${TEST_VERSION}/listeners/web`,
      'group team may use service all',
    ]),
  });
  expect(planned.not_taken).toContainEqual({
    kind: 'people',
    count: 1,
    reason: `they are no members of this project: ${bob.username}`,
  });
  expect(JSON.stringify(planned)).not.toContain(SECRET);
  const done = await here.restore({ backup, digest: planned.digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  expect(await givenIn(here.project)).toEqual([
    { username: ann.username, group: null, resource_kind: 'document', level: 'change' },
    { username: null, group: 'team', resource_kind: 'service', level: 'use' },
  ]);
  const to = done.body.restored.find((one: { kind: string }) => one.kind === 'groups').to;
  const members = await here.ask('GET', `/api/v3/setting/groups/${to}/members`);
  expect(members.items.map(({ username }: { username: string }) => username)).toEqual([ann.username]);
  // The plan compares secrets: the same again is the same.
  const after = await here.plan({ backup });
  expect([after.creates, after.conflicts]).toEqual([[], []]);
});

it('replaces what differs, and a changed secret is one', async () => {
  const { id: backup } = await here.makeBackup({});
  const other = { ...CLOUD, auth: { ...CLOUD.auth, application_credential_secret: 'another secret' } };
  await here.ask('PUT', '/api/v3/setting/documents/cloud/north', other);
  await here.ask('PATCH', `/api/v3/setting/groups/${group}`, { description: 'others' });
  await here.ask('DELETE', `/api/v3/setting/groups/${group}/members/${ann.userId}`);
  const planned = await here.plan({ backup, on_conflict: 'replace' });
  expect(planned.conflicts).toEqual([
    { kind: 'settings', name: 'cloud/north', choice: 'replace' },
    { kind: 'groups', name: 'team', choice: 'replace' },
  ]);
  const done = await here.restore({ backup, on_conflict: 'replace', digest: planned.digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  const after = await here.plan({ backup });
  expect([after.creates, after.conflicts]).toEqual([[], []]);
});

it('in another project makes nobody a member and gives nobody anything who is none', async () => {
  const { id } = await here.makeBackup({});
  const { there, far } = await here.createFar();
  const backup = await here.carry(id, far);
  const planned = await here.plan({ backup }, { of: far });
  const done = await here.restore({ backup, digest: planned.digest }, { of: far });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  expect(await givenIn(there)).toEqual([{ username: null, group: 'team', resource_kind: 'service', level: 'use' }]);
  const counts = await here.t.database.owner
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('project_id', '=', there)
    .executeTakeFirstOrThrow();
  expect(Number(counts.count)).toBe(0);
  expect((await ann.call('GET', `/api/v3/xds/listeners${far}`)).status).toBe(403);
});

it('of another installation takes nothing that is about people, whatever their names are here', async () => {
  const signer = createTestSigner();
  const id = createId();
  const content = await writeTestBackup({
    signer,
    protection: { kind: 'none' },
    sections: [
      sectionOf('groups', [{ id, project_id: here.project, name: 'crew', description: null }]),
      sectionOf('group_members', [{ group_id: id, user_id: ann.userId, username: ann.username }]),
      sectionOf('permissions', [
        {
          id: createId(),
          project_id: here.project,
          resource_kind: 'document',
          resource_id: null,
          user_id: ann.userId,
          group_id: null,
          level: 'change',
          username: ann.username,
        },
      ]),
    ],
  });
  const backup = await here.upload(content);
  const planned = await here.plan({ backup, trust_key: signer.fingerprint });
  expect([planned.creates, planned.conflicts]).toEqual([[], []]);
  expect(planned.not_taken.map(({ kind }: { kind: string }) => kind)).toContain('groups');
});
