// Measures the store of request events: appending, its size on disk and its queries, with DuckDB and, on the same rows, with ClickHouse in
// this process (`node scripts/clickhouse.mjs` installs it): `node bench/src/event-store.ts [EVENTS] [DAYS]`. `taskset -c 0` before it gives both
// one core.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EventStore,
  openClickHouseStore,
  openDuckDbStore,
  type RequestEvent,
  toProjectId,
} from '@flotilla/event-store';
import { connectInProcess } from '@flotilla/event-store/testing';
import { median } from './table.ts';

const [count = 1_000_000, days = 7] = process.argv.slice(2).map(Number);
const BATCH = 20_000;
const DAY_MS = 86_400_000;
const ROUNDS = 7;
const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const startMs = endMs - days * DAY_MS;
const project = toProjectId('shop');

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const toHash = (high: number, low: number) =>
  (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
const createUuid = () => {
  const digits = Array.from({ length: 4 }, () => toHash(0, random() * 2 ** 32).slice(8)).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** 200 operations, the first ones far more often; 5,000 consumers; every request with an id and a source of its own. */
function createRequest(timeMs: number): RequestEvent {
  const operation = Math.floor(random() ** 3 * 200);
  const consumer = Math.floor(random() ** 2 * 5_000);
  return {
    timeMs,
    service: `service-${operation % 5}`,
    client: `edge-${Math.floor(random() * 8)}`,
    listener: 'https',
    protocol: pick(['http/2', 'http/1.1', 'http/3']),
    method: operation % 3 === 0 ? 'POST' : 'GET',
    host: `api-${operation % 5}.example.com`,
    path: `/v1/resource-${operation}/{id}`,
    route: `route-${operation % 40}`,
    cluster: `cluster-${operation % 20}`,
    country: pick(['NL', 'DE', 'FR', 'US', 'BR', 'IN']),
    agentKind: pick(['browser', 'sdk', 'bot']),
    authScheme: pick(['jwt', 'apikey', 'none']),
    tlsVersion: 'TLSv1_3',
    contentType: 'application/json',
    status: random() < 0.95 ? 200 : pick([201, 400, 404, 429, 500, 503]),
    latencyUs: Math.floor(10 ** (3 + random() * 2.5)),
    requestBytes: Math.floor(random() * 2_000),
    responseBytes: Math.floor(10 ** (2 + random() * 3)),
    asn: 64_496 + Math.floor(random() * 200),
    operationId: toHash(7, operation + 1),
    consumer: toHash(consumer * 2_654_435_761, consumer + 1),
    source: toHash(Math.floor(random() * 20_000) * 2_654_435_761, 9),
    userAgent: toHash(Math.floor(random() * 300) * 2_654_435_761, 5),
    requestId: createUuid(),
    flags: random() < 0.05 ? [Math.floor(random() * 40)] : [],
  };
}

const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, sequence) => {
  const spanMs = (endMs - startMs) / Math.ceil(count / BATCH);
  const times = Array.from({ length: BATCH }, () => Math.floor(startMs + (sequence + random()) * spanMs));
  return times.sort((a, b) => a - b).map(createRequest);
});
const week = { from: startMs, to: endMs };
const rare = batches[0]?.[7]?.consumer ?? '';

const QUERIES: Readonly<Record<string, (store: EventStore) => Promise<unknown>>> = {
  'overview: totals, percentiles, ten largest operations': async (store) => {
    await store.totals(project, week);
    await store.percentiles(project, { ...week, quantiles: [0.5, 0.95, 0.99] });
    await store.top(project, { ...week, by: 'path' });
  },
  'series of the window by the hour': (store) => store.series(project, { ...week, step: '1h' }),
  'the same with a filter of the host, from the wide rollups': (store) =>
    store.series(project, { ...week, step: '1h', filter: [{ column: 'host', prefix: '' }] }),
  'series by the hour, split by status class': (store) =>
    store.series(project, { ...week, step: '1h', by: 'statusClass' }),
  'newest 500 events': (store) => store.page(project, { ...week, limit: 500 }),
  'newest 100 events with status 503': (store) =>
    store.page(project, { ...week, limit: 100, filter: [{ column: 'status', min: 503, max: 503 }] }),
  'events of one consumer': (store) =>
    store.page(project, { ...week, limit: 500, filter: [{ column: 'consumer', in: [rare] }] }),
  'an event by the id of its request': (store) =>
    store.page(project, {
      ...week,
      filter: [{ column: 'requestId', in: [batches[0]?.[7]?.requestId ?? ''] }],
    }),
  'ten largest consumers, from the events': (store) => store.top(project, { ...week, by: 'consumer' }),
  'different consumers, from the events': (store) => store.distinct(project, { ...week, column: 'consumer' }),
};

async function measure(name: string, store: EventStore): Promise<[string, string][]> {
  const rssBefore = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const begin = performance.now();
  for (const [sequence, events] of batches.entries()) {
    await store.append(project, { sender: 'bench', epoch: '1', sequence, events });
  }
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const appended = batches.length * BATCH;
  const rssMb = (process.memoryUsage().rss - rssBefore) / 1e6;
  await store.compact();
  const { bytes, events } = await store.health();
  if (events !== appended) throw new Error(`${name} has ${events} of ${appended} events.`);
  const times: [string, string][] = [];
  for (const [title, query] of Object.entries(QUERIES)) {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      await query(store);
      rounds.push(performance.now() - start);
    }
    times.push([title, `${median(rounds).toFixed(0)} ms`]);
  }
  return [
    ['appended per second', Math.round(appended / seconds).toLocaleString('en')],
    ['appended per second of CPU time', Math.round(appended / ((user + system) / 1e6)).toLocaleString('en')],
    ['bytes per event on disk, with rollups', (bytes / appended).toFixed(1)],
    ['more resident memory after appending', `${rssMb.toFixed(0)} MB`],
    ...times,
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'event-bench-'));
try {
  const duckdb = await openDuckDbStore({ path: join(folder, 'events.duckdb') });
  const ours = await measure('DuckDB', duckdb);
  await duckdb.close();
  console.table(Object.fromEntries(ours));
  const clickhouse = await openClickHouseStore({ server: connectInProcess(join(folder, 'clickhouse')) });
  const theirs = await measure('ClickHouse', clickhouse);
  await clickhouse.close();
  console.table(Object.fromEntries(theirs));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
