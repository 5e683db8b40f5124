import { create } from '@bufbuild/protobuf';
import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';
import { MetricsRecorder } from './index.ts';

const MINUTE_MS = 60_000;
const { ALLOWED } = fleet.ShieldVerdict;

let t: TestFleet;
let client: string;
let service: { id: string; name: string };
/** The start of a minute on the controller's clock, in which every test runs. */
let nowMs: number;
let recorder: MetricsRecorder;

beforeAll(async () => {
  t = await createTestFleet();
  const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec:
  domains: [{ hosts: [a.example.com], policy: { engines: { api_key: { keys: [{ key: k }] } } } }]
`;
  await t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, { name: 'guard', text });
  client = await t.createClient();
  service = await t.createService({ clients: [{ client_id: client }], policies: ['guard'] });
  const command = { type: 'DEPLOY', clients: [{ client_id: client }], command: { name: service.name } };
  await t.owner.call('POST', `/api/op/clients?project=${t.project}`, command);
});
afterAll(() => t.close());
beforeEach(async () => {
  for (const table of ['shield_counts', 'shield_reports', 'shield_count_faults'] as const)
    await t.database.db.deleteFrom(table).execute();
  nowMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  recorder = createRecorder();
});

const createRecorder = () =>
  new MetricsRecorder({
    db: t.database.db,
    logger: createSilentLogger(),
    now: () => new Date(nowMs),
    toNewest: () => ({ load_percent: 0, memory_percent: 0, stats: {} }),
  });

interface Minute {
  /** Relative to `nowMs`. */
  readonly at: number;
  readonly before?: number;
  readonly total?: number;
  readonly open?: boolean;
}

/** A report of one counter: its newest total, and its totals by minute. */
function reading(epoch: string, total: number, minutes: readonly Minute[]): fleet.ShieldCounters {
  const counter = { policy: 'guard', engine: '', reason: '', verdict: ALLOWED };
  return create(fleet.ShieldCountersSchema, {
    serviceId: service.id,
    epoch,
    counters: total > 0 ? [{ ...counter, total: BigInt(total) }] : [],
    minutes: minutes.map(({ at, before = 0, total: end, open = false }, n) => ({
      seq: BigInt(n + 1),
      minuteMs: BigInt(nowMs + at * MINUTE_MS),
      open,
      counters: end === undefined ? [] : [{ ...counter, before: BigInt(before), total: BigInt(end) }],
    })),
  });
}

async function tell(report: fleet.ShieldCounters): Promise<bigint | undefined> {
  const stored = recorder.noteCounters(client, report);
  await recorder.flush();
  return stored;
}

const query = (from: number, to: number) =>
  new URLSearchParams({
    project: t.project,
    from: new Date(nowMs + from * MINUTE_MS).toISOString(),
    to: new Date(nowMs + to * MINUTE_MS).toISOString(),
  });
const toOffset = (at: string) => (Date.parse(at) - nowMs) / MINUTE_MS;

async function readSeries(from: number, to = 1) {
  const { body } = await t.owner.call('GET', `/api/v3/shield/series?${query(from, to)}&step_s=60`);
  const points = body.points.map(({ at, allowed }: { at: string; allowed: number }) => `${toOffset(at)}: ${allowed}`);
  return { points, gaps: body.gaps.map(toOffset), open: toOffset(body.open_from), unplaced: body.unplaced };
}

it('screen bug 7: late counts belong to the minutes of their requests, and a minute without them is not a spike', async () => {
  const minutes = [
    { at: -5, total: 30 },
    { at: -4, before: 30, total: 60 },
    { at: -3 },
    { at: -2, before: 60, total: 70 },
  ];
  const report = reading(createId(), 75, [...minutes, { at: 0, before: 70, total: 75, open: true }]);
  expect(await tell(report)).toBe(4n);
  const series = await readSeries(-5);
  expect(series.points).toEqual(['-5: 30', '-4: 30', '-2: 10', '0: 5']);
  expect(series.unplaced).toEqual({ dropped: 0, clock_off: 0 });
});

it('screen bug 7: counts repeated to another controller or in parts are counted once and in the same minutes', async () => {
  const epoch = createId();
  const first = reading(epoch, 20, [{ at: -2, total: 20, open: true }]);
  const all = reading(epoch, 50, [
    { at: -2, total: 30 },
    { at: -1, before: 30, total: 50, open: true },
  ]);
  const other = createRecorder();
  for (const report of [first, all, first, all]) {
    const stored = other.noteCounters(client, report);
    await Promise.all([tell(report), other.flush()]);
    await stored;
  }
  await other.close();
  expect((await readSeries(-5)).points).toEqual(['-2: 30', '-1: 20']);
});

it('screen bug 7: requests of dropped minutes are in no minute and are reported as dropped', async () => {
  const epoch = createId();
  await tell(reading(epoch, 10, [{ at: -9, total: 10 }]));
  await tell(reading(epoch, 130, [{ at: -2, before: 110, total: 130 }]));
  const { points, unplaced } = await readSeries(-10);
  expect(points).toEqual(['-9: 10', '-2: 20']);
  expect(unplaced).toEqual({ dropped: 100, clock_off: 0 });
  await tell(reading(epoch, 130, [{ at: -2, before: 110, total: 130 }]));
  expect((await readSeries(-10)).unplaced.dropped).toBe(100);
});

it('screen bug 7: totals beyond the reported minutes are reported as dropped', async () => {
  await tell(reading(createId(), 50, [{ at: -1, total: 20 }]));
  const { body } = await t.owner.call('GET', `/api/v3/shield/counters?${query(-10, 1)}`);
  expect(body).toMatchObject({ totals: { allowed: 20 }, unplaced: { dropped: 30, clock_off: 0 } });
});

it.each([
  ['ahead of the controller', 2],
  ['older than what filters keep', -70],
  ['in the year 1970', -29_000_000],
])("screen bug 7: a minute that is %s is counted in the controller's minute and reported", async (_, at) => {
  await tell(reading(createId(), 7, [{ at, total: 7 }]));
  const { points, unplaced } = await readSeries(-5);
  expect(points).toEqual(['0: 7']);
  expect(unplaced).toEqual({ dropped: 0, clock_off: 7 });
});

it('screen bug 7: a clock that is a minute ahead is accepted, and so is one as old as what filters keep', async () => {
  await tell(reading(createId(), 3, [{ at: 1, total: 3 }]));
  await tell(reading(createId(), 4, [{ at: -65, total: 4 }]));
  const { points, unplaced } = await readSeries(-66, 2);
  expect(points).toEqual(['-65: 4', '1: 3']);
  expect(unplaced.clock_off).toBe(0);
});

it('screen bug 7: the series lists minutes that no filter has reported, and no minute with a count of zero', async () => {
  const epoch = createId();
  await tell(reading(epoch, 1, [{ at: -6, total: 1 }, { at: -5 }]));
  await tell(reading(epoch, 2, [{ at: -6, total: 1 }, { at: -5 }, { at: -2, before: 1, total: 2 }]));
  const { gaps, points } = await readSeries(-10);
  expect(points).toEqual(['-6: 1', '-2: 1']);
  // Before the first report there is no gap; the previous minute may still be reported.
  expect(gaps.filter((at: number) => at < -1)).toEqual([-4, -3]);
  await tell(reading(epoch, 2, [{ at: -4 }, { at: -3 }]));
  expect((await readSeries(-10)).gaps.filter((at: number) => at < -1)).toEqual([]);
});

it('screen bug 7: the series says where its steps still grow, and nothing for a past span', async () => {
  expect((await readSeries(-10)).open).toBeGreaterThanOrEqual(-1);
  const { body } = await t.owner.call('GET', `/api/v3/shield/series?${query(-10, -5)}&step_s=60`);
  expect(body.open_from).toBeNull();
});

it("screen bug 7: an agent without minutes is counted in the controller's minute, and causes no gap while connected", async () => {
  expect(await tell(reading(createId(), 9, []))).toBeUndefined();
  nowMs += MINUTE_MS;
  recorder.noteStats(client, create(fleet.HostStatsSchema, { cores: 1 }));
  nowMs += 2 * MINUTE_MS;
  recorder.noteStats(client, create(fleet.HostStatsSchema, { cores: 1 }));
  await recorder.flush();
  nowMs -= 3 * MINUTE_MS;
  expect((await readSeries(-5)).points).toEqual(['0: 9']);
  const rows = await t.database.db.selectFrom('shield_reports').selectAll().execute();
  const bits = rows.reduce((sum, { minutes }) => sum + BigInt(minutes).toString(2).replaceAll('0', '').length, 0);
  expect(bits).toBe(3);
});

it('screen bug 7: reported minutes only count for services of the client', async () => {
  const stranger = await t.createClient('stranger');
  const stored = recorder.noteCounters(stranger, reading(createId(), 5, [{ at: -1, total: 5 }]));
  await recorder.flush();
  await stored;
  expect(await t.database.db.selectFrom('shield_reports').selectAll().execute()).toEqual([]);
  expect((await readSeries(-5)).points).toEqual([]);
});
