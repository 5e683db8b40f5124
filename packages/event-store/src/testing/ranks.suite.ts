import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEvents } from '../copy.ts';
import type { RequestEvent } from '../event.ts';
import { type EventStore, type GroupQuery, toProjectId } from '../port.ts';
import type { StoreUnderTest } from './behaviour.suite.ts';
import { createBatch, createEvent, createRandom, createTraffic, NOON_MS } from './events.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SOURCES = 3_000;
const startMs = NOON_MS - 3 * DAY_MS;
/** Whole days, so that sums of days and events cover the same time. */
const window = { from: startMs - (startMs % DAY_MS), to: NOON_MS - (NOON_MS % DAY_MS) + DAY_MS };

const random = createRandom(17);
const createHash = () =>
  Array.from({ length: 2 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
const sources = Array.from({ length: SOURCES }, createHash);
const consumers = Array.from({ length: 60 }, createHash);

function createVisits(count: number, seed: number): RequestEvent[] {
  return createTraffic(count, { seed, startMs, spanMs: 3 * DAY_MS }).map((event, index) => ({
    ...event,
    service: index % 3 === 0 ? 'pay' : 'shop',
    source: sources[Math.floor(random() * SOURCES)] ?? '',
    consumer: index % 10 === 0 ? '' : (consumers[Math.floor(random() ** 2 * consumers.length)] ?? ''),
    agentKind: index % 4 === 0 ? 'bot' : 'browser',
  }));
}

/** Describes the sums for rankings. */
export function describeRanks(name: string, { open, isAvailable = true }: StoreUnderTest): void {
  describe.runIf(isAvailable)(name, () => {
    const project = toProjectId('ranked');
    const other = toProjectId('other');
    let store: EventStore;
    beforeAll(async () => {
      store = await open();
      for (let part = 0; part < 4; part += 1) {
        await store.append(project, createBatch(part, createVisits(2_000, part)));
        // Some sums are in their final form, some are fresh, and some are those of the tail.
        if (part === 1) await store.maintain(NOON_MS);
      }
      await store.append(other, createBatch(1, [createEvent({ country: 'ZZ', consumer: 'aaaaaaaaaaaaaaaa' })]));
    });
    afterAll(() => store.close());

    const queries: [string, Pick<GroupQuery, 'by' | 'filter' | 'counts' | 'order'>][] = [
      ['countries', { by: ['country'] }],
      ['user agents of a country', { by: ['agentKind'], filter: [{ column: 'country', in: ['NL'] }] }],
      ['countries and user agents with errors', { by: ['country', 'agentKind'], order: 'errors' }],
      ['consumers', { by: ['consumer'], filter: [{ column: 'consumer', in: [''], not: true }] }],
      [
        'consumers of a service by class',
        { by: ['consumer', 'statusClass'], filter: [{ column: 'service', in: ['pay'] }] },
      ],
      [
        'a consumer with a count of refused requests',
        {
          by: [],
          filter: [{ column: 'consumer', in: [consumers[3] ?? ''] }],
          counts: { refused: [{ column: 'action', in: ['block'] }] },
        },
      ],
    ];
    it.each(queries)('give the same as the events: %s', async (_, query) => {
      const exact = await store.groups(project, { ...window, ...query, resolution: 'raw', limit: 200 });
      expect(exact.data.length).toBeGreaterThan(0);
      for (const resolution of ['1h', '1d'] as const) {
        const summed = await store.groups(project, { ...window, ...query, resolution, limit: 200 });
        expect(summed.resolution).toBe(resolution);
        expect(summed.isApproximate).toBe(false);
        expect(summed.data).toEqual(exact.data);
      }
    });

    it('answer only if the query asks for them: without a resolution the events are read', async () => {
      const { resolution, isApproximate } = await store.groups(project, { ...window, by: ['country'] });
      expect([resolution, isApproximate]).toEqual(['raw', false]);
      const total = await store.groups(project, { ...window, by: [], distinct: ['source'] });
      expect([total.resolution, total.isApproximate]).toEqual(['raw', false]);
    });

    it('cover more days than events do', async () => {
      const wide = { from: NOON_MS - 40 * DAY_MS, to: window.to, by: ['country'] } as const;
      const { data } = await store.groups(project, { ...wide, resolution: '1d' });
      expect(data.reduce((sum, { events }) => sum + events, 0)).toBe(8_000);
      await expect(store.groups(project, wide)).rejects.toMatchObject({ code: 'event_store.bad_query' });
    });

    it.each([[[]], [[{ column: 'service', in: ['pay'] } as const]]])(
      'count different consumers and sources, or estimate them and say so: %j',
      async (filter) => {
        const query = { ...window, by: [], filter, distinct: ['consumer', 'source'] } as const;
        const exact = (await store.groups(project, { ...query, resolution: 'raw' })).data[0]?.distinct ?? {};
        expect(exact.source).toBeGreaterThan(1_000);
        for (const resolution of ['1h', '1d'] as const) {
          const { data, isApproximate } = await store.groups(project, { ...query, resolution });
          const error = Math.abs((data[0]?.distinct.source ?? 0) / (exact.source ?? 1) - 1);
          expect(error).toBeLessThan(isApproximate ? 0.06 : 1e-9);
          expect(Math.abs((data[0]?.distinct.consumer ?? 0) - (exact.consumer ?? 0))).toBeLessThanOrEqual(
            isApproximate ? 3 : 0,
          );
          expect(data[0]?.events).toBe(
            (await store.totals(project, { ...window, filter, resolution: 'raw' })).data.events,
          );
        }
      },
    );

    it('count exactly if a filter names a column that estimates do not have', async () => {
      const filter = [{ column: 'country', in: ['NL'] }] as const;
      const query = { ...window, by: [], filter, distinct: ['source'] } as const;
      const { data, resolution, isApproximate } = await store.groups(project, { ...query, resolution: '1h' });
      expect([resolution, isApproximate]).toEqual(['raw', false]);
      expect(data).toEqual((await store.groups(project, { ...query, resolution: 'raw' })).data);
    });

    it('are those of one project, and go with it', async () => {
      const read = async (one: typeof project) =>
        (await store.groups(one, { ...window, by: ['country'], resolution: '1d' })).data.map(({ values }) => values[0]);
      expect(await read(project)).not.toContain('ZZ');
      expect(await read(other)).toEqual(['ZZ']);
      const gone = toProjectId('gone');
      await store.append(gone, createBatch(1, [createEvent()]));
      await store.maintain(NOON_MS);
      await store.append(gone, createBatch(2, [createEvent()]));
      await store.deleteProject(gone);
      expect(await read(gone)).toEqual([]);
      const total = await store.groups(gone, { ...window, by: [], distinct: ['consumer'], resolution: '1d' });
      expect(total.data[0]?.distinct.consumer).toBe(0);
    });

    it('exist in a copy', async () => {
      const target = await open();
      await copyEvents({ name: 'copy', from: store, to: target, save: async () => undefined });
      const query = { ...window, by: ['consumer'], resolution: '1d' } as const;
      expect((await target.groups(project, query)).data).toEqual((await store.groups(project, query)).data);
      await target.close();
    });

    it('survive a compaction', async () => {
      const read = () => store.groups(project, { ...window, by: ['consumer'], resolution: '1h' });
      const before = await read();
      await store.compact();
      expect(await read()).toEqual(before);
    });
  });
}
