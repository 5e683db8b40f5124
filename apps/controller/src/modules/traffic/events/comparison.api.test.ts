import { trafficComparisonSchema, trafficLatencyMapSchema } from '@flotilla/contract';
import type { RequestEvent } from '@flotilla/event-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventWorld, type EventWorld, HOUR_MS } from './testing/event-world.ts';

let w: EventWorld;
const DAY_MS = 24 * HOUR_MS;
const time = (agoMs: number) => new Date(w.nowMs - agoMs).toISOString();
const repeat = (count: number, agoMs: number, changes: Partial<RequestEvent>) =>
  Array.from({ length: count }, (_, index) => w.event({ timeMs: w.nowMs - agoMs - index, ...changes }));
const ORDERS = { operationId: '00000000000000a1', path: '/orders' };
const CARTS = { operationId: '00000000000000a2', path: '/carts', consumer: '00000000000000c2', country: 'DE' };
const NEW = { operationId: '00000000000000a3', path: '/new', consumer: '00000000000000c3', country: 'BR' };
const LONG_AGO = { operationId: '00000000000000a4', path: '/long-ago' };

beforeAll(async () => {
  w = await createEventWorld();
  await w.append([
    ...repeat(30, 2 * HOUR_MS, { ...ORDERS, latencyUs: 12_000 }),
    ...repeat(1, 2 * HOUR_MS, { ...ORDERS, status: 500, weight: 10, latencyUs: 900_000 }),
    ...repeat(20, 2 * HOUR_MS, { ...NEW, latencyUs: 50 }),
    ...repeat(10, 26 * HOUR_MS, ORDERS),
    ...repeat(5, 26 * HOUR_MS, CARTS),
    ...repeat(3, 20 * DAY_MS, LONG_AGO),
  ]);
  await w.store.maintain(Date.now(), { eventsDays: 30 });
}, 120_000);
afterAll(() => w?.close());

const compare = async (query: Record<string, string> = {}) =>
  trafficComparisonSchema.parse(await w.get('/comparison', query));

describe('the comparison of two time ranges', () => {
  it('has sums of both, by default of a day and the day before, corrected for sampling', async () => {
    const body = await compare();
    expect(body).toMatchObject({ sampled: true, limited: null, applied: {}, key_ids: null });
    expect(body.range).toMatchObject({ state: 'read', totals: { requests: 60, events: 51, server_errors: 10 } });
    expect(body.base).toMatchObject({ state: 'read', totals: { requests: 15, server_errors: 0 } });
    expect(body.range.totals?.p99_ms).toBeGreaterThan(500);
    expect(Date.parse(body.base.to) - Date.parse(body.base.from)).toBeGreaterThanOrEqual(DAY_MS);
    expect(body.range.requests_per_s).toBeCloseTo(60 / 86_400, 5);
  });

  it('names what is new, gone and different, the largest difference first', async () => {
    const { operations, consumers, countries } = await compare();
    const short = (changes: typeof operations) =>
      changes?.items.map(({ value, change, now, base }) => [value, change, now?.requests, base?.requests]);
    expect(short(operations)).toEqual([
      [ORDERS.operationId, 'changed', 40, 10],
      [NEW.operationId, 'new', 20, undefined],
      [CARTS.operationId, 'gone', undefined, 5],
    ]);
    expect(operations).toMatchObject({ new_count: 1, gone_count: 1, truncated: false });
    expect(operations?.items[1]?.label).toBe('GET api.example.com/new');
    expect(operations?.items[2]?.difference_per_s).toBeLessThan(0);
    expect(short(consumers)).toEqual([
      ['00000000000000c1', 'changed', 40, 10],
      [NEW.consumer, 'new', 20, undefined],
      [CARTS.consumer, 'gone', undefined, 5],
    ]);
    expect(countries?.items.map(({ value }) => value)).toEqual(['NL', 'BR', 'DE']);
    expect((await compare({ top: '1' })).operations?.items).toHaveLength(1);
  });

  it('compares rates if the ranges have different lengths', async () => {
    const body = await compare({
      from: time(3 * HOUR_MS),
      to: time(HOUR_MS),
      base_from: time(30 * HOUR_MS),
      base_to: time(20 * HOUR_MS),
    });
    const [orders] = body.operations?.items ?? [];
    expect(orders).toMatchObject({ value: ORDERS.operationId, now: { requests: 40 }, base: { requests: 10 } });
    expect(orders?.difference_per_s).toBeCloseTo(40 / 7200 - 10 / 36_000, 3);
  });

  it('filters both ranges', async () => {
    const body = await compare({ country: 'DE' });
    expect(body.applied).toEqual({ country: ['DE'] });
    expect([body.range.totals?.requests, body.base.totals?.requests]).toEqual([0, 5]);
    expect(body.operations?.items.map(({ change }) => change)).toEqual(['gone']);
  });

  it('says which range is not kept, and never answers zero for it', async () => {
    const old = await compare({ base_from: time(800 * DAY_MS), base_to: time(799 * DAY_MS) });
    expect(old.range).toMatchObject({ state: 'read', totals: { requests: 60 } });
    expect(old.base).toMatchObject({ state: 'not_kept', totals: null, requests_per_s: null });
    expect(old).toMatchObject({ operations: null, consumers: null, countries: null });
    expect(old.limited).toContain('nothing to compare');
    const byCountry = await compare({ country: 'NL', base_from: time(9 * DAY_MS), base_to: time(8 * DAY_MS) });
    expect(byCountry.base).toMatchObject({ state: 'not_kept', totals: null });
    const future = await compare({ from: time(-HOUR_MS), to: time(-2 * HOUR_MS) });
    expect(future.range).toMatchObject({ state: 'not_begun', totals: null });
  });

  it('reads older ranges from sums, and says that consumers and countries are not in them', async () => {
    const body = await compare({ base_from: time(21 * DAY_MS), base_to: time(19 * DAY_MS) });
    expect(body.base).toMatchObject({ state: 'read', totals: { requests: 3 } });
    expect(body.operations?.items.map(({ value }) => value)).toContain(LONG_AGO.operationId);
    expect(body).toMatchObject({ consumers: null, countries: null });
    expect(body.limited).toContain('kept for 7 days');
    const week = await compare({ from: time(7 * DAY_MS), to: time(0) });
    expect(week.base.state).toBe('read');
    expect(week.consumers).toBeNull();
  });

  it('finds values that are large in one range and small in the other', async () => {
    const project = await w.t.createProject('many-operations');
    const many = (agoMs: number, count: (index: number) => number) =>
      Array.from({ length: 600 }, (_, index) =>
        w.event({
          timeMs: w.nowMs - agoMs,
          operationId: (0x1000 + index).toString(16).padStart(16, '0'),
          path: `/many-${index}`,
          weight: count(index),
        }),
      );
    await w.append([...many(HOUR_MS, (index) => 1 + index), ...many(25 * HOUR_MS, (index) => 601 - index)], project);
    const { operations } = trafficComparisonSchema.parse(await w.get('/comparison', {}, { project }));
    expect(operations).toMatchObject({ truncated: true, new_count: 0, gone_count: 0 });
    expect(operations?.items[0]).toMatchObject({ change: 'changed' });
  });

  it.each([
    [{ base_from: '2026-01-02T00:00:00Z', base_to: '2026-01-01T00:00:00Z' }, 'base_to'],
    [{ base_from: '1969-01-01T00:00:00Z', base_to: '1971-01-01T00:00:00Z' }, 'base_from'],
    [{ base_from: '2001-01-01T00:00:00Z', base_to: '2026-01-01T00:00:00Z' }, 'base_from'],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to'],
    [{ base_from: 'yesterday' }, 'base_from'],
  ])('refuses %j, and names the field', async (query, field) => {
    const { status, body } = await w.call('/comparison', query);
    expect([status, body.details?.[0]?.path]).toEqual([400, field]);
  });
});

