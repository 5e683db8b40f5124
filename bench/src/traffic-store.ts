// Measures storing and rolling up the traffic of clients that each report every ten seconds, and reading it over the API. The
// baseline stores the same values as one row per name: `node bench/src/traffic-store.ts [CLIENTS] [NAMES] [MINUTES]`.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { createTestFleet } from '@flotilla/controller/testing/fleet';
import { TrafficRecorder, TrafficRollUp } from '@flotilla/controller/testing/traffic';
import type { Db } from '@flotilla/db';
import { createSilentLogger } from '@flotilla/kit';
import { fleet, TRAFFIC_METRICS } from '@flotilla/proto';
import { sql } from 'kysely';
import { median } from './table.ts';

const [clients = 1000, names = 30, minutes = 10] = process.argv.slice(2).map(Number);
const INTERVAL_MS = 10_000;
/** Five minutes. */
const ROLL_UP_ROUNDS = 30;
const TICKS_PER_S = 100;
const BOUNDS_US = [500n, 1_000n, 5_000n, 10_000n, 25_000n, 50_000n, 100_000n, 250_000n, 500_000n, 1_000_000n];
const COUNTERS = ['requests_2xx', 'requests_4xx', 'requests_5xx', 'bytes_received', 'bytes_sent', 'retries'] as const;
const GAUGES = ['connections_active', 'requests_active', 'endpoints', 'endpoints_healthy'] as const;

const t = await createTestFleet();
const { db } = t.database;
let nowMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const deps = { db, logger: createSilentLogger(), now: () => new Date(nowMs), flushIntervalMs: 3_600_000 };
const recorder = new TrafficRecorder({ ...deps, listener: { stored: () => undefined } });
const rollUp = new TrafficRollUp({ ...deps, intervalMs: 3_600_000 });

interface Cost {
  readonly controllerMs: number;
  readonly databaseMs: number;
}

/** The postmaster is the parent of every process of its server. */
async function listDatabaseProcesses(): Promise<string[]> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const parentOf = (pid: string) => readStat(pid)[1];
  const postmaster = parentOf(String(rows[0]?.pid));
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === postmaster);
}

