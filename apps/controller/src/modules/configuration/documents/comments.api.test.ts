import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
const VERSION = TEST_ENVOY_VERSIONS.newest;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
});
afterAll(() => t.close());

const at = (name: string, rest = '', extra = '') =>
  `/api/v3/xds/clusters/${name}${rest}?project=${t.project}&version=${VERSION}${extra}`;
const resource = { type: 'STATIC', connect_timeout: '1s' };
const slow = { path: ['connect_timeout'], place: 'above', text: ' Slow at night.' };
const first = { path: [], place: 'above', text: ' The upstream of the shop.' };

async function make(name: string, comments: readonly object[] = [first, slow]): Promise<void> {
  const body = { name, version: VERSION, resource, comments };
  const made = await t.owner.call('POST', `/api/v3/xds/clusters?project=${t.project}`, body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect(made.body.comments).toEqual(comments);
}
const read = async (name: string) => (await t.owner.call('GET', at(name))).body;

describe('the comments of a document', () => {
  it('are stored with it and with each revision, and return with a restored one (screen bug 8)', async () => {
    await make('kept');
    const changed = { resource: { ...resource, connect_timeout: '2s' }, comments: [slow] };
    expect((await t.owner.call('PUT', at('kept'), changed)).body).toMatchObject({ revision: 2, comments: [slow] });
    expect((await t.owner.call('GET', at('kept', '/revisions/1'))).body.comments).toEqual([first, slow]);
    await t.owner.call('POST', at('kept', '/restore'), { revision: 1 });
    expect(await read('kept')).toMatchObject({ revision: 3, comments: [first, slow] });
  });

  it('count as a change: another comment is another revision, and the review says so (screen bug 8)', async () => {
    await make('reviewed', [slow]);
    const other = { resource: { name: 'reviewed', ...resource }, comments: [{ ...slow, text: ' Slow by day.' }] };
    const { body } = await t.owner.call('PUT', at('reviewed', '', '&dry_run=true'), other);
    expect(JSON.stringify(body.diff)).toMatch(/connect_timeout \(above\).*Slow at night.*Slow by day/);
    expect((await t.owner.call('PUT', at('reviewed'), other)).body.revision).toBe(2);
    expect((await t.owner.call('PUT', at('reviewed'), other)).body.revision).toBe(2);
  });

  it('stay with an unchanged resource and are dropped with a changed one if the writer omits them (screen bug 8)', async () => {
    await make('foreign');
    const same = { resource: { name: 'foreign', ...resource }, description: 'by another route' };
    expect((await t.owner.call('PUT', at('foreign'), same)).body.comments).toEqual([first, slow]);
    expect((await t.owner.call('PATCH', at('foreign'), { labels: { a: 'b' } })).body.comments).toEqual([first, slow]);
    const patch = { resource: { connect_timeout: '9s' } };
    const { body } = await t.owner.call('PATCH', at('foreign', '', '&dry_run=true'), patch);
    expect(JSON.stringify(body.diff)).toContain('Slow at night.');
    expect((await t.owner.call('PATCH', at('foreign'), patch)).body.comments).toEqual([]);
  });

  it('are attached to the stored fields, and dropped if the field does not exist (screen bug 8)', async () => {
    const body = {
      name: 'placed',
      version: VERSION,
      resource,
      comments: [
        { ...slow, path: ['connectTimeout'] },
        { ...slow, path: ['no_such_field'] },
        { ...slow, path: ['connect_timeout', 0] },
      ],
    };
    const made = await t.owner.call('POST', `/api/v3/xds/clusters?project=${t.project}`, body);
    expect(made.body.comments).toEqual([slow]);
    const tooLong = { ...body, name: 'too-long', comments: [{ ...slow, text: 'x'.repeat(20_000) }] };
    expect((await t.owner.call('POST', `/api/v3/xds/clusters?project=${t.project}`, tooLong)).status).toBe(400);
  });

  it('of many documents are written in one call, and dropped from documents that change without them (screen bug 8)', async () => {
    const document = { collection: 'clusters', name: 'batch', version: VERSION, resource, comments: [slow] };
    const apply = (one: object) => t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents: [one] });
    expect((await apply(document)).status).toBe(200);
    expect((await read('batch')).comments).toEqual([slow]);
    const { comments: _, ...without } = document;
    await apply({ ...without, labels: { a: 'b' } });
    expect((await read('batch')).comments).toEqual([slow]);
    await apply({ ...without, resource: { ...resource, connect_timeout: '3s' } });
    expect((await read('batch')).comments).toEqual([]);
  });
});
