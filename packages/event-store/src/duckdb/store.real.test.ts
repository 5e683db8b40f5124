import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { selectForTier } from '@flotilla/kit/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { toProjectId } from '../port.ts';
import { describeEventStore, type StoreUnderTest } from '../testing/behaviour.suite.ts';
import { createBatch, createEvent, createTraffic, NOON_MS } from '../testing/events.ts';
import { describeForward } from '../testing/forward.suite.ts';
import { describeGroups } from '../testing/groups.suite.ts';
import { describeKept } from '../testing/kept.suite.ts';
import { describeLatencyMap } from '../testing/latency-map.suite.ts';
import { describeRanks } from '../testing/ranks.suite.ts';
import { ROLLUP_KINDS } from './schema.ts';
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
describeKept('what the DuckDB event store keeps', underTest);
describeGroups('groups of the DuckDB event store', underTest);
describeLatencyMap('the latency map of the DuckDB event store', underTest);
describeForward('arrivals of the DuckDB event store', underTest);
describeRanks('rankings of the DuckDB event store', underTest);

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
    // The deleted event had the same time.
    expect(await store.completeFrom()).toBe(NOON_MS + 1);
    await store.close();
    const again = await openDuckDbStore({ path: join(folder, 'evicted.duckdb'), now: () => NOON_MS });
    expect(await again.completeFrom()).toBe(NOON_MS + 1);
    await again.close();
  });
});

describe('a file of an older format', () => {
  const project = toProjectId('shop');
  const DAY_MS = 86_400_000;
  const HOUR_MS = 3_600_000;
  const window = { from: NOON_MS - DAY_MS, to: NOON_MS + DAY_MS, step: '1h', by: 'status' } as const;
  const traffic = (seed: number) => createTraffic(900, { seed, startMs: NOON_MS - DAY_MS / 2, spanMs: DAY_MS / 2 });

  /**
   * Format 1 had one kind of rollups, format 2 those without sums for rankings. Format 3 did not know from when on events are complete.
   */
  async function makeOld(path: string, version: 1 | 2 | 3): Promise<void> {
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    for (const { fresh, tables } of version < 3 ? ROLLUP_KINDS.slice(version) : []) {
      for (const table of [fresh, ...Object.values(tables)]) await connection.run(`drop table ${table}`);
    }
    if (version < 3) await connection.run('drop table ranks_since');
    await connection.run('drop table complete_from');
    await connection.run(`update format set version = ${version}`);
    connection.closeSync();
    instance.closeSync();
  }

  const old = [
    [1, true],
    [1, false],
    [2, false],
    [2, true],
    [3, true],
    [3, false],
  ] as const;
  it.each(selectForTier(old, 2))(
    'gets the rollups that it lacks, and answers as before (format %i, compacted: %s)',
    async (version, isCompacted) => {
      const path = join(folder, `old-${version}-${isCompacted}.duckdb`);
      const options = { path, now: () => NOON_MS, tailRows: 350 };
      const store = await openDuckDbStore(options);
      await store.append(project, createBatch(1, traffic(1)));
      if (isCompacted) await store.compact();
      const before = await store.series(project, window);
      expect(before.totals.events).toBe(900);
      await store.close();
      await makeOld(path, version);
      const again = await openDuckDbStore(options);
      expect(await again.series(project, window)).toEqual(before);
      expect(await again.completeFrom()).toBe((await again.health()).oldestMs);
      await again.append(project, createBatch(2, traffic(2)));
      const { totals } = await again.series(project, window);
      expect(totals).toEqual((await again.series(project, { ...window, resolution: 'raw' })).totals);
      await again.close();
    },
  );

  it('reads the events of times for which it has no sums for rankings, and refuses what would be a wrong zero', async () => {
    const path = join(folder, 'old-ranks.duckdb');
    let nowMs = NOON_MS;
    const options = { path, now: () => nowMs };
    const store = await openDuckDbStore(options);
    await store.append(project, createBatch(1, traffic(1)));
    await store.close();
    await makeOld(path, 2);
    const again = await openDuckDbStore(options);
    const query = { from: NOON_MS - DAY_MS, to: NOON_MS + HOUR_MS, by: ['country'], resolution: '1h' } as const;
    const { data, resolution } = await again.groups(project, query);
    expect(resolution).toBe('raw');
    expect(data.reduce((sum, { events }) => sum + events, 0)).toBe(900);
    await expect(again.groups(project, { ...query, from: NOON_MS - 20 * DAY_MS })).rejects.toMatchObject({
      code: 'event_store.bad_query',
    });
    // From the next hour on, it has them.
    nowMs = NOON_MS + 3 * HOUR_MS;
    await again.append(project, createBatch(2, [createEvent({ timeMs: nowMs })]));
    const later = await again.groups(project, { ...query, from: nowMs - HOUR_MS, to: nowMs + HOUR_MS });
    expect([later.resolution, later.data.map(({ events }) => events)]).toEqual(['1h', [1]]);
    await again.close();
  });
});

describe('the rankings of consumers of the DuckDB event store', () => {
  it('keep the largest ones of an hour, and say that others may be missing', { timeout: 120_000 }, async () => {
    const project = toProjectId('shop');
    const store = await openDuckDbStore({ path: join(folder, 'many.duckdb'), now: () => NOON_MS });
    const toConsumer = (index: number) => (index + 1).toString(16).padStart(16, '0');
    const CONSUMERS = 25_000;
    for (let part = 0; part < 2; part += 1) {
      const events = Array.from({ length: CONSUMERS }, (_, index) => createEvent({ consumer: toConsumer(index) }));
      const large = Array.from({ length: 50 }, () => createEvent({ consumer: toConsumer(77), status: 500 }));
      await store.append(project, createBatch(part, [...events, ...large]));
      await store.maintain(NOON_MS);
    }
    const query = {
      from: NOON_MS - (NOON_MS % 3_600_000),
      to: NOON_MS + 1,
      by: ['consumer'],
      resolution: '1h',
    } as const;
    const { data, isApproximate, hasMore } = await store.groups(project, { ...query, limit: 10 });
    expect([isApproximate, hasMore, data.length]).toEqual([true, true, 10]);
    expect(data[0]).toMatchObject({ values: [toConsumer(77)], requests: 102, serverErrors: 100 });
    expect(data.map(({ values }) => values[0])).not.toContain('ffffffffffffffff');
    const [{ requests } = { requests: 0 }] = (await store.groups(project, { ...query, by: [] })).data;
    expect(requests).toBe(2 * (CONSUMERS + 50));
    await store.close();
    const instance = await DuckDBInstance.create(join(folder, 'many.duckdb'));
    const connection = await instance.connect();
    const rows = (
      await connection.runAndReadAll('select count(distinct consumer) as n from consumer_1h')
    ).getRowObjects();
    expect(Number(rows[0]?.n)).toBeLessThanOrEqual(10_100);
    connection.closeSync();
    instance.closeSync();
  });
});
