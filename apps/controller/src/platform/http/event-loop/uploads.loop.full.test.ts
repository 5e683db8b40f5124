import { randomBytes } from 'node:crypto';
import { FEED_ENTRIES_MAX } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillAudit } from '../../../modules/operations/audit-log/testing/fill.ts';
import { createMmdb } from '../../../modules/security/geoip/testing/mmdb.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { type LoopRequest, MeasuredLoop, watchLoop } from './testing/loop.ts';

const MIB = 1024 * 1024;

let t: TestController;
let loop: MeasuredLoop;

beforeAll(async () => {
  t = await createTestController();
  loop = await MeasuredLoop.open(t.app);
});
afterAll(async () => {
  await loop.close();
  await t.close();
});

const measure = (request: LoopRequest) =>
  loop.measure({ ...request, headers: { authorization: `Bearer ${t.owner.token}` } });

describe('the event loop (attack 8, fault H1)', { timeout: 180_000 }, () => {
  it.each<[string, number, LoopRequest['method'], (project: string) => string, () => Buffer | string]>([
    [
      'a threat feed of the most entries',
      200,
      'POST',
      (project) => `/api/v3/setting/threat-intel/upload?project=${project}&name=large`,
      () =>
        Array.from({ length: FEED_ENTRIES_MAX }, (_, i) => `198.${18 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`).join(
          '\n',
        ),
    ],
    [
      'a GeoIP database',
      200,
      'POST',
      (project) => `/api/v3/setting/geoip/upload?project=${project}&kind=city`,
      () => createMmdb('GeoLite2-City', { nodes: 4_000_000 }),
    ],
    [
      'a file that is no backup',
      400,
      'PUT',
      (project) => `/api/v3/setting/maintenance/backup/uploads?project=${project}`,
      () => randomBytes(32 * MIB),
    ],
  ])('is not blocked by the upload of %s', async (_, status, method, path, file) => {
    const body = file();
    const contentType = 'application/octet-stream';
    const turn = await measure({ method, path: path(t.project), body, contentType });
    expect(turn.status, turn.head).toBe(status);
    expect(turn.longestMs).toBeLessThan(loop.turnMaxMs);
  });

  it('is not blocked while an audit log is verified or exported', async () => {
    const from = new Date(Date.now() - 86_400_000);
    await fillAudit(t.database.owner, [{ project: t.project, entries: 20_000, from, everyS: 1 }]);
    for (const route of ['verify', 'export']) {
      const turn = await measure({ method: 'GET', path: `/api/v3/audit/${route}?project=${t.project}` });
      expect([turn.status, turn.longestMs < loop.turnMaxMs], `${route}: ${turn.longestMs} ms`).toEqual([200, true]);
    }
  });

  it('is blocked by long work in this process, which proves the measurement', () => {
    const watch = watchLoop();
    const until = performance.now() + 3 * loop.turnMaxMs;
    while (performance.now() < until);
    expect(watch.stop()).toBeGreaterThan(loop.turnMaxMs);
  });
});
