import { describe, expect, it } from 'vitest';
import { TEST_VERSION } from '../../../../testing/fleet.ts';
import { digestTables, dryRun } from '../testing/restore.ts';
import { stageProjects } from '../testing/stage.ts';

const here = stageProjects();

const document = (more: object) => ({
  version: TEST_VERSION,
  collection: 'secrets',
  name: 'www',
  type: 'envoy.extensions.transport_sockets.tls.v3.Secret',
  resource: { generic_secret: {} },
  ...more,
});
const setting = (more: object) => ({ key: 'otp', name: '', value: {}, secrets: {}, ...more });
const policy = (path: string) => ({
  name: 'guard',
  description: null,
  text: 'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: guard }\nspec: { domains: [] }\n',
  files: [{ path, content_base64: 'eA==' }],
});

/** Each backup is signed by the installation, but contains something that the API would not have accepted. */
describe('a dry run refuses, without changes,', () => {
  const cases: readonly [string, Record<string, readonly unknown[]>][] = [
    ['a document whose name leads out of a folder', { documents: [document({ name: '../../etc/passwd' })] }],
    ['a document whose collection is a table', { documents: [document({ collection: 'users' })] }],
    ['a document with an id', { documents: [document({ id: '0199f0c2-0000-7000-8000-000000000001' })] }],
    ['a setting of the installation', { settings: [setting({ key: 'sign_in' })] }],
    ['a setting of an unknown kind', { settings: [setting({ key: '__proto__' })] }],
    ['a setting with unknown fields', { settings: [setting({ value: { extra: true } })] }],
    ['secrets of a setting that are not strings', { settings: [setting({ secrets: { password: { a: 1 } } })] }],
    [
      'a service with clients',
      {
        services: [
          {
            ...{ name: 'shop', version: TEST_VERSION, bootstrap: 'boot', listeners: [], policies: [] },
            clients: [{ client_id: '0199f0c2-0000-7000-8000-000000000001', addresses: [] }],
          },
        ],
      },
    ],
  ];

  it.each(cases)('%s', async (_, sections) => {
    const backup = await here.forge(sections);
    const before = await digestTables(here.t.database.owner);
    const refused = await dryRun(here.owner, here.query, { backup, on_conflict: 'replace' });
    expect([refused.status, refused.body.code], JSON.stringify(refused.body)).toEqual([400, 'backup.tampered']);
    expect(await digestTables(here.t.database.owner)).toEqual(before);
  });

  it('a file of a policy that leads out of its folder', async () => {
    const backup = await here.forge({ policies: [policy('../../../etc/cron.d/x')] });
    const { body } = await dryRun(here.owner, here.query, { backup });
    expect(body.results).toMatchObject([{ kind: 'policies', name: 'guard', outcome: 'refused' }]);
  });

  it('a document that is in the backup twice', async () => {
    const backup = await here.forge({ documents: [document({}), document({})] });
    const { status, body } = await dryRun(here.owner, here.query, { backup });
    expect([status, body.code]).toEqual([400, 'request.invalid']);
  });
});

it('sections about people, tokens and machines are not read', async () => {
  const given = { user_id: here.admin.userId, username: here.admin.username, project_id: here.project };
  const backup = await here.forge({
    memberships: [{ ...given, role: 'owner', given_by: null }],
    permissions: [{ ...given, resource_kind: 'document', resource_id: null, group_id: null, level: 'change' }],
    api_tokens: [{ id: given.user_id, name: 'deploy' }],
  });
  const before = await digestTables(here.t.database.owner);
  const done = await here.restore({ backup });
  expect(done.body.summary.results).toEqual([]);
  const after = await digestTables(here.t.database.owner);
  expect({ ...after, restores: '' }).toEqual({ ...before, restores: '' });
});
