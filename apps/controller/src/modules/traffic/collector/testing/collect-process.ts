import { type ConnectionSettings, openDatabase } from '@flotilla/db';
import { createLogger } from '@flotilla/kit';
import { Registry } from 'prom-client';
import { openKeyring } from '../../../../platform/keyring/index.ts';
import { openSettings } from '../../../../platform/settings/index.ts';
import type { ApplyBatches } from '../applier.ts';
import { Collector } from '../collector.ts';
import { ProjectKeys } from '../project-keys.ts';
import { applyToTestCatalogue } from './catalogue-store.ts';
import { type Batches, sendBatches } from './send-batches.ts';

export interface CollectTask extends Batches {
  readonly connection: ConnectionSettings;
  readonly dataDir: string;
  /** Where the process kills itself, at the batch `crashAt`. */
  readonly crash?: 'before catalogue' | 'after catalogue';
  readonly crashAt?: number;
  /** How often the collector stores what it has learned. */
  readonly learnersMs?: number;
}

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
  ...(task.learnersMs && { learnersMs: task.learnersMs }),
});
await collector.start();

await sendBatches(collector, task, (sequence) => process.stdout.write(`${sequence}\n`));
await collector.close();
await settings.close();
await database.close();
