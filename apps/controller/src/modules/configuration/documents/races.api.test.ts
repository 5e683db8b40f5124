import { createId } from '@flotilla/kit';
import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { type DocumentCalls, documentCallsOf, routesTo } from './testing/documents.ts';

let t: TestController;
let calls: DocumentCalls;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  calls = documentCallsOf(t);
});
afterAll(() => t.close());

describe('concurrent writes of documents', () => {
  it('never let a reference appear while its target is deleted', async () => {
    for (let round = 0; round < 25; round += 1) {
      const name = `race-${round}`;
      await calls.write('clusters', name, { type: 'STATIC' });
      const [reference, removal] = await Promise.all([
        calls.write('routes', name, routesTo(name)),
        t.owner.call('DELETE', calls.item('clusters', name)),
      ]);
      const outcome = [reference.status, removal.status];
      expect([
        [201, 409],
        [409, 204],
      ]).toContainEqual(outcome);
    }
  });

  it('let one of two writers with the same If-Match succeed', async () => {
    await calls.write('clusters', 'contested', { type: 'STATIC' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        t.owner.call(
          'PUT',
          calls.item('clusters', 'contested'),
          { resource: { type: 'STATIC', connect_timeout: `${i + 1}s` } },
          { 'if-match': '"1"' },
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
  });

  it('let one of two creators succeed', async () => {
    const name = `twin-${createId().slice(-6)}`;
    const answers = await Promise.all([1, 2, 3].map(() => calls.write('clusters', name, { type: 'STATIC' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});
