import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { addDocuments, createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { fullResource, lockDocuments, openDocument } from '../../configuration/documents/index.ts';
import { findDocument } from '../../configuration/documents/store.ts';
import { BASE, digestTables, restoreBackup } from '../backup/testing/restore.ts';

const KEY = 'PRIVATE-KEY-OF-A-DOCUMENT-77d0';
const DEFAULT = { labels: { is_default: 'true' } };

let t: TestFleet;
let project: string;
let admin: TestCaller;

beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());
beforeEach(async () => {
  project = await t.createProject(`old-${createId().slice(-8)}`);
  admin = await t.createMember('admin', project);
});

const url = (more = '', of = project) => `${BASE}/cleanup/versions/${TEST_VERSION}?project=${of}${more}`;
const at = (collection: string, of = project) => `/api/v3/xds/${collection}?project=${of}`;
const preview = (more = '') => admin.call('GET', url(more));
const cleanUp = (digest: string, more = '') => admin.call('DELETE', url(`&digest=${digest}${more}`));

async function create(collection: string, name: string, more: object = {}, of = project): Promise<void> {
  const body = { name, version: TEST_VERSION, resource: {}, ...more };
  const answer = await t.owner.call('POST', at(collection, of), body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
}

const cluster = { resource: { type: 'STATIC' } };
const routes = (target: string) => ({
  resource: {
    virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: target } }] }],
  },
});

async function namesOf(collection: string, of = project): Promise<string[]> {
  const { body } = await t.owner.call('GET', at(collection, of));
  return body.items.map(({ name }: { name: string }) => name);
}

