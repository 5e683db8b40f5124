import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestCaller } from '../../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../../testing/fleet.ts';
import { BASE, dryRun, fetchFile, makeBackup, restoreBackup, uploadBackup } from '../testing/restore.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

const routes = (filename: string) => {
  const action = { direct_response: { status: 200, body: { filename } } };
  return { virtual_hosts: [{ name: 'a', domains: ['*'], routes: [{ match: { prefix: '/' }, ...action }] }] };
};

async function readHostAccess(project: string): Promise<Record<string, boolean>> {
  const rows = await t.database.db
    .selectFrom('documents')
    .select(['name', 'host_access'])
    .where('project_id', '=', project)
    .execute();
  return Object.fromEntries(rows.map(({ name, host_access }) => [name, host_access]));
}

async function backupOf(filename: string, name: string): Promise<Buffer<ArrayBuffer>> {
  const project = await t.createProject(`from-${createId().slice(-8)}`);
  const query = `?project=${project}`;
  const body = { name, version: TEST_VERSION, resource: routes(filename) };
  expect((await t.owner.call('POST', `/api/v3/xds/routes${query}`, body)).status).toBe(201);
  return Buffer.from(await fetchFile(t, t.owner, query, (await makeBackup(t.owner, query, {})).id));
}

async function previewIn(caller: TestCaller, query: string, file: Buffer) {
  const uploaded = await uploadBackup(t, caller, query, file);
  expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(201);
  const backup: string = uploaded.body.id;
  return { backup, preview: await dryRun(caller, query, { backup }) };
}

describe('a restored document has the host access of the person who restores it (attacks 1 and 2)', () => {
  test.each(['owner', 'admin'] as const)('role %s', async (role) => {
    const file = await backupOf('files/page.html', 'page');
    const project = await t.createProject(`to-${createId().slice(-8)}`);
    const query = `?project=${project}`;
    const caller = role === 'owner' ? t.owner : await t.createMember('admin', project);
    const { backup, preview } = await previewIn(caller, query, file);
    expect(preview.body.counts, JSON.stringify(preview.body)).toMatchObject({ created: 1, refused: 0 });
    const done = await restoreBackup(caller, query, { backup });
    expect(done.job.status, JSON.stringify(done)).toBe('done');
    expect(await readHostAccess(project)).toEqual({ page: role === 'owner' });
  });

  test('an admin restores no document that uses the host', async () => {
    const file = await backupOf('/etc/hostname', 'host');
    const project = await t.createProject(`to-${createId().slice(-8)}`);
    const admin = await t.createMember('admin', project);
    const { backup, preview } = await previewIn(admin, `?project=${project}`, file);
    expect(preview.body.counts).toMatchObject({ created: 0, refused: 1 });
    expect(preview.body.results[0].reason).toContain('direct_response.body.filename');
    const refused = await admin.call('POST', `${BASE}/backup/import?project=${project}`, { backup });
    expect(refused.status).toBe(403);
    expect(await readHostAccess(project)).toEqual({});
  });
});
