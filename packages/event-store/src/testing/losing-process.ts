import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openDuckDbStore } from '../duckdb/store.ts';
import { toProjectId } from '../port.ts';
import { createBatch, createTraffic, NOON_MS } from './events.ts';

/**
 * Loses a thread while DuckDB works for it, again and again, and then opens the file itself. Each round writes the events that it finds to
 * stdout. Arguments: `exit`, `error` or `terminate`, and the number of rounds.
 */
const [how = 'exit', rounds = '1'] = process.argv.slice(2);
const project = toProjectId('shop');
const window = { from: NOON_MS - 20_000_000, to: NOON_MS };
const ACKNOWLEDGED = 4;
const BATCH = 5_000;

if (isMainThread) {
  for (let round = 0; round < Number(rounds); round += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
    const path = join(folder, 'events.duckdb');
    await loseThread(path);
    const store = await openDuckDbStore({ path, now: () => NOON_MS });
    const { data } = await store.totals(project, { ...window, resolution: 'raw' });
    process.stdout.write(`${data.events}\n`);
    await store.close();
    rmSync(folder, { recursive: true });
  }
} else {
  await workUntilLost();
}

async function loseThread(path: string): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: path, argv: process.argv.slice(2) });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  // The error is on purpose.
  worker.on('error', () => undefined);
  worker.on('message', () => {
    if (how === 'terminate') setTimeout(() => void worker.terminate(), randomInt(60));
  });
  await ended;
}

async function workUntilLost(): Promise<void> {
  const store = await openDuckDbStore({ path: String(workerData), now: () => NOON_MS, tailRows: BATCH });
  const events = createTraffic(BATCH, { seed: 1, startMs: window.from, spanMs: window.to - window.from });
  for (let sequence = 0; sequence < ACKNOWLEDGED; sequence += 1)
    await store.append(project, createBatch(sequence, events));
  for (let more = 0; more < 20; more += 1) {
    store.append(project, createBatch(ACKNOWLEDGED + more, events)).catch(() => undefined);
    store.distinct(project, { ...window, column: 'consumer' }).catch(() => undefined);
  }
  store.compact().catch(() => undefined);
  parentPort?.postMessage('busy');
  setTimeout(() => {
    if (how === 'exit') process.exit(1);
    if (how === 'error') throw new Error('a defect of the caller');
  }, randomInt(60));
}
