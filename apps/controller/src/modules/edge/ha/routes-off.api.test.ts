import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';
import { HA_OFF } from './routes-off.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

const ID = '00000000-0000-7000-8000-000000000000';

describe('HA pairs on a controller without them (contradiction: /ha)', () => {
  it.each(HA_OFF.routes)('answer $method $path with 503 and the specified message', async ({ method, path }) => {
    const answer = await t.owner.call(method, `${path.replace(':pair_id', ID)}?project=${t.project}`);
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'ha.unavailable', message: 'HA pairs are not available on this controller' },
    });
  });

  it('have the specified addresses and no others', async () => {
    expect((await t.owner.call('GET', '/api/v3/ha/nothing')).status).toBe(404);
    expect((await t.owner.call('GET', '/api/v3/ha')).status).toBe(404);
    expect((await t.owner.call('PATCH', '/api/v3/ha/pairs')).status).toBe(405);
  });
});
