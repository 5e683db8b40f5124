import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type TrafficSeries, trafficSeriesSchema, trafficSummarySchema } from '@flotilla/contract';
import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';
import { forgetOldIntervals, forgetOldTraffic } from './prune-store.ts';
import { TrafficRecorder } from './recorder.ts';
import { rollUpHours, rollUpNodes } from './roll-up-store.ts';
import { trafficOf, type Values } from './testing/reports.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let t: TestFleet;
let client: string;
let service: { id: string; name: string };
/** The end of a minute on the controller's clock, in which every test runs. */
let nowMs: number;
let recorder: TrafficRecorder;

const createRecorder = () =>
  new TrafficRecorder({
    db: t.database.db,
    logger: createSilentLogger(),
    now: () => new Date(nowMs),
    listener: { stored: () => undefined },
  });

beforeAll(async () => {
  t = await createTestFleet();
  client = await t.createClient();
  service = await t.createService({ clients: [{ client_id: client }] });
});
afterAll(() => t.close());
beforeEach(async () => {
  for (const table of ['intervals', 'blocks', 'minutes', 'nodes', 'marks'] as const)
    await t.database.db.deleteFrom(`traffic_${table}`).execute();
  nowMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  recorder = createRecorder();
});

type IntervalInit = MessageInitShape<typeof fleet.TrafficIntervalSchema>;

/** `at`: start relative to `nowMs`. */
function interval(seq: number, at: number, values: Values, more: IntervalInit & { s?: number } = {}): IntervalInit {
  const { s = 10, ...rest } = more;
  return {
    seq: BigInt(seq),
    fromMs: BigInt(nowMs + at),
    durationMs: s * 1000,
    series: trafficOf(values),
    ...rest,
  };
}

function report(intervals: IntervalInit[], more: MessageInitShape<typeof fleet.TrafficReportSchema> = {}) {
  return create(fleet.TrafficReportSchema, {
    serviceId: service.id,
    epoch: EPOCH,
    sentMs: BigInt(nowMs),
    intervals,
    ...more,
  });
}

const EPOCH = createId();

async function send(message: fleet.TrafficReport, to = recorder, by = client) {
  const stored = to.note(by, message);
  await to.flush();
  return stored;
}

