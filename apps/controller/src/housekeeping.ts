import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { forgetOldCommands } from './features/commands/index.ts';
import { forgetOldSeries } from './features/metrics/index.ts';
import { forgetOldSessions } from './features/sessions/index.ts';
import { forgetOldEvents } from './features/shield-events/index.ts';
import { forgetOldAnswers } from './http/write.ts';

const INTERVAL_MS = 10 * 60_000;

/** Takes away what has served its time, so that no table grows with the years. Several controllers may do it at once. */
export function startHousekeeping({ db, logger }: { db: Db; logger: Logger }): Closable {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(() => tidy(db, new Date()))
      .catch((error: unknown) => {
        // A database that is away has its own alarms; the next round does what this one could not.
        logger.warn({ err: error }, 'housekeeping.failed');
      });
  }, INTERVAL_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}

export async function tidy(db: Db, now: Date): Promise<void> {
  await forgetOldAnswers(db, now);
  await forgetOldSessions(db, now);
  await forgetOldSeries(db, now);
  await forgetOldEvents(db, now);
  await forgetOldCommands(db, now);
}
