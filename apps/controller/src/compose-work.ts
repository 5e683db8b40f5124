import type { ComposeParts } from './compose-parts.ts';
import { createEventRoutes, LiveEvents } from './features/events/index.ts';
import { createShieldTrialRoutes, TrialThreads } from './features/shield-trials/index.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Route } from './http/route.ts';

/** What goes on beside requests, and what tells of it: live events, trials in threads of their own, housekeeping. */
export async function composeWork({ database, keyring, logger, metrics, lifecycle }: ComposeParts) {
  const events = new LiveEvents({ database, logger, metrics });
  await events.start();
  lifecycle.add(() => events.close());
  const trials = new TrialThreads();
  lifecycle.add(() => trials.close());
  const housekeeping = startHousekeeping({ db: database.db, logger });
  lifecycle.add(() => housekeeping.close());
  const routes: Route[] = [...createEventRoutes(events.hub), ...createShieldTrialRoutes(trials, keyring)];
  return {
    routes,
    /** Ends the answers that have no end of their own. */
    endStreams: () => events.close(),
  };
}
