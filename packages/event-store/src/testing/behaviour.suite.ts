import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestEvent } from '../event.ts';
import { percentileOf } from '../latency.ts';
import { type Condition, type EventStore, type Retention, type Totals, toProjectId } from '../port.ts';
import { createBatch, createEvent, createTraffic, NOON_MS } from './events.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface StoreUnderTest {
  /** A new, empty store. */
  readonly open: (options?: { readonly retention?: Partial<Retention> }) => Promise<EventStore>;
  /** False where the engine has no binary. */
  readonly isAvailable?: boolean;
}

/** Describes the behaviour of every event store. The clock of the stores shows noon of the test. */
export function describeEventStore(name: string, { open, isAvailable = true }: StoreUnderTest): void {
  describe.runIf(isAvailable)(name, () => {
    let store: EventStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store.close();
    });
    /** Each test has a project of its own in the one store. */
    let count = 0;
    const createProject = () => {
      count += 1;
      return toProjectId(`project-${count}`);
    };
    const hour = { from: NOON_MS - HOUR_MS, to: NOON_MS + HOUR_MS };

    it('answers every field of an event that was appended, and empty values for the others', async () => {
      const project = createProject();
      const full: RequestEvent = {
        ...createEvent(),
        operation: 'shop.v1.Orders/Get',
        responseFlags: 'UF,URX',
        agentKind: 'browser',
        authScheme: 'jwt',
        tlsVersion: 'TLSv1_3',
        contentType: 'application/json',
        action: 'block',
        engine: 'waf',
        grpcStatus: 7,
        risk: 41,
        exposure: 12,
        weight: 10,
        source: 'ffffffffffffffff',
        userAgent: '8000000000000001',
        object: '0000000000000b0b',
        flags: [0, 41, 63],
        pii: [31],
        categories: [1, 2],
        marks: [0],
        requestId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      };
      await store.append(project, createBatch(1, [full, { timeMs: NOON_MS - 1 }]));
      const { events, nextCursor } = await store.page(project, hour);
      expect(nextCursor).toBeNull();
      expect(events[0]).toEqual({ ...full, id: expect.stringMatching(/^[0-9a-f]{24}$/) });
      expect(events[1]).toMatchObject({
        timeMs: NOON_MS - 1,
        service: '',
        consumer: '',
        status: 0,
        weight: 1,
        flags: [],
      });
    });

    it('counts a batch once however often it is sent, and tells senders, epochs and projects apart', async () => {
      const [project, other] = [createProject(), createProject()];
      const events = [createEvent(), createEvent()];
      expect(await store.append(project, createBatch(7, events))).toBe('stored');
      expect(await store.append(project, createBatch(7, events))).toBe('duplicate');
      expect(await store.append(project, createBatch(6, events))).toBe('duplicate');
      expect(await store.append(project, createBatch(8, events))).toBe('stored');
      expect(await store.append(project, { ...createBatch(7, events), epoch: 'e2' })).toBe('stored');
      expect(await store.append(project, createBatch(7, events, 'edge-2'))).toBe('stored');
      expect(await store.append(other, createBatch(7, events))).toBe('stored');
      expect((await store.totals(project, hour)).data.events).toBe(8);
      expect((await store.totals(other, hour)).data.events).toBe(2);
    });

    it('counts a batch once that is sent again before the first attempt ends', async () => {
      const project = createProject();
      const events = [createEvent()];
      const sent = Array.from({ length: 8 }, () => store.append(project, createBatch(1, events)));
      expect((await Promise.all(sent)).filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect((await store.totals(project, hour)).data.events).toBe(1);
    });

    it('never answers the events of another project', async () => {
      const [project, other] = [createProject(), createProject()];
      await store.append(project, createBatch(1, [createEvent({ path: '/secret', consumer: '00000000000000ff' })]));
      await store.append(other, createBatch(1, [createEvent({ path: '/public' })]));
      const range = { ...hour, filter: [{ column: 'path', in: ['/secret'] }] as const };
      expect((await store.totals(other, range)).data.events).toBe(0);
      expect((await store.page(other, range)).events).toEqual([]);
      expect((await store.top(other, { ...hour, by: 'path' })).data.map(({ value }) => value)).toEqual(['/public']);
      expect(await store.distinct(other, { ...hour, column: 'consumer' })).toBe(1);
      expect((await store.totals(toProjectId("x' or '1'='1"), hour)).data.events).toBe(0);
    });

    describe('over the traffic of three days', () => {
      const project = toProjectId('traffic');
      const startMs = NOON_MS - 3 * DAY_MS;
      const traffic = createTraffic(3_000, { seed: 7, startMs, spanMs: 3 * DAY_MS });
      const window = { from: startMs - (startMs % DAY_MS), to: NOON_MS + 14 * HOUR_MS };
      beforeAll(async () => {
        for (let sequence = 0; sequence < 6; sequence += 1) {
          const events = traffic.slice(sequence * 500, (sequence + 1) * 500);
          await store.append(project, createBatch(sequence, events));
          // Some of the events are in their final form, some are not.
          if (sequence === 2) await store.maintain(NOON_MS);
        }
      });

      it.each(['raw', '1m', '1h', '1d'] as const)('gives the exact totals at resolution %s', async (resolution) => {
        const { data } = await store.totals(project, { ...window, resolution });
        expect(data).toEqual(sumUp(traffic));
      });

      it('gives the same series from the events as from each rollup', async () => {
        for (const step of ['1h', '1d'] as const) {
          const raw = await store.series(project, { ...window, step, resolution: 'raw' });
          const rolled = await store.series(project, { ...window, step });
          expect(rolled.resolution).toBe(step);
          expect(rolled.data).toEqual(raw.data);
          expect(rolled.data.reduce((sum, point) => sum + point.events, 0)).toBe(traffic.length);
        }
        const day = { from: startMs, to: startMs + DAY_MS, step: '1m' } as const;
        const raw = await store.series(project, { ...day, resolution: 'raw' });
        const minutes = await store.series(project, day);
        expect(minutes.data).toEqual(raw.data);
        expect(minutes.data).toHaveLength(1440);
      });

      it('splits a series by a column', async () => {
        const { data } = await store.series(project, { ...window, step: '1d', by: 'status' });
        const found = data.filter(({ value }) => value === '404').reduce((sum, { events }) => sum + events, 0);
        expect(found).toBe(traffic.filter(({ status }) => status === 404).length);
      });

      it('gives percentiles within a class of the exact ones', async () => {
        const sorted = traffic.flatMap(({ latencyUs = 0, weight = 1 }) => Array<number>(weight).fill(latencyUs));
        sorted.sort((a, b) => a - b);
        const { data } = await store.percentiles(project, {
          ...window,
          quantiles: [0.5, 0.95, 0.99],
          resolution: '1h',
        });
        for (const [name, quantile] of [
          ['p50', 0.5],
          ['p95', 0.95],
          ['p99', 0.99],
        ] as const) {
          const exact = sorted[Math.ceil(quantile * sorted.length) - 1] ?? 0;
          const ratio = (data[name] ?? 0) / exact;
          expect(ratio, name).toBeGreaterThan(1 / Math.SQRT2);
          expect(ratio, name).toBeLessThan(Math.SQRT2);
        }
        expect(percentileOf([], 0.5, 0)).toBeNull();
      });

      it('ranks values, also those of a column that rollups do not have', async () => {
        const { data } = await store.top(project, { ...window, by: 'path', limit: 5 });
        expect(data.map(({ value, requests }) => [value, requests])).toEqual(rank(traffic, 'path').slice(0, 5));
        const countries = await store.top(project, { ...window, by: 'country', limit: 10 });
        expect(countries.resolution).toBe('raw');
        expect(countries.data.map(({ value, requests }) => [value, requests])).toEqual(rank(traffic, 'country'));
      });

      it('counts distinct values without the empty one', async () => {
        expect(await store.distinct(project, { ...window, column: 'consumer' })).toBe(50);
        expect(await store.distinct(project, { ...window, column: 'country' })).toBe(3);
      });

      it('answers facets of several columns', async () => {
        const facets = await store.facets(project, { ...window, columns: ['method', 'status', 'country'] });
        expect(facets.method?.map(({ value }) => value).sort()).toEqual(['DELETE', 'GET', 'POST']);
        expect(facets.status?.reduce((sum, { events }) => sum + events, 0)).toBe(traffic.length);
        expect(facets.country).toHaveLength(4);
      });

      const filters: [string, Condition[], (event: RequestEvent) => boolean][] = [
        ['values', [{ column: 'method', in: ['GET', 'POST'] }], (one) => one.method !== 'DELETE'],
        ['no value', [{ column: 'method', in: [] }], () => false],
        ['an unknown value', [{ column: 'host', in: ['nobody.example.com'] }], () => false],
        ['the opposite of a value', [{ column: 'method', in: ['GET'], not: true }], (one) => one.method !== 'GET'],
        ['the opposite of an unknown value', [{ column: 'host', in: ['x'], not: true }], () => true],
        ['the empty value', [{ column: 'country', in: [''] }], (one) => one.country === ''],
        ['a beginning', [{ column: 'path', prefix: '/things-1' }], (one) => one.path?.startsWith('/things-1') === true],
        ['a part', [{ column: 'path', contains: '9/' }], (one) => one.path?.includes('9/') === true],
        ['a part with signs of SQL', [{ column: 'path', contains: "%' or 1=1 --" }], () => false],
        ['a range', [{ column: 'status', min: 400, max: 499 }], (one) => one.status === 404 || one.status === 429],
        ['a lower bound', [{ column: 'latencyUs', min: 50_000.5 }], (one) => (one.latencyUs ?? 0) >= 50_001],
        ['a bit', [{ column: 'flags', any: [41] }], (one) => one.flags?.includes(41) === true],
        ['bits that nobody has', [{ column: 'flags', any: [0, 63] }], () => false],
        [
          'a hash',
          [{ column: 'consumer', in: ['0000000000001001', 'no hash'] }],
          (one) => one.consumer === '0000000000001001',
        ],
        [
          'several conditions',
          [
            { column: 'action', in: ['block'] },
            { column: 'risk', min: 10 },
          ],
          (one) => one.action === 'block' && (one.risk ?? 0) >= 10,
        ],
      ];
      it.each(filters)('filters by %s', async (_, filter, matches) => {
        const { data } = await store.totals(project, { ...window, filter, resolution: 'raw' });
        expect(data).toEqual(sumUp(traffic.filter(matches)));
      });

      it('pages through every event once, newest first', async () => {
        const ids = new Set<string>();
        const times: number[] = [];
        let cursor: string | null = null;
        do {
          const page = await store.page(project, { ...window, limit: 500, ...(cursor === null ? {} : { cursor }) });
          for (const event of page.events) {
            ids.add(event.id);
            times.push(event.timeMs);
          }
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(ids.size).toBe(traffic.length);
        expect(times).toEqual([...times].sort((a, b) => b - a));
      });

      it('pages through a filter that few events match', async () => {
        const filter: Condition[] = [{ column: 'consumer', in: ['0000000000001002'] }];
        const { events } = await store.page(project, { ...window, limit: 500, filter });
        expect(events).toHaveLength(traffic.filter(({ consumer }) => consumer === '0000000000001002').length);
      });
    });

    it('pages through events of the same millisecond without loss', async () => {
      const project = createProject();
      await store.append(
        project,
        createBatch(
          1,
          Array.from({ length: 25 }, () => createEvent()),
        ),
      );
      await store.append(
        project,
        createBatch(
          2,
          Array.from({ length: 25 }, () => createEvent()),
        ),
      );
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await store.page(project, { ...hour, limit: 7, ...(cursor === '' ? {} : { cursor }) });
        ids.push(...page.events.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(new Set(ids).size).toBe(50);
      expect(ids).toHaveLength(50);
    });

    it('finds a request by its id, also by one that is not a UUID', async () => {
      const project = createProject();
      const ids = ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'Bearer secret', ''];
      await store.append(
        project,
        createBatch(
          1,
          ids.map((requestId, index) => createEvent({ requestId, status: index })),
        ),
      );
      const find = async (id: string) =>
        (await store.page(project, { ...hour, filter: [{ column: 'requestId', in: [id] }] })).events;
      expect(await find(ids[0] ?? '')).toMatchObject([{ status: 0, requestId: ids[0] }]);
      const [secret] = await find('Bearer secret');
      expect(secret?.status).toBe(1);
      expect(secret?.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    });

    it('stores hostile values as harmless ones', async () => {
      const project = createProject();
      const hostile = [
        { timeMs: Number.NaN, path: 'nul \0 and \u001b[31m' },
        { timeMs: -1, path: 'half \ud800 of a character' },
        { timeMs: 1e300, path: 'x'.repeat(1_000_000) },
        {
          timeMs: NOON_MS,
          latencyUs: Number.NaN,
          status: -5,
          requestBytes: 1e30,
          responseBytes: Number.POSITIVE_INFINITY,
        },
        { timeMs: NOON_MS, weight: -1, risk: 999, flags: [-1, 1.5, 64, Number.NaN], consumer: "'; drop table events" },
        { timeMs: NOON_MS, host: 12 as never, path: { toString: () => 'x' } as never, requestId: '\0\ud800' },
      ];
      await store.append(project, createBatch(1, hostile));
      const { events } = await store.page(project, { from: NOON_MS - 1, to: NOON_MS + 1 });
      const paths = events.map(({ path }) => path);
      expect(events).toHaveLength(6);
      expect(paths).toContain('nul \ufffd and \ufffd[31m');
      expect(paths).toContain('half \ufffd of a character');
      expect(paths).toContain('x'.repeat(512));
      expect(events.filter(({ marks }) => marks.includes(7))).toHaveLength(3);
      expect(events.find(({ requestBytes }) => requestBytes > 0)).toMatchObject({
        requestBytes: Number.MAX_SAFE_INTEGER,
        responseBytes: Number.MAX_SAFE_INTEGER,
        latencyUs: 0,
        status: 0,
      });
      expect(events.find(({ risk }) => risk > 0)).toMatchObject({ risk: 255, weight: 1, flags: [], consumer: '' });
      const { data } = await store.totals(project, { from: NOON_MS - 1, to: NOON_MS + 1 });
      expect(data.events).toBe(6);
    });

    it('adds up sizes that exceed 64 bits', async () => {
      const project = createProject();
      const huge = { timeMs: NOON_MS, responseBytes: Number.MAX_SAFE_INTEGER, latencyUs: 2 ** 32, weight: 65_535 };
      await store.append(
        project,
        createBatch(
          1,
          Array.from({ length: 100 }, () => huge),
        ),
      );
      for (const resolution of ['raw', '1h'] as const) {
        const { data } = await store.totals(project, { ...hour, resolution });
        expect(data.responseBytes / (Number.MAX_SAFE_INTEGER * 6_553_500)).toBeCloseTo(1);
      }
    });

    it('refuses a query that it cannot answer, and names the reason', async () => {
      const project = createProject();
      const refused = { code: 'event_store.bad_query', httpStatus: 400 };
      const wide = { from: NOON_MS - 8 * DAY_MS, to: NOON_MS };
      await expect(store.page(project, wide)).rejects.toMatchObject(refused);
      await expect(store.page(project, { ...hour, limit: 501 })).rejects.toMatchObject(refused);
      await expect(store.page(project, { ...hour, cursor: "1' or 1=1" })).rejects.toMatchObject(refused);
      await expect(store.totals(project, { from: 5, to: 5 })).rejects.toMatchObject(refused);
      await expect(store.totals(project, { from: Number.NaN, to: 5 })).rejects.toMatchObject(refused);
      await expect(store.top(project, { ...hour, by: 'timeMs; drop table events' as never })).rejects.toMatchObject(
        refused,
      );
      await expect(store.top(project, { ...wide, by: 'country' })).rejects.toMatchObject(refused);
      await expect(store.series(project, { from: 0, to: 31 * DAY_MS, step: '1m' })).rejects.toMatchObject(refused);
      const filter = [{ column: '"; select 1', in: ['x'] }] as never;
      await expect(store.totals(project, { ...hour, filter })).rejects.toMatchObject(refused);
    });

    it('refuses a batch that is not one', async () => {
      const project = createProject();
      const refused = { code: 'event_store.bad_batch' };
      const events = [createEvent()];
      await expect(store.append(project, createBatch(-1, events))).rejects.toMatchObject(refused);
      await expect(store.append(project, createBatch(0.5, events))).rejects.toMatchObject(refused);
      await expect(store.append(project, createBatch(1, events, ''))).rejects.toMatchObject(refused);
      await expect(store.append(project, createBatch(1, events, 'a\0'))).rejects.toMatchObject(refused);
      const many = Array<RequestEvent>(50_001).fill(createEvent());
      await expect(store.append(project, createBatch(1, many))).rejects.toMatchObject(refused);
      expect(await store.append(project, createBatch(1, []))).toBe('stored');
    });

    it('deletes a project and nothing of others', async () => {
      const [project, other] = [createProject(), createProject()];
      await store.append(project, createBatch(1, [createEvent()]));
      await store.append(other, createBatch(1, [createEvent()]));
      await store.maintain(NOON_MS);
      await store.append(project, createBatch(2, [createEvent()]));
      await store.deleteProject(project);
      await store.deleteProject(toProjectId('nobody'));
      for (const resolution of ['raw', '1m', '1d'] as const) {
        expect((await store.totals(project, { ...hour, resolution })).data.events).toBe(0);
        expect((await store.totals(other, { ...hour, resolution })).data.events).toBe(1);
      }
      expect(await store.projects()).not.toContain(project);
      expect(await store.projects()).toContain(other);
    });

    it('keeps everything through a compaction', async () => {
      const project = createProject();
      await store.append(
        project,
        createBatch(1, createTraffic(500, { seed: 3, startMs: NOON_MS, spanMs: HOUR_MS / 12 })),
      );
      const read = async () => [
        await store.totals(project, { ...hour, resolution: '1h' }),
        await store.page(project, hour),
      ];
      const before = await read();
      await store.compact();
      expect(await read()).toEqual(before);
      expect((await store.health()).events).toBeGreaterThan(500);
    });
  });
}

/** The totals by the definition of each. */
function sumUp(events: readonly RequestEvent[]): Totals {
  const sum = (of: (event: RequestEvent) => number) => events.reduce((total, event) => total + of(event), 0);
  const max = (of: (event: RequestEvent) => number) => events.reduce((most, event) => Math.max(most, of(event)), 0);
  const weightIf = (test: (event: RequestEvent) => boolean) => sum((one) => (test(one) ? (one.weight ?? 1) : 0));
  return {
    events: events.length,
    requests: weightIf(() => true),
    clientErrors: weightIf(({ status = 0 }) => status >= 400 && status < 500),
    serverErrors: weightIf(({ status = 0 }) => status >= 500),
    blocked: weightIf(({ action }) => action === 'block'),
    requestBytes: sum(({ requestBytes = 0, weight = 1 }) => requestBytes * weight),
    responseBytes: sum(({ responseBytes = 0, weight = 1 }) => responseBytes * weight),
    responseBytesMax: max(({ responseBytes = 0 }) => responseBytes),
    latencyUsSum: sum(({ latencyUs = 0, weight = 1 }) => latencyUs * weight),
    latencyUsMax: max(({ latencyUs = 0 }) => latencyUs),
    riskMax: max(({ risk = 0 }) => risk),
  };
}

function rank(events: readonly RequestEvent[], column: 'path' | 'country'): [string, number][] {
  const requests = new Map<string, number>();
  for (const { [column]: value = '', weight = 1 } of events) requests.set(value, (requests.get(value) ?? 0) + weight);
  return [...requests].sort((a, b) => b[1] - a[1]);
}
