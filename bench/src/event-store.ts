// Measures the store of request events: appending, its size on disk and its queries, with DuckDB and, up to two million events, on the same rows
// with ClickHouse in this process (`node scripts/clickhouse.mjs` installs it): `node bench/src/event-store.ts [EVENTS] [DAYS]`. `taskset -c 0`
// before it gives both one core.
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EventChunk,
  type EventStore,
  openClickHouseStore,
  openDuckDbStore,
  toProjectId,
} from '@flotilla/event-store';
import { ChunkBuilder, type ChunkRow } from '@flotilla/event-store/chunk';
import { connectInProcess } from '@flotilla/event-store/testing';
import { readUse } from './store-use.ts';
import { median } from './table.ts';

const [count = 1_000_000, days = 7] = process.argv.slice(2).map(Number);
const BATCH = 20_000;
const BATCHES = Math.ceil(count / BATCH);
/** Different batches. Later ones repeat them, with times and request ids of their own. */
const POOL = 25;
const CLICKHOUSE_MAX = 2_000_000;
/** As in the controller. */
const MEMORY_MB = 96;
const DAY_MS = 86_400_000;
const ROUNDS = 5;
const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const startMs = endMs - days * DAY_MS;
const spanMs = (endMs - startMs) / BATCHES;
const project = toProjectId('shop');

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
/** A hash of 64 random bits, the same for the same number. */
const toBits = (kind: number, index: number) => {
  const mix = (value: number) => {
    const folded = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
    const again = Math.imul(folded ^ (folded >>> 16), 0x45d9f3b);
    return (again ^ (again >>> 16)) >>> 0;
  };
  return { low: mix(index * 8 + kind), high: mix(index * 8 + kind + 0x5bd1e995) };
};
const toHash = ({ low, high }: { low: number; high: number }) =>
  [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
const NONE = { low: 0, high: 0 };
const consumerOf = (index: number) => toBits(1, index + 1);
const UNKNOWN_REQUEST = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** 200 operations, the first ones far more often; 5,000 consumers; 20,000 sources. */
function createRow(): ChunkRow {
  const operation = Math.floor(random() ** 3 * 200);
  return {
    timeMs: startMs,
    service: `service-${operation % 5}`,
    client: `edge-${Math.floor(random() * 8)}`,
    listener: 'https',
    protocol: pick(['http/2', 'http/1.1', 'http/3']),
    method: operation % 3 === 0 ? 'POST' : 'GET',
    host: `api-${operation % 5}.example.com`,
    path: `/v1/resource-${operation}/{id}`,
    operation: '',
    route: `route-${operation % 40}`,
    cluster: `cluster-${operation % 20}`,
    responseFlags: '',
    country: pick(['NL', 'DE', 'FR', 'US', 'BR', 'IN']),
    agentKind: pick(['browser', 'sdk', 'bot']),
    authScheme: pick(['jwt', 'apikey', 'none']),
    tlsVersion: 'TLSv1_3',
    contentType: 'application/json',
    action: '',
    engine: '',
    status: random() < 0.95 ? 200 : pick([201, 400, 404, 429, 500, 503]),
    grpcStatus: 255,
    latencyUs: Math.floor(10 ** (3 + random() * 2.5)),
    requestBytes: Math.floor(random() * 2_000),
    responseBytes: Math.floor(10 ** (2 + random() * 3)),
    asn: 64_496 + Math.floor(random() * 200),
    risk: random() < 0.02 ? 7 : 0,
    exposure: 0,
    weight: 1,
    operationId: toBits(0, operation + 1),
    consumer: consumerOf(Math.floor(random() ** 2 * 5_000)),
    source: toBits(2, Math.floor(random() * 20_000) + 1),
    userAgent: toBits(3, Math.floor(random() * 300) + 1),
    object: NONE,
    requestId: UNKNOWN_REQUEST,
    flags: random() < 0.05 ? { low: 2 ** Math.floor(random() * 31), high: 0 } : NONE,
    pii: 0,
    categories: 0,
    marks: 0,
  };
}

const pool = Array.from({ length: Math.min(POOL, BATCHES) }, () => {
  const builder = new ChunkBuilder(BATCH, endMs);
  for (let row = 0; row < BATCH; row += 1) builder.add(createRow());
  return builder.build();
});

/** A batch of the pool at its own time. */
function createChunk(sequence: number): EventChunk {
  const chunk = pool[sequence % pool.length] as EventChunk;
  const timeMs = new BigInt64Array(BATCH);
  for (let row = 0; row < BATCH; row += 1)
    timeMs[row] = BigInt(Math.floor(startMs + (sequence + row / BATCH) * spanMs));
  const [requestHigh, requestLow] = [
    randomFillSync(new BigUint64Array(BATCH)),
    randomFillSync(new BigUint64Array(BATCH)),
  ];
  return { ...chunk, timeMs, numbers: { ...chunk.numbers, requestHigh, requestLow } };
}

const week = { from: Math.max(startMs, endMs - 7 * DAY_MS), to: endMs };
const ranked = { ...week, resolution: '1d', limit: 10 } as const;
const filtered =
  (...filter: Parameters<EventStore['page']>[1]['filter'] & object) =>
  (store: EventStore) =>
    store.page(project, { ...week, limit: 100, filter });

const QUERIES: Readonly<Record<string, (store: EventStore) => Promise<unknown>>> = {
  'overview of the week, as its route asks': (store) =>
    Promise.all([
      store.series(project, { ...week, step: '1d' }),
      store.groups(project, { ...ranked, by: ['operationId', 'method', 'host', 'path', 'operation'] }),
      store.groups(project, { ...ranked, by: ['service'] }),
      store.groups(project, { ...ranked, by: ['consumer'] }),
      store.groups(project, { ...ranked, by: ['country'] }),
      store.groups(project, { ...ranked, by: ['agentKind'] }),
      store.groups(project, { ...ranked, by: [], distinct: ['consumer', 'source'] }),
    ]),
  'totals, percentiles, ten largest paths': async (store) => {
    await store.totals(project, week);
    await store.percentiles(project, { ...week, quantiles: [0.5, 0.95, 0.99] });
    await store.top(project, { ...week, by: 'path' });
  },
  'series by the hour': (store) => store.series(project, { ...week, step: '1h' }),
  'series by the hour, split by status class': (store) =>
    store.series(project, { ...week, step: '1h', by: 'statusClass' }),
  'series by the hour of some hosts, from the wide rollups': (store) =>
    store.series(project, { ...week, step: '1h', filter: [{ column: 'host', prefix: 'api-1' }] }),
  'page: no filter': filtered(),
  'page: status 503': filtered({ column: 'status', min: 503, max: 503 }),
  'page: one operation': filtered({ column: 'operationId', in: [toHash(toBits(0, 180))] }),
  'page: country': filtered({ column: 'country', in: ['BR'] }),
  'page: rare consumer': filtered({ column: 'consumer', in: [toHash(consumerOf(4_990))] }),
  'page: beginning of the path': filtered({ column: 'path', prefix: '/v1/resource-19' }),
  'page: risk of at least 5': filtered({ column: 'risk', min: 5 }),
  'page: a flag': filtered({ column: 'flags', any: [7] }),
  'page: unknown consumer': filtered({ column: 'consumer', in: ['00000000000000ff'] }),
  'page: unknown request id': filtered({ column: 'requestId', in: [UNKNOWN_REQUEST] }),
  'ten largest consumers, from the sums of hours': (store) =>
    store.groups(project, { ...ranked, resolution: '1h', by: ['consumer'] }),
  'ten largest consumers, from the events': (store) => store.top(project, { ...week, by: 'consumer' }),
  'different consumers, from the events': (store) => store.distinct(project, { ...week, column: 'consumer' }),
};

async function measure(name: string, store: EventStore): Promise<[string, string][]> {
  const { processId } = await store.health();
  const before = await readUse(processId);
  const begin = performance.now();
  for (let sequence = 0; sequence < BATCHES; sequence += 1) {
    await store.append(project, { sender: 'bench', epoch: '1', sequence, events: createChunk(sequence) });
    if (sequence % 500 === 499) await store.maintain(endMs);
  }
  const seconds = (performance.now() - begin) / 1000;
  const after = await readUse(processId);
  const appended = BATCHES * BATCH;
  console.log(`${name}: ${appended} events in ${seconds.toFixed(0)} s`);
  await store.compact();
  const compacted = await readUse(processId);
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
    ['appended per second of CPU time', Math.round(appended / (after.cpuS - before.cpuS)).toLocaleString('en')],
    [
      'the same with the compaction at the end',
      Math.round(appended / (compacted.cpuS - before.cpuS)).toLocaleString('en'),
    ],
    ['bytes per event on disk, with rollups', (bytes / appended).toFixed(1)],
    ['more resident memory after appending', `${(after.rssMb - before.rssMb).toFixed(0)} MB`],
    ...times,
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'event-bench-'));
try {
  const duckdb = await openDuckDbStore({ path: join(folder, 'events.duckdb'), memoryMb: MEMORY_MB });
  const ours = await measure('DuckDB', duckdb);
  await duckdb.close();
  console.table(Object.fromEntries(ours));
  if (count <= CLICKHOUSE_MAX) {
    const clickhouse = await openClickHouseStore({ server: connectInProcess(join(folder, 'clickhouse')) });
    const theirs = await measure('ClickHouse', clickhouse);
    await clickhouse.close();
    console.table(Object.fromEntries(theirs));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
