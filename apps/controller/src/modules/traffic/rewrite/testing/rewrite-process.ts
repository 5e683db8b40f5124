import { type ConnectionSettings, openDatabase } from '@flotilla/db';
import { createId, createSilentLogger } from '@flotilla/kit';
import { JobTypes, Runner } from '../../../../platform/jobs/index.ts';
import { openKeyring } from '../../../../platform/keyring/index.ts';
import { openSettings } from '../../../../platform/settings/index.ts';
import { NAME_SOURCES, readStoredNaming } from '../../collector/index.ts';
import { createRewriteJob } from '../job.ts';

interface Task {
  readonly connection: ConnectionSettings;
  readonly leaseMs: number;
}

/** Runs jobs that name operations again, until it is killed. */
const task = JSON.parse(process.argv[2] ?? '{}') as Task;
const logger = createSilentLogger();
const database = openDatabase(task.connection, logger, { maxConnections: 4 });
const { db } = database;
const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
const settings = await openSettings({ database, keyring, logger });
const types = new JobTypes(keyring);
types.register(
  createRewriteJob({
    readNaming: (project) => readStoredNaming(db, project, { settings, ...NAME_SOURCES }),
    now: () => new Date(),
  }),
);
const runner = new Runner({
  database,
  logger,
  types,
  workerId: createId(),
  timing: { leaseMs: task.leaseMs, beatMs: task.leaseMs / 3, pollMs: 50 },
  authorize: async () => ({}),
});
await runner.start();
process.stdout.write('ready\n');
