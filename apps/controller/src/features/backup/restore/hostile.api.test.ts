import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { addDocuments, TEST_VERSION } from '../../../test-fleet.ts';
import { BASE, digestTables } from '../test-restore.ts';
import { stageProjects } from '../test-stage.ts';

const here = stageProjects();

const plan = (backup: string) =>
  here.owner.call('POST', `${BASE}/backup/plan${here.query}`, { backup, on_conflict: 'replace' });

const document = (more: object) => ({
  id: createId(),
  version: TEST_VERSION,
  collection: 'secrets',
  name: 'www',
  type: 'envoy.extensions.transport_sockets.tls.v3.Secret',
  description: null,
  labels: {},
  resource: { generic_secret: {} },
  sealed: null,
  private: [],
  ...more,
});
const open = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const setting = (more: object) => ({
  id: createId(),
  key: 'otp',
  name: '',
  revision: 1,
  value: {},
  secrets: {},
  sealed: null,
  ...more,
});
const policy = (path: string) => ({
  id: createId(),
  name: 'guard',
  description: null,
  text: 'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: guard }\nspec: { domains: [] }\n',
  files: [{ path, content_base64: 'eA==' }],
});

/** What the installation itself has signed, and nobody can have written. */
describe('is refused, and nothing is changed', () => {
  const cases: readonly [string, Record<string, readonly unknown[]>, string?][] = [
    ['a document whose name leads out of a folder', { documents: [document({ name: '../../etc/passwd' })] }],
    ['a document whose collection is a table', { documents: [document({ collection: 'users' })] }],
    ['secrets of a document that are no JSON', { documents: [document({ sealed: 'eA==' })] }],
    ['secrets of a document that are no list', { documents: [document({ sealed: open({ path: 'x' }) })] }],
    [
      'a file of a policy that leads out of its folder',
      { policies: [policy('../../../etc/cron.d/x')] },
      'policy.invalid',
    ],
    ['a setting of the installation', { settings: [setting({ key: 'sign_in' })] }],
    ['a setting of a kind that there is not', { settings: [setting({ key: '__proto__' })] }],
    ['a setting with members that its kind has not', { settings: [setting({ value: { extra: true } })] }],
    ['secrets of a setting that are no texts', { settings: [setting({ sealed: open({ password: { a: 1 } }) })] }],
    ['a group whose name leads out of a folder', { groups: [{ id: createId(), name: '../x', description: null }] }],
    [
      'a member in a role that there is not',
      { memberships: [{ user_id: createId(), username: 'owner', role: 'root', given_by: null }] },
    ],
    [
      'a permission for more than there is',
      {
        permissions: [
          {
            id: createId(),
            resource_kind: 'project',
            resource_id: null,
            group_id: null,
            username: 'owner',
            level: 'change',
          },
        ],
      },
    ],
  ];

  it.each(cases)('%s', async (_, sections, code = 'backup.tampered') => {
    const backup = await here.forge(sections);
    const before = await digestTables(here.t.database.owner);
    const refused = await plan(backup);
    expect([refused.status, refused.body.code], JSON.stringify(refused.body)).toEqual([400, code]);
    expect(await digestTables(here.t.database.owner)).toEqual(before);
  });
});

it('ids and people of another project in every place that takes one lead nowhere', async () => {
  const victim = await here.t.createProject(`victim-${createId().slice(-8)}`);
  const of = `?project=${victim}`;
  await addDocuments(here.t, victim);
  const member = await here.t.createMember('editor', victim);
  const group = (await here.owner.call('POST', `/api/v3/setting/groups${of}`, { name: 'team' })).body.id;
  await here.owner.call('PUT', `/api/v3/setting/groups/${group}/members/${member.userId}`, {});
  const listener = (await here.owner.call('GET', `/api/v3/xds/listeners/web${of}&version=${TEST_VERSION}`)).body.id;
  const service = { name: 'shop', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] };
  const made = (await here.owner.call('POST', `/api/op/services${of}`, service)).body;
  await here.owner.call('PUT', `/api/v3/setting/documents/otp${of}`, { otp_enforced: true });
  const settings = await here.t.database.owner
    .selectFrom('settings')
    .select('id')
    .where('project_id', '=', victim)
    .execute();

  const rowsOf = async () => {
    const tables = ['documents', 'services', 'settings', 'groups', 'group_members', 'permissions'];
    const rows: unknown[] = [];
    for (const table of tables)
      rows.push(
        (
          await sql<{ row: string }>`select one::text as row from ${sql.table(table)} one
            where project_id = ${victim} order by 1`.execute(here.t.database.owner)
        ).rows,
      );
    return rows;
  };
  const before = await rowsOf();
  expect(before.flat().length).toBeGreaterThan(7);
  const given = { project_id: victim, group_id: null, user_id: member.userId, username: member.username };
  const backup = await here.forge({
    documents: [document({ id: listener, project_id: victim })],
    settings: settings.map(({ id }) => setting({ id, project_id: victim })),
    groups: [{ id: group, project_id: victim, name: 'team', description: null }],
    group_members: [{ ...given, group_id: group }],
    permissions: [
      { id: createId(), ...given, resource_kind: 'document', resource_id: listener, level: 'change' },
      { id: createId(), ...given, resource_kind: 'service', resource_id: made.id, level: 'change' },
      {
        id: createId(),
        ...given,
        group_id: group,
        user_id: null,
        resource_kind: 'service',
        resource_id: made.id,
        level: 'change',
      },
    ],
  });
  const planned = await plan(backup);
  expect(planned.status, JSON.stringify(planned.body)).toBe(200);
  expect(planned.body.creates.map(({ kind }: { kind: string }) => kind)).toEqual(['documents', 'settings', 'groups']);
  const digest = planned.body.digest;
  const done = await here.restore({ backup, on_conflict: 'replace', digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  expect(await rowsOf()).toEqual(before);
  const ids = done.body.restored.map(({ to }: { to: string }) => to);
  for (const foreign of [listener, group, ...settings.map(({ id }) => id)]) expect(ids).not.toContain(foreign);
  const { rows } = await sql`select 1 from group_members where project_id = ${here.project}
    union all select 1 from permissions where project_id = ${here.project}`.execute(here.t.database.owner);
  expect(rows).toEqual([]);
});
