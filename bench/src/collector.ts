// Measures the collector from the bytes of batches to events that queries find, with the embedded store: `node bench/src/collector.ts [SECONDS] [POOL]`. It runs
// the code of the collector's thread in this process, next to two baselines on the same batches: only reading them, and only appending their events. `taskset
// -c 0` before it gives it one core.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeBatch } from '@flotilla/access-log';
import { Pipeline } from '@flotilla/collector';
import { API_DISCOVERY_SETTINGS } from '@flotilla/contract';
import { CollectorCore, type FromThread } from '@flotilla/controller/testing/collector';
import { type EventStore, openDuckDbStore, toProjectId } from '@flotilla/event-store';
import { toOperationId } from '@flotilla/inventory';
import { readUse } from './store-use.ts';

const [seconds = 60, poolBatches = 100] = process.argv.slice(2).map(Number);
const ENTRIES = 5000;
const SENDERS = 8;
const IN_FLIGHT = 3;
const project = 'bench';
const settings = API_DISCOVERY_SETTINGS.schema.parse({});
const key = new Uint8Array(32).fill(1);

interface Cost {
  readonly events: number;
  readonly cpuS: number;
  readonly wallS: number;
}

/** Counts this process and that of the store. */
async function measure(run: () => Promise<number>, store?: EventStore): Promise<Cost> {
  const processId = store ? (await store.health()).processId : null;
  const [before, begun] = [await readUse(processId), performance.now()];
  const events = await run();
  const [after, ended] = [await readUse(processId), performance.now()];
  return { events, cpuS: after.cpuS - before.cpuS, wallS: (ended - begun) / 1000 };
}

const say = (name: string, { events, cpuS, wallS }: Cost) =>
  console.log(
    `${name.padEnd(28)} ${Math.round(events / cpuS)} events per second of CPU, ${Math.round(events / wallS)} per second`,
  );

/** Made by another process, so that the memory of this one is the collector's. */
function createPool(): Uint8Array[] {
  const script = fileURLToPath(new URL('./collector-pool.ts', import.meta.url));
  const args = [script, String(poolBatches), String(ENTRIES)];
  const bytes = execFileSync(process.execPath, args, { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] });
  const batches: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    batches.push(Uint8Array.from(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return batches;
}

const pool = createPool();
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
  // Collecting first: its memory is not that of the baseline.
  await measureCollecting();
  await measureAppending();
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
  }, store);
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
    detectors: undefined,
    resets: { last: 0, operations: [] },
  });
  const { processId } = await store.health();
  const freshMs: number[] = [];
  let residentMaxMb = 0;
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
    residentMaxMb = Math.max(residentMaxMb, (await readUse(processId)).rssMb);
  };
  const cost = await measure(async () => {
    const endMs = performance.now() + seconds * 1000;
    const lane = async () => {
      while (performance.now() < endMs) await send();
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    return freshMs.length * ENTRIES;
  }, store);
  say('collecting', cost);
  sayResult(freshMs, residentMaxMb);
  await store.compact();
  const health = await store.health();
  console.log(`${(health.bytes / health.events).toFixed(1)} bytes per event on disk after compaction, with rollups`);
  await store.close();
}

function sayResult(freshMs: number[], residentMaxMb: number): void {
  freshMs.sort((a, b) => a - b);
  console.log(
    `p99 from bytes to queryable: ${Math.round(freshMs[Math.floor(freshMs.length * 0.99)] ?? 0)} ms with ${IN_FLIGHT} batches at a time`,
  );
  console.log(
    `most resident memory, with the process of the store: ${Math.round(residentMaxMb)} MB (the pool takes ${Math.round(pool.reduce((sum, { length }) => sum + length, 0) / 1024 ** 2)} MB)`,
  );
}
