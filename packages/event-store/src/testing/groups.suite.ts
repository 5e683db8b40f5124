import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestEvent } from '../event.ts';
import { type Condition, type EventStore, type Group, toProjectId } from '../port.ts';
import type { StoreUnderTest } from './behaviour.suite.ts';
import { createBatch, createEvent, createTraffic, NOON_MS } from './events.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Describes how every event store groups and counts. The clock of the stores shows noon of the test. */
export function describeGroups(name: string, { open, isAvailable = true }: StoreUnderTest): void {
  describe.runIf(isAvailable)(name, () => {
    let store: EventStore;
    const project = toProjectId('shop');
    const startMs = NOON_MS - 2 * DAY_MS;
    const traffic = createTraffic(2_000, { seed: 11, startMs, spanMs: 2 * DAY_MS });
    const window = { from: startMs - (startMs % DAY_MS), to: NOON_MS + 14 * HOUR_MS };
    beforeAll(async () => {
      store = await open();
      for (let sequence = 0; sequence < 4; sequence += 1) {
        await store.append(project, createBatch(sequence, traffic.slice(sequence * 500, (sequence + 1) * 500)));
        if (sequence === 1) await store.maintain(NOON_MS);
      }
      await store.append(toProjectId('other'), createBatch(1, traffic));
    });
    afterAll(async () => {
      await store.close();
    });

    const weigh = (events: readonly RequestEvent[]) => events.reduce((sum, { weight = 1 }) => sum + weight, 0);
    const classOf = ({ status = 0 }: RequestEvent) => String(status - (status % 100));

    it.each(['raw', '1h'] as const)(
      'groups by several columns at resolution %s, the largest first',
      async (resolution) => {
        const query = { ...window, by: ['method', 'statusClass'] as const, limit: 1000, resolution };
        const { data, hasMore } = await store.groups(project, query);
        const expected = new Map<string, number>();
        for (const event of traffic) {
          const key = `${event.method} ${classOf(event)}`;
          expected.set(key, (expected.get(key) ?? 0) + (event.weight ?? 1));
        }
        expect(Object.fromEntries(data.map(({ values, requests }) => [values.join(' '), requests]))).toEqual(
          Object.fromEntries(expected),
        );
        const requests = data.map((group) => group.requests);
        expect(requests).toEqual([...requests].sort((a, b) => b - a));
        expect(hasMore).toBe(false);
      },
    );

    it.each(['raw', '1d'] as const)(
      'counts conditions at resolution %s, corrected for sampling',
      async (resolution) => {
        const counts: Record<string, Condition[]> = {
          refused: [
            {
              column: 'status',
              ranges: [
                { min: 404, max: 404 },
                { min: 429, max: 430 },
              ],
            },
          ],
          writes: [{ column: 'method', in: ['GET'], not: true }],
          all: [],
          none: [{ column: 'status', ranges: [] }],
        };
        const { data } = await store.groups(project, { ...window, by: [], counts, resolution });
        expect(data).toHaveLength(1);
        expect(data[0]?.counts).toEqual({
          refused: weigh(traffic.filter(({ status }) => status === 404 || status === 429)),
          writes: weigh(traffic.filter(({ method }) => method !== 'GET')),
          all: weigh(traffic),
          none: 0,
        });
      },
    );

    it('counts different values of each group, and unites the flags of its events', async () => {
      const query = { ...window, by: ['method'] as const, distinct: ['consumer', 'country', 'statusClass'] as const };
      const { data } = await store.groups(project, { ...query, facts: true });
      for (const group of data) {
        const events = traffic.filter(({ method }) => method === group.values[0]);
        expect(group.distinct).toEqual({
          consumer: new Set(events.map(({ consumer }) => consumer)).size,
          country: new Set(events.flatMap(({ country }) => (country === '' ? [] : [country]))).size,
          statusClass: new Set(events.map(classOf)).size,
        });
        const times = events.map(({ timeMs }) => timeMs);
        expect(group.facts).toEqual({
          exposureMax: 0,
          flags: [3, 41],
          pii: [],
          categories: [],
          marks: [],
          firstMs: Math.min(...times),
          lastMs: Math.max(...times),
        });
      }
    });

    it('orders by errors, leaves out small shares of errors, and says that there are more groups', async () => {
      const query = { ...window, by: ['path'] as const, order: 'errors' as const };
      const { data: all } = await store.groups(project, { ...query, limit: 1000 });
      const errorsOf = ({ clientErrors, serverErrors }: Group) => clientErrors + serverErrors;
      expect(all.map(errorsOf)).toEqual(all.map(errorsOf).sort((a, b) => b - a));
      const { data: some, hasMore } = await store.groups(project, { ...query, limit: 3 });
      expect([some.length, hasMore]).toEqual([3, true]);
      const { data: bad } = await store.groups(project, { ...query, limit: 1000, errorShareMin: 0.4 });
      expect(bad).toEqual(all.filter((group) => errorsOf(group) >= 0.4 * group.requests));
      expect(bad.length).toBeLessThan(all.length);
      expect(bad.length).toBeGreaterThan(0);
    });

    it('answers one empty group for no events', async () => {
      const query = { ...window, by: [], distinct: ['consumer'] as const, counts: { all: [] }, facts: true };
      const { data } = await store.groups(toProjectId('nobody'), query);
      expect(data).toMatchObject([
        { events: 0, requests: 0, counts: { all: 0 }, distinct: { consumer: 0 }, facts: null },
      ]);
    });

    it('splits a series by status classes, with the totals of everything', async () => {
      const series = await store.series(project, { ...window, step: '1d', by: 'statusClass' });
      expect(series.resolution).toBe('1d');
      const notFound = series.data.filter(({ value }) => value === '400');
      expect(notFound.reduce((sum, { requests }) => sum + requests, 0)).toBe(
        weigh(traffic.filter((event) => classOf(event) === '400')),
      );
      expect(series.totals.requests).toBe(weigh(traffic));
      const { data } = await store.percentiles(project, { ...window, quantiles: [0.95], resolution: '1d' });
      expect(series.totals.p95).toBe(data.p95);
      expect(series.hasMore).toBe(false);
      const byPath = await store.series(project, { ...window, step: '1d', by: 'path' });
      expect(byPath.hasMore).toBe(true);
      expect(byPath.totals).toEqual(series.totals);
      expect(new Set(byPath.data.map(({ value }) => value)).size).toBe(20);
    });

    it('counts conditions and different values in each step of a series', async () => {
      const counts = { ok: [{ column: 'status', min: 200, max: 299 }] } as const;
      const series = await store.series(project, { ...window, step: '1h', counts, distinct: ['consumer'] });
      expect(series.resolution).toBe('1h');
      for (const { timeMs, counts: found, distinct } of series.data) {
        const events = traffic.filter((one) => one.timeMs >= timeMs && one.timeMs < timeMs + HOUR_MS);
        expect(found.ok).toBe(weigh(events.filter(({ status = 0 }) => status >= 200 && status < 300)));
        expect(distinct).toEqual({ consumer: new Set(events.map(({ consumer }) => consumer)).size });
      }
    });

    it('refuses what it cannot group', async () => {
      const refused = { code: 'event_store.bad_query', httpStatus: 400 };
      const ask = (query: object) => store.groups(project, { ...window, by: [], ...query } as never);
      await expect(ask({ by: ['timeMs'] })).rejects.toMatchObject(refused);
      await expect(ask({ by: Array(9).fill('path') })).rejects.toMatchObject(refused);
      await expect(ask({ distinct: ['1; select 1'] })).rejects.toMatchObject(refused);
      await expect(ask({ counts: { x: [{ column: 'x"', in: [] }] } })).rejects.toMatchObject(refused);
      await expect(ask({ order: 'x desc' })).rejects.toMatchObject(refused);
      await expect(ask({ errorShareMin: '1 or 1=1' })).rejects.toMatchObject(refused);
      await expect(ask({ facts: true, resolution: '1h', from: 0, to: 8 * DAY_MS })).rejects.toMatchObject(refused);
      await expect(ask({ limit: 1001 })).rejects.toMatchObject(refused);
      const days = { from: NOON_MS - 8 * DAY_MS, to: NOON_MS, step: '1d', distinct: ['consumer'] } as const;
      await expect(store.series(project, days)).rejects.toMatchObject(refused);
    });

    it('separates projects in groups and series', async () => {
      const [mine, theirs] = [toProjectId('mine'), toProjectId('theirs')];
      await store.append(mine, createBatch(1, [createEvent({ status: 0 })]));
      await store.append(theirs, createBatch(1, [createEvent({ status: 0, consumer: '00000000000000d1' })]));
      const range = { from: NOON_MS - 1, to: NOON_MS + 1 };
      const { data } = await store.groups(mine, { ...range, by: ['statusClass', 'consumer'] });
      expect(data).toMatchObject([{ values: ['0', '00000000000000c1'], events: 1 }]);
      expect((await store.series(mine, { ...range, step: '1m', by: 'consumer' })).totals.events).toBe(1);
    });

    it('counts each value minute by minute, and what is above a limit', async () => {
      const minutes = new Map<string, number>();
      for (const { consumer = '', timeMs, weight = 1 } of traffic) {
        const key = `${consumer} ${timeMs - (timeMs % 60_000)}`;
        minutes.set(key, (minutes.get(key) ?? 0) + weight);
      }
      const counts = [...minutes.values()];
      const {
        data,
        values,
        minutes: found,
        requests,
        hasMore,
      } = await store.rates(project, { ...window, by: 'consumer' });
      expect({ found, requests, hasMore }).toEqual({ found: counts.length, requests: weigh(traffic), hasMore: false });
      expect(values).toBe(new Set(traffic.map(({ consumer }) => consumer)).size);
      const expected = new Map<number, number>();
      for (const count of counts) expected.set(count, (expected.get(count) ?? 0) + 1);
      expect(new Map(data.map((entry) => [entry.perMinute, entry.minutes]))).toEqual(expected);
      expect(data[0]?.perMinute).toBe(Math.max(...counts));

      const above = await store.rates(project, { ...window, by: 'consumer', above: 5 });
      const over = counts.filter((count) => count > 5);
      expect(above.minutes).toBe(over.length);
      expect(above.excess).toBe(over.reduce((sum, count) => sum + count - 5, 0));
    });

    it('leaves out empty values of rates, and refuses a limit that is no number', async () => {
      const rates = await store.rates(project, { ...window, by: 'source' });
      expect(rates).toMatchObject({ values: 0, minutes: 0, data: [] });
      await expect(store.rates(project, { ...window, by: 'source', above: Number.NaN })).rejects.toThrow(
        'whole number',
      );
    });
  });
}
