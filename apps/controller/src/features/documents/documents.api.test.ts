import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../test-controller.ts';

let t: TestController;
const VERSION = '1.39.3';
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
});
afterAll(() => t.close());

const at = (collection: string, name?: string, extra = '') =>
  `/api/v3/xds/${collection}${name === undefined ? '' : `/${encodeURIComponent(name)}`}?project=${t.project}${name === undefined ? '' : `&version=${VERSION}`}${extra}`;

function cluster(name: string, more: Record<string, unknown> = {}) {
  return { name, version: VERSION, resource: { type: 'STATIC', connect_timeout: '1s', ...more } };
}

describe('documents', () => {
  it('creates, reads, replaces, patches and deletes with revisions and ETags', async () => {
    const created = await t.owner.call('POST', at('clusters'), cluster('alpha'));
    expect(created.body).toMatchObject({ name: 'alpha', revision: 1, resource: { name: 'alpha', type: 'STATIC' } });
    expect(created.status).toBe(201);
    const read = await t.owner.call('GET', String(created.headers.location));
    expect(read.body).toEqual(created.body);
    expect(read.headers.etag).toBe('"1"');
    const stale = await t.owner.call(
      'PUT',
      at('clusters', 'alpha'),
      { resource: { type: 'STATIC' } },
      { 'if-match': '"7"' },
    );
    expect(stale.status).toBe(412);
    const replaced = await t.owner.call(
      'PUT',
      at('clusters', 'alpha'),
      { resource: { type: 'STATIC', connect_timeout: '2s' } },
      { 'if-match': '"1"' },
    );
    expect(replaced.body).toMatchObject({ revision: 2, resource: { connect_timeout: '2s' } });
    const patched = await t.owner.call('PATCH', at('clusters', 'alpha'), {
      labels: { team: 'a' },
      resource: { connect_timeout: null, alt_stat_name: 'x' },
    });
    expect(patched.body).toMatchObject({ revision: 3, labels: { team: 'a' } });
    expect(patched.body.resource).toEqual({ name: 'alpha', type: 'STATIC', alt_stat_name: 'x' });
    const restored = await t.owner.call('POST', `${at('clusters', 'alpha').replace('?', '/restore?')}`, {
      revision: 2,
    });
    expect(restored.body).toMatchObject({ revision: 4, labels: {}, resource: { connect_timeout: '2s' } });
    const history = await t.owner.call('GET', `${at('clusters', 'alpha').replace('?', '/revisions?')}`);
    expect(history.body.items.map(({ revision }: { revision: number }) => revision)).toEqual([4, 3, 2, 1]);
    expect((await t.owner.call('DELETE', at('clusters', 'alpha'))).status).toBe(204);
    expect((await t.owner.call('GET', at('clusters', 'alpha'))).status).toBe(404);
  });

  it('names the field of what Envoy would refuse', async () => {
    const answer = await t.owner.call('POST', at('clusters'), cluster('bad', { connect_timeout: '-1s' }));
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe('resource.connect_timeout');
    const unknown = await t.owner.call('POST', at('clusters'), cluster('bad', { conect_timeout: '1s' }));
    expect(unknown.body.details[0].path).toBe('resource.conect_timeout');
  });

  it('names the versions there are when one is unknown', async () => {
    const answer = await t.owner.call('POST', at('clusters'), { ...cluster('x'), version: '9.9.9' });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('version.unknown');
    expect(answer.body.message).toContain(VERSION);
  });
});
