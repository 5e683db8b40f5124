import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { latencyBucketOf } from '../latency.ts';
import { type EventStore, type LatencyMap, toProjectId } from '../port.ts';
import type { StoreUnderTest } from './behaviour.suite.ts';
import { createBatch, createEvent, createTraffic, NOON_MS } from './events.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Describes how every event store counts requests by time and latency. The clock of the stores shows noon of the test. */
export function describeLatencyMap(name: string, { open, isAvailable = true }: StoreUnderTest): void {
  describe.runIf(isAvailable)(name, () => {
    let store: EventStore;
    const project = toProjectId('shop');
    const startMs = NOON_MS - 2 * DAY_MS;
    const traffic = createTraffic(1_500, { seed: 7, startMs, spanMs: 2 * DAY_MS });
    const window = { from: startMs, to: NOON_MS };
    beforeAll(async () => {
      store = await open();
      for (let sequence = 0; sequence < 3; sequence += 1) {
        await store.append(project, createBatch(sequence, traffic.slice(sequence * 500, (sequence + 1) * 500)));
        if (sequence === 1) await store.maintain(NOON_MS);
      }
      await store.append(toProjectId('other'), createBatch(1, traffic));
    });
    afterAll(async () => {
      await store.close();
    });

    const expectCounts = ({ data, window: read }: LatencyMap, stepMs: number, events = traffic) => {
      const expected = new Map<string, number>();
      for (const { timeMs, latencyUs = 0, weight = 1 } of events) {
        const key = `${timeMs - (timeMs % stepMs)} ${latencyBucketOf(latencyUs)}`;
        expected.set(key, (expected.get(key) ?? 0) + weight);
      }
      const found = data.flatMap((step) =>
        step.counts.flatMap((count, bucket) => (count === 0 ? [] : [[`${step.timeMs} ${bucket}`, count] as const])),
      );
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
      expect(data.map(({ timeMs }) => timeMs)).toEqual(
        Array.from({ length: (read.to - read.from) / stepMs }, (_, index) => read.from + index * stepMs),
      );
      for (const { requests, counts } of data) expect(requests).toBe(counts.reduce((sum, one) => sum + one, 0));
    };

    it.each([
      [30 * MINUTE_MS, '1m'],
      [3 * HOUR_MS, '1h'],
      [DAY_MS, '1d'],
    ] as const)('counts requests in steps of %i ms at resolution %s, corrected for sampling', async (stepMs, step) => {
      const map = await store.latencyMap(project, { ...window, stepMs });
      expect(map.resolution).toBe(step);
      expectCounts(map, stepMs);
    });

    it('counts events if the filter names a column that rollups do not have', async () => {
      const filter = [{ column: 'country', in: ['NL'] }] as const;
      const map = await store.latencyMap(project, { ...window, stepMs: HOUR_MS, filter });
      expect(map.resolution).toBe('raw');
      expectCounts(
        map,
        HOUR_MS,
        traffic.filter(({ country }) => country === 'NL'),
      );
    });

    it('has every step of a window without requests', async () => {
      const range = { from: NOON_MS - 90 * MINUTE_MS, to: NOON_MS };
      const { data } = await store.latencyMap(toProjectId('nobody'), { ...range, stepMs: 15 * MINUTE_MS });
      expect(data).toHaveLength(6);
      expect(data.every(({ events, requests, counts }) => events + requests + Math.max(...counts) === 0)).toBe(true);
    });

    it('has latencies without an upper bound in its last class', async () => {
      const slow = toProjectId('slow');
      await store.append(
        slow,
        createBatch(1, [createEvent({ latencyUs: 4_000_000_000 }), createEvent({ latencyUs: 0 })]),
      );
      const range = { from: NOON_MS - 1, to: NOON_MS + 1 };
      const { data } = await store.latencyMap(slow, { ...range, stepMs: MINUTE_MS });
      const [, step] = data;
      expect([step?.counts.at(-1), step?.counts[0], step?.events]).toEqual([1, 1, 2]);
    });

    it('refuses steps that it does not have, and windows with too many of them', async () => {
      const refused = { code: 'event_store.bad_query', httpStatus: 400 };
      for (const stepMs of [0, -MINUTE_MS, 1000, 90_000, Number.NaN, Number.POSITIVE_INFINITY, '60000' as never]) {
        await expect(store.latencyMap(project, { ...window, stepMs })).rejects.toMatchObject(refused);
      }
      await expect(store.latencyMap(project, { ...window, stepMs: MINUTE_MS })).rejects.toMatchObject(refused);
      const filter = [{ column: 'country', in: ['NL'] }] as const;
      const long = { from: NOON_MS - 8 * DAY_MS, to: NOON_MS, stepMs: DAY_MS, filter };
      await expect(store.latencyMap(project, long)).rejects.toMatchObject(refused);
    });
  });
}
