import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;

beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const list = (project: string) => t.owner.call('GET', `/api/v3/custom/proxy_versions?project=${project}`);

it("the list of versions has every known one, newest first, with the project's use of it", async () => {
  const resource = { name: 'a', type: 'STATIC', connect_timeout: '1s' };
  const created = await t.owner.call('POST', `/api/v3/xds/clusters?project=${t.project}`, {
    name: 'a',
    version: '1.40.0',
    resource,
  });
  expect(created.status).toBe(201);
  const { status, body } = await list(t.project);
  expect(status).toBe(200);
  const versions = body.items.map(({ version }: { version: string }) => version);
  expect(versions).toContain('1.36.4');
  expect(versions.indexOf('1.40.0')).toBeLessThan(versions.indexOf('1.36.4'));
  expect(body.items.find(({ version }: { version: string }) => version === '1.40.0')).toMatchObject({
    version: '1.40.0',
    documents: 1,
    services: 0,
    prepared_at: null,
  });
  expect(body.preparations).toEqual([]);
});

it('the list of versions counts nothing of another project', async () => {
  const { body } = await list(await t.createProject('elsewhere'));
  expect(body.items.every(({ documents }: { documents: number }) => documents === 0)).toBe(true);
});
