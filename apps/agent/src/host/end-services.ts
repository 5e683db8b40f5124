import type { Logger } from '@flotilla/kit';
import { findServiceKeys } from './managed-service.ts';
import { createUnitRunner, type RunnerChoice } from './units/create-runner.ts';

const GRACE_MS = 5000;

/**
 * Ends every proxy that an agent has left running, with its filter. For a data folder that is about to be forgotten and that no agent
 * works in: nobody would find them again, and they would keep their ports.
 */
export async function endServices(choice: RunnerChoice, logger: Logger): Promise<void> {
  const runner = createUnitRunner(choice, logger);
  try {
    for (const serviceKey of await findServiceKeys(choice.dataDir)) {
      const names = [...(await runner.list(serviceKey)).keys()];
      await Promise.all(names.map((name) => runner.stop({ serviceKey, name }, GRACE_MS)));
      await runner.removeService(serviceKey);
    }
  } finally {
    await runner.close();
  }
}
