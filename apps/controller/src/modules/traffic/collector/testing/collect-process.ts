import { compressBatch, encodeBatch } from '@flotilla/access-log';
import { createEntry } from '@flotilla/collector/testing';
import { type ConnectionSettings, openDatabase } from '@flotilla/db';
import { createLogger } from '@flotilla/kit';
import { Registry } from 'prom-client';
import { openKeyring } from '../../../../platform/keyring/index.ts';
import { openSettings } from '../../../../platform/settings/index.ts';
import type { ApplyBatches } from '../applier.ts';
import { Collector } from '../collector.ts';
import { ProjectKeys } from '../project-keys.ts';
import { applyToTestCatalogue } from './catalogue-store.ts';
import type { World } from './world.ts';

export interface CollectTask extends World {
  readonly connection: ConnectionSettings;
  readonly dataDir: string;
  readonly first: number;
  readonly last: number;
  /** Where the process kills itself, at the batch `crashAt`. */
  readonly crash?: 'before catalogue' | 'after catalogue';
  readonly crashAt?: number;
}

export const EVENTS_PER_BATCH = 20;
const OPEN_MAX = 4;

/** Sends numbered batches to a collector of its own, as an agent would, and writes the number of each one that was acknowledged. */
const task = JSON.parse(process.argv[2] ?? '{}') as CollectTask;
const logger = createLogger({ name: 'collect', level: 'warn', destination: 2 });
const database = openDatabase(task.connection, logger, { maxConnections: 4 });
const { db } = database;
const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
const settings = await openSettings({ database, keyring, logger });

const applyBatches: ApplyBatches = async (tx, inputs) => {
  const isHere = inputs.some(({ sequence }) => sequence === task.crashAt);
  if (isHere && task.crash === 'before catalogue') process.kill(process.pid, 'SIGKILL');
  const outcomes = await applyToTestCatalogue(tx, inputs);
  if (isHere && task.crash === 'after catalogue') process.kill(process.pid, 'SIGKILL');
  return outcomes;
};

const collector = new Collector({
  database,
  settings,
  keys: new ProjectKeys({ db, keyring, settings, now: () => new Date() }),
  store: { kind: 'duckdb', path: `${task.dataDir}/events.duckdb` },
  applyBatches,
  logger,
  metrics: new Registry(),
});
await collector.start();

async function send(sequence: number): Promise<void> {
  const now = Date.now();
  const entries = Array.from({ length: EVENTS_PER_BATCH }, (_, index) =>
    createEntry({ timeMs: now - index, path: `/api/orders/${index}` }),
  );
  const payload = await compressBatch(encodeBatch({ listener: 'public', entries }));
  for (;;) {
    const batch = { serviceId: task.service, epoch: 'epoch-1', sequence: BigInt(sequence), entries: EVENTS_PER_BATCH };
    const answer = await collector.push(
      { clientId: task.client, projectId: task.project },
      { ...batch, payload: Uint8Array.from(payload) },
    );
    if ('stored' in answer) break;
    await new Promise((resolve) => setTimeout(resolve, Math.min(answer.retryMs, 200)));
  }
  process.stdout.write(`${sequence}\n`);
}

const open = new Set<Promise<void>>();
for (let sequence = task.first; sequence <= task.last; sequence += 1) {
  const sent = send(sequence).finally(() => open.delete(sent));
  open.add(sent);
  if (open.size >= OPEN_MAX) await Promise.race(open);
}
await Promise.all(open);
await collector.close();
await settings.close();
await database.close();
