import type { Route } from '../../platform/http/route.ts';
import type { Platform } from '../../platform/platform.ts';
import { ShieldEventRecorder } from './shield-events/index.ts';
import { createShieldTrialRoutes, type ReadTraffic, TrialProcesses } from './shield-trials/index.ts';

export function composeSecurity({
  database: { db },
  keyring,
  logger,
  lifecycle,
}: Pick<Platform, 'database' | 'keyring' | 'logger' | 'lifecycle'>) {
  const shieldEvents = new ShieldEventRecorder({ db, logger, now: () => new Date() });
  lifecycle.add(() => shieldEvents.close());
  const trials = new TrialProcesses();
  lifecycle.add(() => trials.close());
  return {
    shieldEvents,
    /** `readTraffic` reads the event store, which is opened later. */
    createRoutes: (readTraffic: ReadTraffic): Route[] => createShieldTrialRoutes({ trials, keyring, readTraffic }),
  };
}