/** Fields after the name of the program: state, parent, ... */
function readStat(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

async function readDatabaseMs(): Promise<number> {
  const ticks = (await listDatabaseProcesses()).map(
    (pid) => Number(readStat(pid)[11] ?? 0) + Number(readStat(pid)[12] ?? 0),
  );
  return (ticks.reduce((sum, one) => sum + one, 0) * 1000) / TICKS_PER_S;
}

async function measure(work: () => Promise<unknown>): Promise<Cost> {
  const database = await readDatabaseMs();
  const own = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(own);
  return { controllerMs: (user + system) / 1000, databaseMs: (await readDatabaseMs()) - database };
}

const random = (max: number) => Math.floor(Math.random() * max);

function seriesOf(scope: fleet.TrafficScope, name: string) {
  const busy = Math.random() < 0.8;
  const counts = Array.from({ length: BOUNDS_US.length + 1 }, (_, i) =>
    busy && i > 1 && i < 7 ? BigInt(random(200)) : 0n,
  );
  return {
    scope,
    name,
    values: [
      ...(busy
        ? COUNTERS.map((metric) => ({ metric: TRAFFIC_METRICS[metric].id, value: BigInt(1 + random(5_000)) }))
        : []),
      ...GAUGES.map((metric) => ({ metric: TRAFFIC_METRICS[metric].id, value: BigInt(1 + random(20)) })),
    ],
    ...(busy && { latency: { boundsUs: BOUNDS_US, counts, sumUs: 1_000_000n } }),
  };
}

const scopes = [fleet.TrafficScope.LISTENER, fleet.TrafficScope.ROUTE_CONFIGURATION, fleet.TrafficScope.CLUSTER];
const list = () => [
  seriesOf(fleet.TrafficScope.SERVER, ''),
  ...Array.from({ length: names }, (_, i) => seriesOf(scopes[i % 3] ?? scopes[0] ?? 1, `object-${i}.example`)),
];

interface Node {
  readonly clientId: string;
  readonly serviceId: string;
  readonly epoch: string;
}

async function createNodes(): Promise<Node[]> {
  const nodes: Node[] = [];
  for (let n = 0; n < clients; n += 1)
    nodes.push({ clientId: await t.createClient(`edge-${n}`), serviceId: '', epoch: randomUUID() });
  // Ten clients per service.
  for (let from = 0; from < clients; from += 10) {
    const own = nodes.slice(from, from + 10);
    const { id } = await t.createService({ clients: own.map(({ clientId }) => ({ client_id: clientId })) });
    for (const [i, node] of own.entries()) nodes[from + i] = { ...node, serviceId: id };
  }
  return nodes;
}

function reportsAt(nodes: readonly Node[], seq: number): Array<readonly [string, fleet.TrafficReport]> {
  return nodes.map(({ clientId, serviceId, epoch }) => {
    const interval = { seq: BigInt(seq), fromMs: BigInt(nowMs - INTERVAL_MS), durationMs: INTERVAL_MS, series: list() };
    return [
      clientId,
      create(fleet.TrafficReportSchema, { serviceId, epoch, sentMs: BigInt(nowMs), intervals: [interval] }),
    ];
  });
}

/** Agents report at any time of the ten seconds, so the controller writes a tenth of the reports every second. */
async function store(reports: ReadonlyArray<readonly [string, fleet.TrafficReport]>): Promise<void> {
  const part = Math.ceil(reports.length / 10);
  for (let from = 0; from < reports.length; from += part) {
    const stored = reports.slice(from, from + part).map(([id, report]) => recorder.note(id, report));
    await recorder.flush();
    if ((await Promise.all(stored)).includes(undefined)) throw new Error('a report was not stored');
  }
}

async function storeRows(baseline: Db, reports: ReadonlyArray<readonly [string, fleet.TrafficReport]>): Promise<void> {
  const part = Math.ceil(reports.length / 10);
  for (let from = 0; from < reports.length; from += part) {
    const rows = reports.slice(from, from + part).flatMap(([client, { serviceId, intervals }]) =>
      (intervals[0]?.series ?? []).map(({ scope, name, values, latency }) => ({
        ...{ service: serviceId, client, scope, name, at: new Date(nowMs).toISOString() },
        values: Object.fromEntries(values.map(({ metric, value }) => [metric, Number(value)])),
        latency: (latency?.counts ?? []).map(Number),
      })),
    );
    await sql`insert into bench_values select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r(service uuid, client uuid, at timestamptz, scope int, name text, values jsonb, latency bigint[])`.execute(
      baseline,
    );
  }
}

async function readBytes(from: Db, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_total_relation_size(${table}::regclass)::float8 as bytes`.execute(from);
  return rows[0]?.bytes ?? 0;
}

const share = (costs: readonly Cost[], of: keyof Cost, spanMs: number) =>
  `${((median(costs.map((cost) => cost[of])) / spanMs) * 100).toFixed(1)} %`;
const mb = (bytes: number) => Number((bytes / 1e6).toFixed(1));

const nodes = await createNodes();
const [stored, rowed, rolled]: [Cost[], Cost[], Cost[]] = [[], [], []];
const rounds = minutes * 6;
let rowBytes = 0;
// The controller's role may create no other tables. A temporary one writes no WAL, so the baseline is cheaper than it would be.
await db.connection().execute(async (baseline) => {
  await sql`create temp table bench_values (service uuid, client uuid, at timestamptz, scope int, name text, values jsonb,
    latency bigint[], primary key (service, client, scope, name, at))`.execute(baseline);
  for (let seq = 1; seq <= rounds; seq += 1) {
    nowMs += INTERVAL_MS;
    const reports = reportsAt(nodes, seq);
    stored.push(await measure(() => store(reports)));
    // Each round of the baseline is the same, and slow.
    if (seq % 6 === 1) rowed.push(await measure(() => storeRows(baseline, reports)));
    if (seq % ROLL_UP_ROUNDS === 0) rolled.push(await measure(() => rollUp.run()));
  }
  rowBytes = await readBytes(baseline, 'bench_values');
});
console.log(`${clients} agents, ${names} names each, ${minutes} minutes; CPU time as a share of one core`);
console.table({
  'store every 10 s': {
    controller: share(stored, 'controllerMs', INTERVAL_MS),
    database: share(stored, 'databaseMs', INTERVAL_MS),
  },
  'roll up every 5 min': {
    controller: share(rolled, 'controllerMs', ROLL_UP_ROUNDS * INTERVAL_MS),
    database: share(rolled, 'databaseMs', ROLL_UP_ROUNDS * INTERVAL_MS),
  },
  'baseline: a row per name': {
    controller: share(rowed, 'controllerMs', INTERVAL_MS),
    database: share(rowed, 'databaseMs', INTERVAL_MS),
  },
});
const intervals = (await readBytes(db, 'traffic_intervals')) / rounds;
const { rows: blocks } = await sql<{ bytes: number }>`
  select sum(octet_length(totals) + octet_length(names))::float8 as bytes from traffic_blocks where step_s = 60`.execute(
  db,
);
const perMinute = (blocks[0]?.bytes ?? 0) / minutes;
const perRow = rowBytes / Math.ceil(rounds / 6);
console.log('disk in MB for all agents; minutes and hours from the size of the stored blocks');
console.table({
  '10 s for 1 hour': { series: mb(intervals * 360), 'a row per name': mb(perRow * 360) },
  '1 min for 14 days': { series: mb(perMinute * 60 * 24 * 14), 'a row per name': mb(perRow * 60 * 24 * 14) },
  '1 h for 1 year': { series: mb(perMinute * 24 * 366), 'a row per name': mb(perRow * 24 * 366) },
});
const since = (ms: number) => `from=${new Date(nowMs - ms).toISOString()}&to=${new Date(nowMs).toISOString()}`;
const QUESTIONS = {
  'summary of all services': '/api/v3/traffic/summary?',
  'series of all services': `/api/v3/traffic/series?${since(minutes * 60_000)}`,
  'series of one service': `/api/v3/traffic/series?${since(minutes * 60_000)}&service_id=${nodes[0]?.serviceId}`,
  'one cluster': `/api/v3/traffic/series?${since(minutes * 60_000)}&service_id=${nodes[0]?.serviceId}&scope=cluster&name=object-2.example`,
  'summary of one, with names': `/api/v3/traffic/summary?service_id=${nodes[0]?.serviceId}&scope=cluster&scope=listener`,
};
const answers: Record<string, { 'median (ms)': number; points: number }> = {};
for (const [name, path] of Object.entries(QUESTIONS)) {
  const taken: number[] = [];
  let points = 0;
  for (let round = 0; round < 5; round += 1) {
    const startedAt = performance.now();
    const { status, body } = await t.owner.call('GET', `${path}&project=${t.project}`);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    taken.push(performance.now() - startedAt);
    points = (body.points ?? body.services).length;
  }
  answers[name] = { 'median (ms)': Math.round(median(taken)), points };
}
console.table(answers);
await recorder.close();
await rollUp.close();
await t.close();
