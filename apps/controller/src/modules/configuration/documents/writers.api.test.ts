import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const HOST_FILE = routes('/etc/hostname');
const SERVICE_FILE = routes('files/page.html');

let t: TestController;
let editor: TestCaller;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  editor = await t.createMember('editor');
  admin = await t.createMember('admin');
});
afterAll(() => t.close());

function routes(filename: string) {
  const action = { direct_response: { status: 200, body: { filename } } };
  return { virtual_hosts: [{ name: 'a', domains: ['*'], routes: [{ match: { prefix: '/' }, ...action }] }] };
}

const post = (caller: TestCaller, name: string, resource: object) =>
  caller.call('POST', `/api/v3/xds/routes?project=${t.project}`, { name, version: VERSION, resource });
const item = (name: string, action = '') =>
  `/api/v3/xds/routes/${name}${action}?project=${t.project}&version=${VERSION}`;
const apply = (caller: TestCaller, name: string, resource: object) =>
  caller.call('POST', '/api/v3/xds/apply', {
    project: t.project,
    documents: [{ collection: 'routes', name, version: VERSION, resource }],
  });

async function mayReachHost(name: string, project = t.project): Promise<boolean | undefined> {
  const row = await t.database.db
    .selectFrom('documents')
    .select('host_access')
    .where('project_id', '=', project)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.host_access;
}

describe('the right of the last writer is stored with a document (attacks 1 and 2)', () => {
  test('and is set for owners, but not for admins and editors, for every kind of write', async () => {
    const writes: [string, (caller: TestCaller) => Promise<{ status: number; body: unknown }>][] = [
      ['create', (caller) => post(caller, `new-${caller === t.owner}`, SERVICE_FILE)],
      [
        'replace',
        (caller) => caller.call('PUT', item('doc'), { resource: SERVICE_FILE, description: `${Math.random()}` }),
      ],
      ['patch', (caller) => caller.call('PATCH', item('doc'), { description: `${Math.random()}` })],
      ['restore', (caller) => caller.call('POST', item('doc', '/restore'), { revision: caller === t.owner ? 1 : 2 })],
      ['apply', (caller) => apply(caller, 'doc', caller === t.owner ? SERVICE_FILE : routes('files/other.html'))],
    ];
    expect((await post(t.owner, 'doc', SERVICE_FILE)).status).toBe(201);
    expect(await mayReachHost('doc')).toBe(true);
    for (const [kind, write] of writes) {
      for (const caller of [editor, t.owner, admin]) {
        if (kind === 'create' && caller === admin) continue;
        const { status, body } = await write(caller);
        expect(status, `${kind} ${JSON.stringify(body)}`).toBeLessThan(300);
        const name = kind === 'create' ? `new-${caller === t.owner}` : 'doc';
        expect(await mayReachHost(name), kind).toBe(caller === t.owner);
      }
    }
  });

  test('and is not set for documents of the controller itself', async () => {
    const answer = await t.owner.call('POST', '/api/v3/setting/projects', { name: 'fresh', starters: [VERSION] });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const rows = await t.database.db
      .selectFrom('documents')
      .select('host_access')
      .where('project_id', '=', answer.body.id)
      .execute();
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.every(({ host_access }) => !host_access)).toBe(true);
  });

  test('and survives a save of the same content, and is added if an owner saves host access', async () => {
    expect((await post(t.owner, 'host', HOST_FILE)).status).toBe(201);
    await t.database.db.updateTable('documents').set({ host_access: false }).where('name', '=', 'host').execute();
    const dry = await t.owner.call('PUT', `${item('host')}&dry_run=true`, { resource: HOST_FILE });
    expect(dry.body.diff).toEqual([{ path: 'host_access', change: 'changed', before: false, after: true }]);
    expect(await mayReachHost('host')).toBe(false);
    const saved = await t.owner.call('PUT', item('host'), { resource: HOST_FILE });
    expect(saved.body).toMatchObject({ revision: 2 });
    expect(await mayReachHost('host')).toBe(true);
    const again = await t.owner.call('PUT', item('host'), { resource: HOST_FILE });
    expect(again.body).toMatchObject({ revision: 2 });
    expect((await editor.call('PUT', item('host'), { resource: HOST_FILE })).status).toBe(403);
    expect(await mayReachHost('host')).toBe(true);
    const recorded = await t.database.db
      .selectFrom('audit_log')
      .select('changes')
      .where('action', '=', 'document.replace')
      .where('resource_name', '=', 'host')
      .execute();
    expect(JSON.stringify(recorded)).toContain('host_access');
  });

  test('a document that is itself a reference is refused', async () => {
    const body = {
      name: 'alias',
      version: VERSION,
      type: 'envoy.config.core.v3.TypedExtensionConfig',
      resource: { $ref: 'extensions/other' },
    };
    const answer = await t.owner.call('POST', `/api/v3/xds/extensions?project=${t.project}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(answer.body).toMatchObject({ code: 'document.invalid', details: [{ path: 'resource' }] });
  });
});
