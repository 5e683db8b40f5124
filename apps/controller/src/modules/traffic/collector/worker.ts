import { parentPort, workerData } from 'node:worker_threads';
import { type EventStore, openClickHouseStore, openDuckDbStore, serveStore } from '@flotilla/event-store';
import { toErrorMessage } from '@flotilla/kit';
import type { EventStoreChoice } from '../../../platform/event-store-choice.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { CollectorCore } from './thread/collector-core.ts';

/** Slow traffic, whose sums are as many as its events, needs 96 at least. */
const MEMORY_MB = 128;

// Entry of the collector's thread, which `collector-thread.ts` starts.
const { store: choice, port } = workerData as ThreadData;

function post(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, [...transfer]);
}

async function openStore(choice: EventStoreChoice): Promise<EventStore | undefined> {
  switch (choice.kind) {
    case 'off':
      return undefined;
    case 'duckdb':
      return openDuckDbStore({ path: choice.path, memoryMb: MEMORY_MB, ...bundledWorker() });
    case 'clickhouse': {
      const { url, username, password, database } = choice;
      return openClickHouseStore({ server: { url, username, password }, database });
    }
  }
}

/** In a bundle, the store's thread is a program of its own next to this one. */
function bundledWorker() {
  if (import.meta.url.endsWith('.ts')) return {};
  return { worker: new URL('./event-store-worker.mjs', import.meta.url) };
}

try {
  const store = await openStore(choice);
  if (store !== undefined) serveStore(port, store);
  const core = new CollectorCore({ store, choice, post, now: Date.now });
  parentPort?.on('message', (message: ToThread) => {
    core.handle(message).catch((error: unknown) => {
      // A defect: the thread ends, and everything that was not acknowledged comes again.
      throw error;
    });
  });
  post({ kind: 'ready' });
} catch (error) {
  post({ kind: 'unusable', reason: toErrorMessage(error) });
  port.close();
}