describe('the latency map', () => {
  const read = async (query: Record<string, string> = {}) =>
    trafficLatencyMapSchema.parse(await w.get('/latency-map', query));

  it('counts requests by step and class, from the fastest class to the slowest', async () => {
    const map = await read({ from: time(6 * HOUR_MS), to: time(0) });
    expect(map).toMatchObject({ step_s: 300, requests: 60, sampled: true, resolution: '1m' });
    expect(map.classes[0]).toEqual({ from_ms: 0, to_ms: 0.064 });
    expect(map.classes.at(-1)).toEqual({ from_ms: 524.288, to_ms: 1048.576 });
    for (const [index, { from_ms: from }] of map.classes.entries())
      if (index > 0) expect(from).toBe(map.classes[index - 1]?.to_ms);
    expect(map.steps.every(({ requests }) => requests.length === map.classes.length)).toBe(true);
    const columns = map.classes.map((_, row) => map.steps.reduce((sum, step) => sum + (step.requests[row] ?? 0), 0));
    expect([columns[0], columns.at(-1), columns.reduce((sum, one) => sum + one, 0)]).toEqual([20, 10, 60]);
  });

  it('leads to exactly the requests of a cell', async () => {
    const map = await read({ from: time(6 * HOUR_MS), to: time(0) });
    for (const [row, { from_ms: from, to_ms: to }] of map.classes.entries()) {
      const count = map.steps.reduce((sum, step) => sum + (step.requests[row] ?? 0), 0);
      const bounds = { min_latency_ms: String(from === 0 ? 0 : from + 0.001), max_latency_ms: String(to) };
      const { items } = await w.get('/events', { ...bounds, from: time(6 * HOUR_MS), to: time(0), limit: '500' });
      const found = items.reduce((sum: number, { sample_weight }: { sample_weight: number }) => sum + sample_weight, 0);
      expect(found, `${from} to ${to} ms`).toBe(count);
    }
  });

  it('has steps without classes if there were no requests', async () => {
    const map = await read({ service_id: '00000000-0000-4000-8000-00000000dead' });
    expect(map.classes).toEqual([]);
    expect(map.steps.length).toBeGreaterThanOrEqual(48);
    expect(map.requests).toBe(0);
  });

  it('chooses steps whose sums are kept, and refuses a range of which nothing is', async () => {
    const [old] = [await read({ from: time(40 * DAY_MS), to: time(39 * DAY_MS) })];
    expect(old.resolution).toBe('1h');
    const older = await w.call('/latency-map', { from: time(800 * DAY_MS), to: time(799 * DAY_MS) });
    expect([older.status, older.body.details?.[0]?.path]).toEqual([400, 'from']);
    const byCountry = await w.call('/latency-map', { country: 'NL', from: time(9 * DAY_MS), to: time(8 * DAY_MS) });
    expect([byCountry.status, byCountry.body.details?.[0]?.path]).toEqual([400, 'from']);
  });
});
