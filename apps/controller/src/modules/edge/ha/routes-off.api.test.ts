import { haRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const ID = '00000000-0000-7000-8000-000000000000';
const REFUSED = {
  status: 503,
  body: { code: 'ha.unavailable', message: 'HA pairs are not available on this controller' },
};
const routes = Object.values(haRoutes);
const addressOf = (path: string) => path.replace(':pair_id', ID);

describe('HA pairs on a controller without them (contradiction: /ha)', () => {
  it.each(routes)('answer $method $path with 503 and the specified message', async ({ method, path }) => {
    expect(await t.owner.call(method, `${addressOf(path)}?project=${t.project}`)).toMatchObject(REFUSED);
  });

  it.each(routes)('answer $method $path with 503 also to invalid requests', async ({ method, path }) => {
    const viewer = await t.createMember('viewer');
    const url = addressOf(path);
    expect(await viewer.call(method, `${url}?project=${t.project}`, { members: 5 })).toMatchObject(REFUSED);
    expect(await t.owner.call(method, url, method === 'GET' ? undefined : { nothing: true })).toMatchObject(REFUSED);
    const nobody = await t.app.inject({ method: method as 'GET', url });
    expect(nobody.statusCode).toBe(503);
  });

  it('have the specified addresses and no others', async () => {
    expect((await t.owner.call('GET', '/api/v3/ha/nothing')).status).toBe(404);
    expect((await t.owner.call('GET', '/api/v3/ha')).status).toBe(404);
    expect((await t.owner.call('PATCH', '/api/v3/ha/pairs')).status).toBe(405);
  });

  it('are described in the OpenAPI document all the same', async () => {
    const { paths } = (await t.app.inject({ url: '/api/openapi.json' })).json();
    for (const { method, path } of Object.values(haRoutes))
      expect(paths[path.replace(':pair_id', '{pair_id}')], path).toHaveProperty(method.toLowerCase());
  });

  it('are not offered to callers', async () => {
    const { body } = await t.owner.call('GET', `/api/v3/capabilities?project=${t.project}`);
    const offered = new Set(body.routes);
    expect(Object.values(haRoutes).filter(({ id }) => offered.has(id))).toEqual([]);
  });
});
