import type { Logger } from '@flotilla/kit';
import { HA_KEY } from '../ha/places.ts';
import { FORWARDER_KEYS } from '../log-forwarding/index.ts';
import type { ServiceIdentity } from './identity.ts';
import { findServiceKeys, readOwner } from './service-home.ts';
import { createUnitRunner, type RunnerChoice } from './units/create-runner.ts';
import type { UnitRunner } from './units/types.ts';
import { endProcessesOf } from './user-processes.ts';

const GRACE_MS = 5000;

/**
 * Ends the proxies, filters and other programs that an agent has left running, even if that agent used another runner. Call this before a data
 * folder is deleted, when no agent uses it. Otherwise no agent would find these processes again, and they would keep their
 * ports.
 */
export async function endServices(choice: RunnerChoice, logger: Logger): Promise<void> {
  const supervisor = createUnitRunner({ ...choice, mode: 'supervisor' }, logger);
  const chosen = createUnitRunner(choice, logger);
  try {
    for (const serviceKey of await findServiceKeys(choice.dataDir)) {
      const uid = (await readOwner(choice.dataDir, serviceKey))?.uid;
      const identity = uid === undefined || process.getuid?.() !== 0 ? undefined : { uid, gid: uid };
      for (const runner of [supervisor, chosen]) await endUnits(runner, serviceKey, identity);
      if (identity) await endProcessesOf(identity.uid);
    }
    for (const key of [...FORWARDER_KEYS, HA_KEY]) {
      for (const runner of [supervisor, chosen]) await endUnits(runner, key, undefined);
    }
  } finally {
    await Promise.all([supervisor.close(), chosen.close()]);
  }
}

async function endUnits(runner: UnitRunner, serviceKey: string, identity: ServiceIdentity | undefined): Promise<void> {
  const names = [...(await runner.list(serviceKey, identity)).keys()];
  await Promise.all(names.map((name) => runner.stop({ serviceKey, name }, GRACE_MS)));
  await runner.endStrays(serviceKey, identity);
  await runner.removeService(serviceKey);
}
