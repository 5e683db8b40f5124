import { openDatabase } from '@flotilla/db';
import { createLogger, Lifecycle } from '@flotilla/kit';
import { Registry } from 'prom-client';
import { openKeyring } from '../../../../platform/keyring/index.ts';
import { openSettings } from '../../../../platform/settings/index.ts';
import { composeCollector } from '../compose-collector.ts';
import { applyToTestCatalogue } from './catalogue-store.ts';
import type { CollectTask } from './collect-process.ts';
import { SEAT_TIMING } from './seat-timing.ts';
import { sendBatches } from './send-batches.ts';

/** A controller with the seat of the event store, which gets numbered batches. Writes the number of each one that was acknowledged, and does not end. */
const { connection, dataDir, controllerId, ...batches } = JSON.parse(process.argv[2] ?? '{}') as CollectTask & {
  readonly controllerId: string;
};
const logger = createLogger({ name: 'seat', level: 'warn', destination: 2 });
const database = openDatabase(connection, logger, { maxConnections: 4 });
const keyring = await openKeyring({ db: database.db, masterKey: '2a'.repeat(32), keyFile: '' });
const { logs } = await composeCollector(
  {
    config: { eventStore: { kind: 'duckdb', path: `${dataDir}/events.duckdb` } },
    database,
    keyring,
    settings: await openSettings({ database, keyring, logger }),
    logger,
    metrics: new Registry(),
    lifecycle: new Lifecycle(),
  },
  { controllerId, applyBatches: applyToTestCatalogue, onNamesChanged: () => {}, seatTiming: SEAT_TIMING },
);
await sendBatches(logs, batches, (sequence) => process.stdout.write(`${sequence}\n`));
