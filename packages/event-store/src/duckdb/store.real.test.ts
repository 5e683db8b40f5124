import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { toProjectId } from '../port.ts';
import { describeEventStore, type StoreUnderTest } from '../testing/behaviour.suite.ts';
import { createBatch, createEvent, createTraffic, NOON_MS } from '../testing/events.ts';
import { describeForward } from '../testing/forward.suite.ts';
import { describeGroups } from '../testing/groups.suite.ts';
import { describeLatencyMap } from '../testing/latency-map.suite.ts';
import { NARROW } from './schema.ts';
import { openDuckDbStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

const underTest: StoreUnderTest = {
  open: ({ retention } = {}) => {
    files += 1;
    // Small parts, so that the traffic of the tests is in several of them.
    const parts = { segmentRows: 1_000, tailRows: 350 };
    const path = join(folder, `events-${files}.duckdb`);
    return openDuckDbStore({ path, now: () => NOON_MS, ...parts, ...(retention === undefined ? {} : { retention }) });
  },
};
describeEventStore('the DuckDB event store', underTest);
describeGroups('groups of the DuckDB event store', underTest);
describeLatencyMap('the latency map of the DuckDB event store', underTest);
describeForward('arrivals of the DuckDB event store', underTest);

describe('the words of the DuckDB event store', () => {
  it('are bounded for each project: a scanner fills its own, and the rest is called other', async () => {
    const path = join(folder, 'words.duckdb');
    const options = { path, now: () => NOON_MS, words: { path: 50, other: 10 } };
    const store = await openDuckDbStore(options);
    const [scanned, other] = [toProjectId('scanned'), toProjectId('other')];
    const probes = Array.from({ length: 2_000 }, (_, index) =>
      createEvent({ path: `/probe-${index}`, host: `h${index}` }),
    );
    await store.append(scanned, createBatch(1, probes));
    await store.append(other, createBatch(1, [createEvent({ path: '/real' })]));
    const range = { from: NOON_MS - 1, to: NOON_MS + 1 };
    const { data } = await store.top(scanned, { ...range, by: 'path', limit: 200 });
    expect(data).toHaveLength(51);
    expect(data[0]).toMatchObject({ value: '(other)', requests: 1_950 });
    expect((await store.top(other, { ...range, by: 'path' })).data).toMatchObject([{ value: '/real', requests: 1 }]);
    expect((await store.health()).overflowedWords).toBeGreaterThan(0);
    await store.close();
    const again = await openDuckDbStore(options);
    expect((await again.top(scanned, { ...range, by: 'path', limit: 200 })).data).toEqual(data);
    await again.close();
  });

  it('outlive the events that a small limit evicts', async () => {
    const store = await openDuckDbStore({
      path: join(folder, 'evicted.duckdb'),
      now: () => NOON_MS,
      retention: { maxBytes: 1 },
    });
    const project = toProjectId('shop');
    await store.append(project, createBatch(1, [createEvent()]));
    await store.append(project, createBatch(2, [createEvent({ path: '/new' })]));
    const { data } = await store.top(project, { from: NOON_MS - 1, to: NOON_MS + 1, by: 'path' });
    expect(data.map(({ value }) => value)).toEqual(['/new']);
    await store.close();
  });
});

describe('a file of the format before', () => {
  const project = toProjectId('shop');
  const DAY_MS = 86_400_000;
  const window = { from: NOON_MS - DAY_MS, to: NOON_MS + DAY_MS, step: '1h', by: 'status' } as const;
  const traffic = (seed: number) => createTraffic(900, { seed, startMs: NOON_MS - DAY_MS / 2, spanMs: DAY_MS / 2 });

  async function makeOld(path: string): Promise<void> {
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    for (const table of [NARROW.fresh, ...Object.values(NARROW.tables)]) await connection.run(`drop table ${table}`);
    await connection.run('update format set version = 1');
    connection.closeSync();
    instance.closeSync();
  }

  it.each([true, false])(
    'gets the rollups that it lacks, and answers as before (compacted: %s)',
    async (isCompacted) => {
      const path = join(folder, `old-${isCompacted}.duckdb`);
      const options = { path, now: () => NOON_MS, tailRows: 350 };
      const store = await openDuckDbStore(options);
      await store.append(project, createBatch(1, traffic(1)));
      if (isCompacted) await store.compact();
      const before = await store.series(project, window);
      expect(before.totals.events).toBe(900);
      await store.close();
      await makeOld(path);
      const again = await openDuckDbStore(options);
      expect(await again.series(project, window)).toEqual(before);
      await again.append(project, createBatch(2, traffic(2)));
      const { totals } = await again.series(project, window);
      expect(totals).toEqual((await again.series(project, { ...window, resolution: 'raw' })).totals);
      await again.close();
    },
  );
});
