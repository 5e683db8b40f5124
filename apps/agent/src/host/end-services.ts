import type { Logger } from '@flotilla/kit';
import { findServiceKeys } from './service-home.ts';
import { createUnitRunner, type RunnerChoice } from './units/create-runner.ts';
import type { UnitRunner } from './units/types.ts';

const GRACE_MS = 5000;

/**
 * Ends every proxy that an agent has left running, with its filter, also where that one worked without systemd and the next would not.
 * For a data folder that is about to be forgotten and that no agent works in: nobody would find them again, and they would keep their
 * ports.
 */
export async function endServices(choice: RunnerChoice, logger: Logger): Promise<void> {
  const supervisor = createUnitRunner({ ...choice, mode: 'supervisor' }, logger);
  const chosen = createUnitRunner(choice, logger);
  try {
    for (const serviceKey of await findServiceKeys(choice.dataDir)) {
      for (const runner of [supervisor, chosen]) await endUnits(runner, serviceKey);
    }
  } finally {
    await Promise.all([supervisor.close(), chosen.close()]);
  }
}

async function endUnits(runner: UnitRunner, serviceKey: string): Promise<void> {
  const names = [...(await runner.list(serviceKey)).keys()];
  await Promise.all(names.map((name) => runner.stop({ serviceKey, name }, GRACE_MS)));
  await runner.removeService(serviceKey);
}