describe('the clean-up of a version', () => {
  it('previews the deletion, deletes exactly that in this project only, and a restore returns it with its secrets', async () => {
    const secret = {
      tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: KEY } },
    };
    await create('clusters', 'one', cluster);
    await create('clusters', 'two', cluster);
    await create('routes', 'main', routes('one'));
    await create('secrets', 'www', { resource: secret });
    await create('clusters', 'elsewhere', { ...cluster, version: '1.36.4' });
    const other = await t.createProject(`other-${createId().slice(-8)}`);
    await create('clusters', 'one', cluster, other);

    const shown = await preview();
    expect(shown.status, JSON.stringify(shown.body)).toBe(200);
    expect(shown.body).toMatchObject({
      version: TEST_VERSION,
      mode: 'all',
      counts: { clusters: 2, routes: 1, secrets: 1 },
      total: 4,
      names: { clusters: ['one', 'two'], routes: ['main'], secrets: ['www'] },
      blocked_by: [],
    });
    expect((await preview()).body.digest).toBe(shown.body.digest);
    const done = await cleanUp(shown.body.digest);
    expect(done.status, JSON.stringify(done.body)).toBe(200);
    expect(done.body).toMatchObject({ deleted_counts: { clusters: 2, routes: 1, secrets: 1 }, total: 4 });
    expect(await namesOf('clusters')).toEqual(['elsewhere']);
    expect(await namesOf('clusters', other)).toEqual(['one']);
    expect((await cleanUp(shown.body.digest)).body).toMatchObject({ code: 'clean_up.changed', preview: { total: 0 } });

    const record = await t.database.db
      .selectFrom('audit_log')
      .selectAll()
      .where('project_id', '=', project)
      .where('action', '=', 'version.clean_up')
      .where('outcome', '=', 'done')
      .execute();
    expect(record).toHaveLength(1);
    expect(record[0]?.changes).toMatchObject({ mode: 'all', deleted: { clusters: 2 }, names: { secrets: ['www'] } });

    const backup = done.body.restore_point;
    const restored = await restoreBackup(admin, `?project=${project}`, { backup });
    expect(restored.job.status, JSON.stringify(restored.job)).toBe('done');
    expect((await preview()).body.counts).toEqual({ clusters: 2, routes: 1, secrets: 1 });
    const key = { collection: 'secrets', name: 'www' } as const;
    const row = await findDocument(t.database.db, { project, version: TEST_VERSION }, key);
    expect(row && JSON.stringify(fullResource(openDocument(t.controller.keyring, row)))).toContain(KEY);
  });

  it('deletes nothing if a document was changed, added or deleted since the preview', async () => {
    await create('clusters', 'one', cluster);
    const changes = [
      () =>
        t.owner.call('PATCH', `/api/v3/xds/clusters/one?project=${project}&version=${TEST_VERSION}`, {
          resource: { connect_timeout: '9s' },
        }),
      () => create('clusters', 'two', cluster),
      () => t.owner.call('DELETE', `/api/v3/xds/clusters/two?project=${project}&version=${TEST_VERSION}`),
    ];
    for (const change of changes) {
      const { digest } = (await preview()).body;
      await change();
      const before = await digestTables(t.database.owner);
      const refused = await cleanUp(digest);
      expect([refused.status, refused.body.code]).toEqual([409, 'clean_up.changed']);
      expect(refused.body.preview.digest).toBe((await preview()).body.digest);
      expect(await digestTables(t.database.owner)).toEqual(before);
    }
    const mixed = (await preview('&mode=default-only')).body.digest;
    expect((await cleanUp(mixed)).body.code).toBe('clean_up.changed');
  });

  it('deletes nothing if a write commits after the restore point, while the clean-up waits for it', async () => {
    await create('clusters', 'one', cluster);
    const { digest } = (await preview()).body;
    const scope = { project, version: TEST_VERSION };
    let asked: ReturnType<typeof cleanUp> | undefined;
    await t.database.db.transaction().execute(async (tx) => {
      await lockDocuments(tx, scope);
      asked = cleanUp(digest);
      await expect
        .poll(() => tx.selectFrom('backups').select('id').where('project_id', '=', project).execute(), {
          timeout: 90_000,
        })
        .toHaveLength(1);
      await tx
        .updateTable('documents')
        .set((eb) => ({ revision: eb('revision', '+', 1) }))
        .where('project_id', '=', project)
        .execute();
    });
    expect((await asked)?.body.code).toBe('clean_up.changed');
    expect(await namesOf('clusters')).toEqual(['one']);
  });

  it('is blocked by a service and listeners of the version, and by nothing of another version', async () => {
    await addDocuments(t, project);
    const service = { name: 'shop', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] };
    const made = await t.owner.call('POST', `/api/op/services?project=${project}`, service);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    for (const mode of ['all', 'default-only', 'non-default-only']) {
      const { blocked_by, digest } = (await preview(`&mode=${mode}`)).body;
      expect(blocked_by).toContainEqual({ kind: 'services', name: 'shop', reason: 'uses this version' });
      expect(blocked_by.filter(({ kind }: { kind: string }) => kind === 'listeners')).toHaveLength(4);
      const before = await digestTables(t.database.owner);
      const refused = await cleanUp(digest, `&mode=${mode}`);
      expect([refused.status, refused.body.code]).toEqual([409, 'clean_up.blocked']);
      expect(await digestTables(t.database.owner)).toEqual(before);
    }
    const free = await admin.call('GET', url().replace(TEST_VERSION, '1.36.4'));
    expect(free.body).toMatchObject({ total: 0, counts: {}, blocked_by: [] });
    const none = await admin.call('DELETE', `${url().replace(TEST_VERSION, '1.36.4')}&digest=${free.body.digest}`);
    expect(none.body).toMatchObject({ total: 0, restore_point: null });
    expect(await t.database.db.selectFrom('backups').select('id').where('project_id', '=', project).execute()).toEqual(
      [],
    );
  });

  it('deletes starter documents or everything else, unless a remaining document uses a deleted one', async () => {
    await create('clusters', 'seed', { ...cluster, ...DEFAULT });
    await create('clusters', 'spare', { ...cluster, ...DEFAULT });
    await create('clusters', 'own', { ...cluster, labels: { is_default: 'false' } });
    await create('routes', 'main', routes('seed'));
    const defaults = (await preview('&mode=default-only')).body;
    expect(defaults.names).toEqual({ clusters: ['seed', 'spare'] });
    expect(defaults.blocked_by).toEqual([{ kind: 'routes', name: 'main', reason: 'stays and uses clusters/seed' }]);
    const refused = await cleanUp(defaults.digest, '&mode=default-only');
    expect(refused.body.message).toContain('main (routes): stays and uses clusters/seed');
    const own = (await preview('&mode=non-default-only')).body;
    expect(own).toMatchObject({ names: { clusters: ['own'], routes: ['main'] }, blocked_by: [] });
    expect((await cleanUp(own.digest, '&mode=non-default-only')).status).toBe(200);
    expect(await namesOf('clusters')).toEqual(['seed', 'spare']);
    const rest = (await preview('&mode=default-only')).body;
    expect((await cleanUp(rest.digest, '&mode=default-only')).body.total).toBe(2);
    expect(await namesOf('clusters')).toEqual([]);
  });
});