async function readSeries(query: Record<string, string | number> = {}): Promise<TrafficSeries> {
  const to = new Date(nowMs).toISOString();
  const search = new URLSearchParams({ project: t.project, service_id: service.id, to });
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const { status, body } = await t.owner.call('GET', `/api/v3/traffic/series?${search}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return trafficSeriesSchema.parse(body);
}

const at = (ms: number) => new Date(nowMs + ms).toISOString();
const ago = (ms: number) => ({ from: at(-ms) });

/** Counts of a series: rates times the length of the steps. */
function count({ points, step_s }: TrafficSeries): number {
  return Math.round(points.reduce((sum, { requests_per_s }) => sum + requests_per_s * step_s, 0));
}

async function rollUp() {
  while ((await rollUpNodes(t.database.db)) > 0);
  while ((await rollUpHours(t.database.db, new Date(nowMs))) > 0);
}

describe('the series of a service', () => {
  it('has rates, the error share, quantiles and gauges of the step in which they happened', async () => {
    const values = { requests_2xx: 150, requests_5xx: 50, connections_active: 7 };
    expect(await send(report([interval(1, -MINUTE_MS, values)]))).toBe(1n);
    const series = await readSeries({ ...ago(MINUTE_MS), step_s: 10 });
    expect(series).toMatchObject({ step_s: 10, resolution_s: 10, has_other: false });
    expect(series.points).toHaveLength(1);
    const [point] = series.points;
    expect(point).toMatchObject({ at: at(-MINUTE_MS), nodes: 1, requests_per_s: 20, error_share: 0.25 });
    expect(point?.values).toMatchObject({ requests_2xx: 15, requests_5xx: 5, requests_4xx: 0, connections_active: 7 });
    for (const quantile of [point?.p50_ms, point?.p95_ms, point?.p99_ms]) {
      expect(quantile).toBeGreaterThan(10);
      expect(quantile).toBeLessThanOrEqual(25);
    }
  });

  it('screen bug 7: an interval of 85 seconds of a frozen agent is spread evenly, without a gap or a peak', async () => {
    const before = Array.from({ length: 6 }, (_, i) => interval(i + 1, -180_000 + i * 10_000, { requests_2xx: 1000 }));
    await send(report([...before, interval(7, -120_000, { requests_2xx: 8500 }, { s: 85 })]));
    const series = await readSeries({ from: at(-180_000), to: at(-40_000), step_s: 10 });
    expect(series.gaps).toEqual([]);
    expect(series.points).toHaveLength(14);
    for (const { requests_per_s } of series.points) expect(requests_per_s).toBeCloseTo(100, 1);
  });

  it('a step without a report is a gap rather than zero, a report without requests is zero, and the last steps are open', async () => {
    await send(report([interval(1, -120_000, { requests_2xx: 10 }), interval(2, -60_000, {})]));
    const series = await readSeries({ from: at(-180_000), step_s: 60 });
    expect(series.points.map((point) => [point.at, point.requests_per_s])).toEqual([
      [at(-120_000), 1],
      [at(-60_000), 0],
    ]);
    const tens = await readSeries({ from: at(-120_000), to: at(-50_000), step_s: 10 });
    expect(tens.gaps).toEqual([-110, -100, -90, -80, -70].map((s) => at(s * 1000)));
    const open = await readSeries({ from: at(-60_000), to: new Date(Date.now() + 60_000).toISOString(), step_s: 10 });
    expect(Date.parse(open.open_from ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('a late report lands at the time that it describes', async () => {
    await send(report([interval(5, -60_000, { requests_2xx: 10 })]));
    await send(report([interval(2, -600_000, { requests_2xx: 70 })]));
    const series = await readSeries({ from: at(-660_000), step_s: 60 });
    expect(series.points.map((point) => [point.at, Math.round(point.requests_per_s * 10)])).toEqual([
      [at(-600_000), 70],
      [at(-60_000), 10],
    ]);
  });

  it('duplicate and reordered reports add nothing, on any controller, even after their rows are deleted', async () => {
    const one = report([interval(1, -60_000, { requests_2xx: 10 }), interval(2, -50_000, { requests_2xx: 10 })]);
    const two = report([interval(3, -40_000, { requests_2xx: 10 })]);
    const other = createRecorder();
    expect(await send(two)).toBe(3n);
    expect(await send(one)).toBe(2n);
    const answers = await Promise.all([send(one), send(one, other), send(two, other)]);
    expect(answers).toEqual([2n, 2n, 3n]);
    expect(count(await readSeries({ ...ago(MINUTE_MS), step_s: 10 }))).toBe(30);
    await rollUp();
    nowMs += 2 * HOUR_MS;
    await forgetOldIntervals(t.database.db, new Date(nowMs));
    expect(await t.database.db.selectFrom('traffic_intervals').select('id').execute()).toEqual([]);
    expect(await send(one)).toBe(2n);
    await rollUp();
    // 30 requests in the 30 seconds that were reported.
    const { points } = await readSeries({ ...ago(3 * HOUR_MS), step_s: 60 });
    expect(points.map(({ requests_per_s }) => requests_per_s)).toEqual([1]);
    await other.close();
  });

  it.each([
    [10, [-60, -50, -40, -30]],
    [60, [-60, -50, -40, -30]],
    [3600, [-60, -50, -40, -30]],
  ])('counts the same with steps of %i s, before and after minutes and hours are rolled up', async (step_s, starts) => {
    nowMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 30 * MINUTE_MS;
    const intervals = starts.map((s, i) => interval(i + 1, s * 1000 + 3000, { requests_2xx: 7, requests_5xx: 4 }));
    await send(report(intervals));
    const query = { from: at(-HOUR_MS), step_s };
    const before = await readSeries({ ...query, name: 'web' });
    await rollUp();
    const after = await readSeries({ ...query, name: 'web' });
    expect(after).toEqual(before);
    nowMs += 2 * HOUR_MS;
    await rollUp();
    const closed = await readSeries({ ...query, name: 'web', to: at(-2 * HOUR_MS) });
    expect(closed.points.length).toBeGreaterThan(0);
    for (const series of [before, closed]) {
      const { points } = series;
      const total = points.reduce((sum, { requests_per_s, nodes }) => sum + requests_per_s * nodes, 0);
      expect(total).toBeGreaterThan(0);
    }
    // A late interval changes an hour that was stored before.
    await send(report([interval(9, -2 * HOUR_MS - 20 * MINUTE_MS, { requests_2xx: 100 })]));
    const late = await readSeries({ ...query, name: 'web', to: at(-2 * HOUR_MS), step_s: 3600 });
    await rollUp();
    const again = await readSeries({ ...query, name: 'web', to: at(-2 * HOUR_MS), step_s: 3600 });
    expect(again.points).toEqual(late.points);
  });

  it('sums over nodes: rates are added, a node that reports nothing is missing from them', async () => {
    const second = await t.createClient('second');
    const both = await t.createService({ clients: [{ client_id: client }, { client_id: second }] });
    const values = { requests_2xx: 100, connections_active: 3 };
    await send(report([interval(1, -60_000, values), interval(2, -50_000, values)], { serviceId: both.id }));
    await send(report([interval(1, -60_000, values)], { serviceId: both.id }), recorder, second);
    const series = await readSeries({ ...ago(MINUTE_MS), step_s: 10, service_id: both.id });
    expect(
      series.points.map(({ nodes, requests_per_s, values: { connections_active } }) => [
        nodes,
        requests_per_s,
        connections_active,
      ]),
    ).toEqual([
      [2, 20, 6],
      [1, 10, 3],
    ]);
  });

  it('a report that arrives while the database is away is not acknowledged, and is stored once when it is repeated', async () => {
    const away = { transaction: () => ({ execute: () => Promise.reject(new Error('no connection')) }) };
    const broken = new TrafficRecorder({
      db: away as never,
      logger: createSilentLogger(),
      now: () => new Date(nowMs),
      listener: { stored: () => undefined },
    });
    const one = report([interval(1, -60_000, { requests_2xx: 10 })]);
    const answer = broken.note(client, one);
    await expect(broken.flush()).rejects.toThrow('no connection');
    expect(await answer).toBeUndefined();
    await broken.close();
    expect(await send(one)).toBe(1n);
    expect(await send(one)).toBe(1n);
    expect(count(await readSeries({ ...ago(MINUTE_MS), step_s: 10 }))).toBe(10);
  });

  it('expired minutes and hours are deleted', async () => {
    await send(report([interval(1, -60_000, { requests_2xx: 10 })]));
    await rollUp();
    await forgetOldTraffic(t.database.db, new Date(nowMs + 15 * 24 * HOUR_MS));
    expect(await t.database.db.selectFrom('traffic_blocks').select('step_s').execute()).toEqual([]);
    expect(await t.database.db.selectFrom('traffic_minutes').select('minute').execute()).toEqual([]);
  });
});

describe('the clock of a host', () => {
  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])('that is an hour %s is corrected, and the node says so', async (_, offMs) => {
    const shifted = interval(1, -60_000 + offMs, { requests_2xx: 10 });
    await send(report([shifted], { sentMs: BigInt(nowMs + offMs) }));
    const series = await readSeries({ ...ago(5 * MINUTE_MS), step_s: 10 });
    expect(series.points.map((point) => point.at)).toEqual([at(-60_000)]);
    const nodes = await t.database.db.selectFrom('traffic_nodes').select('clock_offset_ms').execute();
    expect(nodes.map(({ clock_offset_ms }) => Number(clock_offset_ms))).toEqual([-offMs]);
  });

  it('a message that was held back for 75 seconds shifts nothing', async () => {
    await send(report([interval(1, -160_000, {})], { sentMs: BigInt(nowMs) }));
    await send(report([interval(2, -150_000, { requests_2xx: 10 })], { sentMs: BigInt(nowMs - 75_000) }));
    const series = await readSeries({ ...ago(5 * MINUTE_MS), step_s: 10 });
    expect(series.points.map((point) => [point.at, point.requests_per_s])).toEqual([
      [at(-160_000), 0],
      [at(-150_000), 1],
    ]);
  });
});

describe('the summary', () => {
  it('lists services, and listeners and clusters by name, with their current traffic and sparklines', async () => {
    nowMs = Date.now();
    const intervals = Array.from({ length: 12 }, (_, i) =>
      interval(i + 1, -120_000 + i * 10_000, {
        requests_2xx: 90,
        requests_5xx: 10,
        endpoints: 2,
        endpoints_healthy: 1,
      }),
    );
    await send(report(intervals));
    const { body } = await t.owner.call(
      'GET',
      `/api/v3/traffic/summary?project=${t.project}&scope=listener&scope=cluster`,
    );
    const { services } = trafficSummarySchema.parse(body);
    expect(services).toMatchObject([
      {
        service_id: service.id,
        nodes: 1,
        reporting: 1,
        error_share: 0.1,
        endpoints: 2,
        endpoints_healthy: 1,
        names: [
          { scope: 'listener', name: 'web' },
          { scope: 'cluster', name: 'backend', endpoints: 2, endpoints_healthy: 1 },
        ],
        names_omitted: 0,
      },
    ]);
    const [one] = services;
    expect(one?.requests_per_s).toBeCloseTo(10, 1);
    expect(one?.sparkline).toHaveLength(30);
    expect(one?.sparkline.at(-1)).toBeCloseTo(10, 1);
    expect(one?.sparkline.at(0)).toBeNull();
    expect(one?.names[0]?.sparkline.at(-1)).toBeCloseTo(10, 0);
  });
});

describe('a hostile agent', () => {
  it('cannot report about a service that is not assigned to its client, nor about one of another project', async () => {
    const stranger = await t.createClient('stranger');
    expect(await send(report([interval(1, -60_000, { requests_2xx: 10 })]), recorder, stranger)).toBe(1n);
    const other = await t.createProject('other');
    const outsider = await t.createClient('outsider', other);
    await send(report([interval(1, -60_000, { requests_2xx: 10 })]), recorder, outsider);
    expect((await readSeries(ago(MINUTE_MS))).points).toEqual([]);
    for (const table of ['intervals', 'minutes', 'nodes'] as const)
      expect(await t.database.db.selectFrom(`traffic_${table}`).select('service_id').execute()).toEqual([]);
  });

  it('that sends a hundred thousand names stores at most 2,000 of them, and the rest together', async () => {
    const series = Array.from({ length: 100_000 }, (_, i) => ({
      scope: fleet.TrafficScope.CLUSTER,
      name: `c-${i}.<b>\u0000`,
      values: [{ metric: 2, value: 1n }],
    }));
    await send(report([interval(1, -60_000, {}, { series })]));
    const all = await readSeries({ ...ago(MINUTE_MS), scope: 'cluster', step_s: 10 });
    expect(count(all)).toBe(100_000);
    expect(all.has_other).toBe(true);
    await rollUp();
    const { rows } = await t.database.db.executeQuery<{ bytes: number }>({
      sql: 'select octet_length(names) as bytes from traffic_blocks',
      parameters: [],
      query: { kind: 'RawNode' } as never,
      queryId: { queryId: '' } as never,
    });
    expect(rows[0]?.bytes).toBeLessThan(200_000);
  });

  it('that sends absurd numbers and times breaks nothing, and others are stored', async () => {
    const huge = 2n ** 63n - 1n;
    const absurd = [
      interval(1, -60_000, {}, { durationMs: 2 ** 32 - 1 }),
      interval(2, -60_000, {}, { durationMs: 0 }),
      interval(3, 0, {}, { fromMs: huge }),
      interval(4, 0, {}, { fromMs: -huge }),
      interval(5, -60_000, {}, { endpointProblemsOmitted: 2 ** 32 - 1, namesOmitted: 2 ** 32 - 1 }),
      interval(
        6,
        -50_000,
        {},
        { series: [{ scope: 99 as never, name: 'x', values: [{ metric: 2 ** 31, value: 5n }] }] },
      ),
      interval(
        7,
        -40_000,
        {},
        {
          series: [
            {
              scope: fleet.TrafficScope.SERVER,
              values: [
                { metric: 2, value: 2n ** 64n - 1n },
                { metric: 6, value: 3n },
              ],
              latency: { boundsUs: [5n, 3n], counts: [1n, 1n, 1n], sumUs: huge },
            },
          ],
          endpointProblems: [
            { cluster: 'a\u0000\ud800', address: 'x'.repeat(10_000), reasons: Array(1000).fill('failed_active_hc') },
          ],
        },
      ),
    ];
    const stored = recorder.note(client, report(absurd, { sentMs: huge }));
    const second = await t.createClient('fine');
    const fine = await t.createService({ clients: [{ client_id: second }] });
    const good = recorder.note(second, report([interval(1, -60_000, { requests_2xx: 10 })], { serviceId: fine.id }));
    await recorder.flush();
    expect(await Promise.all([stored, good])).toEqual([7n, 1n]);
    expect(count(await readSeries({ ...ago(MINUTE_MS), service_id: fine.id, step_s: 10 }))).toBe(10);
    expect(count(await readSeries({ ...ago(MINUTE_MS), scope: 'server', step_s: 10 }))).toBe(0);
  });

  it('a report that the database refuses is dropped, and holds back no other', async () => {
    const { owner } = t.database;
    await sql`create function refuse_seq() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '22003'; end $$`.execute(owner);
    await sql`create trigger refuse_seq before insert on traffic_intervals for each row when (new.seq = 666)
      execute function refuse_seq()`.execute(owner);
    try {
      const others = await Promise.all([1, 2, 3, 4, 5].map(() => t.createClient()));
      const shared = await t.createService({ clients: others.map((id) => ({ client_id: id })) });
      const stored = others.map((id, i) =>
        recorder.note(
          id,
          report([interval(i === 2 ? 666 : 1, -MINUTE_MS, { requests_2xx: 10 })], { serviceId: shared.id }),
        ),
      );
      await recorder.flush();
      expect(await Promise.all(stored)).toEqual([1n, 1n, 666n, 1n, 1n]);
      expect(count(await readSeries({ ...ago(MINUTE_MS), service_id: shared.id, step_s: 10 }))).toBe(40);
    } finally {
      await sql`drop trigger refuse_seq on traffic_intervals`.execute(owner);
      await sql`drop function refuse_seq`.execute(owner);
    }
  });

  it('a database that is away drops nothing', async () => {
    const { owner } = t.database;
    await sql`create function fail_seq() returns trigger language plpgsql as
      $$ begin raise exception 'away' using errcode = '57P01'; end $$`.execute(owner);
    await sql`create trigger fail_seq before insert on traffic_intervals for each row execute function fail_seq()`.execute(
      owner,
    );
    const message = report([interval(1, -MINUTE_MS, { requests_2xx: 10 })]);
    const lost = recorder.note(client, message);
    await expect(recorder.flush()).rejects.toThrow('away');
    await sql`drop trigger fail_seq on traffic_intervals`.execute(owner);
    await sql`drop function fail_seq`.execute(owner);
    expect(await lost).toBeUndefined();
    expect(await send(message)).toBe(1n);
  });

  it('a damaged row is unknown: what comes before and after it is shown and rolled up', async () => {
    await send(
      report([
        interval(1, -2 * MINUTE_MS, { requests_2xx: 10 }),
        interval(2, -2 * MINUTE_MS + 10_000, { requests_2xx: 10 }),
        interval(3, -2 * MINUTE_MS + 20_000, { requests_2xx: 10 }),
      ]),
    );
    const damage = Buffer.from('ff00ff', 'hex');
    await sql`update traffic_intervals set names = ${damage}, totals = ${damage} where seq = 2`.execute(t.database.db);
    expect(count(await readSeries({ ...ago(2 * MINUTE_MS), step_s: 10 }))).toBe(20);
    await rollUp();
    expect(count(await readSeries({ ...ago(2 * MINUTE_MS), scope: 'cluster', name: 'backend', step_s: 60 }))).toBe(60);
    await sql`update traffic_blocks set names = ${damage}, totals = ${damage}`.execute(t.database.db);
    await send(report([interval(4, -MINUTE_MS, { requests_2xx: 10 })]));
    await rollUp();
    expect(count(await readSeries({ ...ago(2 * MINUTE_MS), step_s: 60 }))).toBe(60);
  });
});
