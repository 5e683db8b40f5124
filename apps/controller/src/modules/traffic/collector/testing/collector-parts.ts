import { createSilentLogger, type Logger } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { Registry } from 'prom-client';
import { openKeyring } from '../../../../platform/keyring/index.ts';
import { openSettings, type Settings } from '../../../../platform/settings/index.ts';
import { createControllerDatabase } from '../../../../testing/database.ts';
import type { BatchDeltas } from '../applier.ts';
import { Collector, type CollectorDeps } from '../collector.ts';
import { ProjectKeys } from '../project-keys.ts';

/** The parts of a controller that a collector needs. */
export interface CollectorParts {
  readonly database: TestDatabase;
  readonly settings: Settings;
  readonly keys: ProjectKeys;
  readonly logger: Logger;
  close(): Promise<void>;
}

export async function openCollectorParts(): Promise<CollectorParts> {
  const logger = createSilentLogger();
  const database = await createControllerDatabase();
  const { db } = database;
  const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
  const settings = await openSettings({ database, keyring, logger });
  const keys = new ProjectKeys({ db, keyring, settings, now: () => new Date() });
  return {
    database,
    settings,
    keys,
    logger,
    close: async () => {
      await settings.close();
      await database.close();
    },
  };
}

/** A collector whose catalogue is a list in memory. The caller starts and closes it. */
export function createRecordedCollector(
  { database, settings, keys, logger }: CollectorParts,
  options: Pick<CollectorDeps, 'store' | 'limits' | 'worker'>,
  /** Called before a group of batches is applied. */
  beforeApply?: () => Promise<void>,
) {
  const applied: BatchDeltas[] = [];
  const metrics = new Registry();
  const collector = new Collector({
    database,
    settings,
    keys,
    logger,
    metrics,
    applyBatches: async (_, inputs) => {
      await beforeApply?.();
      applied.push(...inputs);
      return inputs.map(() => 'applied' as const);
    },
    ...options,
  });
  return { collector, applied, metrics };
}
