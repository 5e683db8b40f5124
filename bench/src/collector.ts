// Measures the collector from the bytes of batches to events that queries find, with the embedded store: `node bench/src/collector.ts [SECONDS] [POOL]`. It runs
// the code of the collector's thread in this process, next to two baselines on the same batches: only reading them, and only appending their events. `taskset
// -c 0` before it gives it one core.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compressBatch, decodeBatch, encodeBatch, type LogEntry } from '@flotilla/access-log';
import { Pipeline } from '@flotilla/collector';
import { API_DISCOVERY_SETTINGS } from '@flotilla/contract';
import { CollectorCore, type FromThread } from '@flotilla/controller/testing/collector';
import { openDuckDbStore, toProjectId } from '@flotilla/event-store';
import { toOperationId } from '@flotilla/inventory';

const [seconds = 60, poolBatches = 100] = process.argv.slice(2).map(Number);
const ENTRIES = 5000;
const SENDERS = 8;
const IN_FLIGHT = 3;
const project = 'bench';
const settings = API_DISCOVERY_SETTINGS.schema.parse({});
const key = new Uint8Array(32).fill(1);

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const hex = (digits: number) =>
  Array.from({ length: digits / 8 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');

/** 200 operations, half of them with an id in the path; 5,000 consumers, 20,000 addresses, a request id for each request. */
function createRequest(timeMs: number): LogEntry {
  const operation = Math.floor(random() ** 3 * 200);
  const consumer = Math.floor(random() ** 2 * 5000);
  const source = Math.floor(random() ** 2 * 20_000);
  const path = `/v1/${WORDS[operation % WORDS.length]}/${WORDS[Math.floor(operation / WORDS.length)]}`;
  return {
    timeMs,
    latencyUs: Math.floor(10 ** (3 + random() * 2.5)),
    protocol: pick(['http/2', 'http/1.1']),
    method: operation % 3 === 0 ? 'POST' : 'GET',
    authority: `api-${operation % 5}.example.com`,
    path: operation % 2 ? `${path}/${Math.floor(random() * 1e6)}` : path,
    status: random() < 0.95 ? 200 : pick([201, 400, 404, 429, 500, 503]),
    grpcStatus: 255,
    requestBytes: Math.floor(random() * 2000),
    responseBytes: Math.floor(10 ** (2 + random() * 3)),
    requestId: hex(32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    sourceAddress: `203.0.${source >> 8}.${source & 255}`,
    userAgent: pick(AGENTS),
    responseFlags: '',
    route: `route-${operation % 40}`,
    cluster: `cluster-${operation % 20}`,
    tlsVersion: 'TLSv1_3',
    requestContentType: 'application/json',
    contentType: 'application/json',
    graphqlOperation: '',
    origin: '',
    auth: 'jwt',
    identityHash: consumer.toString(16).padStart(32, '0'),
    tokenLifetimeS: 3600,
    queryNames: [],
    queryPii: [],
    signs: [],
    action: '',
    engine: '',
  };
}

const WORDS = [
  'orders',
  'carts',
  'users',
  'invoices',
  'products',
  'reviews',
  'shipments',
  'stores',
  'coupons',
  'brands',
  'sizes',
  'prices',
  'stocks',
  'labels',
];
const AGENTS = ['okhttp/4.12', 'Mozilla/5.0 (X11; Linux x86_64)', 'python-requests/2.32', 'Go-http-client/2.0'];

interface Cost {
  readonly events: number;
  readonly cpuS: number;
  readonly wallS: number;
}

async function measure(run: () => Promise<number>): Promise<Cost> {
  const [cpu, begun] = [process.cpuUsage(), performance.now()];
  const events = await run();
  const { user, system } = process.cpuUsage(cpu);
  return { events, cpuS: (user + system) / 1e6, wallS: (performance.now() - begun) / 1000 };
}

const say = (name: string, { events, cpuS, wallS }: Cost) =>
  console.log(
    `${name.padEnd(28)} ${Math.round(events / cpuS)} events per second of CPU, ${Math.round(events / wallS)} per second`,
  );

const startMs = Date.now() - poolBatches * 100;
const pool: Uint8Array[] = [];
for (let index = 0; index < poolBatches; index += 1) {
  const entries = Array.from({ length: ENTRIES }, (_, at) => createRequest(startMs + index * 100 + at / 50));
  pool.push(Uint8Array.from(await compressBatch(encodeBatch({ listener: 'https', entries }))));
}
console.log(
  `${poolBatches} batches of ${ENTRIES} requests, ${Math.round(pool.reduce((sum, { length }) => sum + length, 0) / poolBatches / ENTRIES)} bytes each on the wire`,
);

say(
  'only reading the batches',
  await measure(async () => {
    let events = 0;
    for (const payload of pool) {
      const decoded = decodeBatch(payload);
      if (decoded.ok) events += decoded.value.entries.length;
    }
    return events;
  }),
);

const folder = mkdtempSync(join(tmpdir(), 'bench-collector-'));
try {
  await measureAppending();
  await measureCollecting();
} finally {
  rmSync(folder, { recursive: true });
}

/** The same rows in the same store, made before. */
async function measureAppending(): Promise<void> {
  const pipeline = new Pipeline({ project, knowledge: { settings, key }, toOperationId });
  const made = pool.slice(0, 20).map((payload, sequence) => {
    const decoded = decodeBatch(payload);
    if (!decoded.ok) throw new Error(decoded.error);
    const batch = { ...decoded.value, epoch: 'e', sequence };
    return pipeline.collect(batch, { service: 's', client: 'c', nowMs: Date.now() }).events;
  });
  const store = await openDuckDbStore({ path: join(folder, 'appending.duckdb'), memoryMb: 96 });
  const cost = await measure(async () => {
    await Promise.all(
      made.map((events, sequence) => store.append(toProjectId(project), { sender: 's', epoch: 'e', sequence, events })),
    );
    return made.length * ENTRIES;
  });
  say('only appending the events', cost);
  await store.close();
}

async function measureCollecting(): Promise<void> {
  const path = join(folder, 'events.duckdb');
  const store = await openDuckDbStore({ path, memoryMb: 96 });
  const waiting = new Map<number, (message: FromThread) => void>();
  const core = new CollectorCore({
    store,
    choice: { kind: 'duckdb', path },
    now: Date.now,
    post: (message) => {
      if ('id' in message) waiting.get(message.id)?.(message);
    },
  });
  await core.handle({
    kind: 'project',
    project,
    settings,
    key,
    routes: { tables: [], places: {} },
    templates: [],
    threats: [],
    city: undefined,
    asn: undefined,
    learner: undefined,
    others: [],
  });
  const freshMs: number[] = [];
  let residentMax = 0;
  let id = 0;
  const send = async () => {
    id += 1;
    const mine = id;
    const begun = performance.now();
    const answer = new Promise<FromThread>((resolve) => waiting.set(mine, resolve));
    const place = { project, client: `edge-${mine % SENDERS}`, service: 'shop', epoch: 'e', sequence: mine };
    const payload = pool[mine % pool.length] ?? new Uint8Array();
    await core.handle({ kind: 'batch', id: mine, place, payload });
    const { kind } = await answer;
    waiting.delete(mine);
    if (kind !== 'collected') throw new Error(`batch ${mine} was ${kind}`);
    freshMs.push(performance.now() - begun);
    residentMax = Math.max(residentMax, process.memoryUsage.rss());
  };
  const cost = await measure(async () => {
    const endMs = performance.now() + seconds * 1000;
    const lane = async () => {
      while (performance.now() < endMs) await send();
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    return freshMs.length * ENTRIES;
  });
  say('collecting', cost);
  sayResult(freshMs, residentMax);
  await store.compact();
  const health = await store.health();
  console.log(`${(health.bytes / health.events).toFixed(1)} bytes per event on disk after compaction, with rollups`);
  await store.close();
}

function sayResult(freshMs: number[], residentMax: number): void {
  freshMs.sort((a, b) => a - b);
  console.log(
    `p99 from bytes to queryable: ${Math.round(freshMs[Math.floor(freshMs.length * 0.99)] ?? 0)} ms with ${IN_FLIGHT} batches at a time`,
  );
  console.log(
    `most resident memory of this process: ${Math.round(residentMax / 1024 ** 2)} MB (the pool takes ${Math.round(pool.reduce((sum, { length }) => sum + length, 0) / 1024 ** 2)} MB)`,
  );
}