describe('the rights and parameters of a clean-up', () => {
  it('admit admins of the project and nobody else, even with its digest', async () => {
    await create('clusters', 'one', cluster);
    const { digest } = (await preview()).body;
    const stranger = await t.createMember('owner', await t.createProject(`far-${createId().slice(-8)}`));
    const editor = await t.createMember('editor', project);
    for (const caller of [stranger, editor]) {
      expect((await caller.call('GET', url())).status).toBe(403);
      expect((await caller.call('DELETE', url(`&digest=${digest}`))).status).toBe(403);
    }
    // The digest of one project does not match another, even with equal content.
    const twin = await t.createProject(`twin-${createId().slice(-8)}`);
    await create('clusters', 'one', cluster, twin);
    const crossed = await t.owner.call('DELETE', url(`&digest=${digest}`, twin));
    expect(crossed.body.code).toBe('clean_up.changed');
    expect(await namesOf('clusters')).toEqual(['one']);
    expect(await namesOf('clusters', twin)).toEqual(['one']);
  });

  it('require no digest, as specified, and a dry run deletes nothing (contradiction: clean-up without a digest)', async () => {
    await create('clusters', 'one', cluster);
    const counted = { version: TEST_VERSION, mode: 'all', deleted_counts: { clusters: 1 }, total: 1 };
    const before = await digestTables(t.database.owner);
    const dry = await admin.call('DELETE', url('&dry_run=true'));
    expect(dry).toMatchObject({ status: 200, body: { ...counted, restore_point: null } });
    expect(await digestTables(t.database.owner)).toEqual(before);
    const done = await admin.call('DELETE', url());
    expect(done).toMatchObject({ status: 200, body: { ...counted, restore_point: expect.any(String) } });
    expect(await namesOf('clusters')).toEqual([]);
  });

  it('never delete anything in use, even without a digest', async () => {
    await create('clusters', 'one', cluster);
    await create('listeners', 'web', { resource: {} });
    const service = { name: 'web', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] };
    await create('bootstrap', 'boot');
    expect((await t.owner.call('POST', `/api/op/services?project=${project}`, service)).status).toBe(201);
    const refused = await admin.call('DELETE', url());
    expect(refused).toMatchObject({ status: 409, body: { code: 'clean_up.blocked' } });
    expect(await namesOf('clusters')).toEqual(['one']);
  });

  it('must be an existing version and mode, and a complete digest', async () => {
    expect((await admin.call('DELETE', url('&digest=12'))).status).toBe(400);
    expect((await preview('&mode=some')).status).toBe(400);
    expect((await admin.call('GET', url().replace(TEST_VERSION, 'latest'))).status).toBe(400);
  });
});
