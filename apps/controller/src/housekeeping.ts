import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import * as z from 'zod';
import { forgetCleaned } from './features/clean-up/index.ts';
import { forgetOldCommands } from './features/commands/index.ts';
import { forgetOldJobs, type JobType } from './features/jobs/index.ts';
import { forgetOldSeries } from './features/metrics/index.ts';
import { boundAttempts, forgetOldSessions } from './features/sessions/index.ts';
import { forgetOldEvents } from './features/shield-events/index.ts';
import { forgetOldAnswers } from './http/idempotency.ts';

const TIDIERS: Readonly<Record<string, (db: Db, now: Date) => Promise<void>>> = {
  answers: (db, now) => forgetOldAnswers(db, now),
  sessions: (db, now) => forgetOldSessions(db, now),
  sign_in_attempts: (db) => boundAttempts(db),
  series: (db, now) => forgetOldSeries(db, now),
  events: (db, now) => forgetOldEvents(db, now),
  commands: (db, now) => forgetOldCommands(db, now),
  cleaned_versions: (db, now) => forgetCleaned(db, now),
  jobs: (db, now) => forgetOldJobs(db, now),
};

const tidyParams = z.strictObject({ only: z.array(z.string()).optional() });
type TidyParams = z.infer<typeof tidyParams>;

/** Takes away what has served its time, so that no table grows with the years. What fails keeps nothing else from being done. */
export function createTidyJob({ db, logger }: { db: Db; logger: Logger }): JobType<TidyParams> {
  return {
    type: 'system.tidy',
    title: 'Takes away what has served its time',
    params: tidyParams,
    route: null,
    lockKey: () => 'system.tidy',
    onlyFor: (_, targets) => ({ only: [...targets] }),
    steps: [
      {
        name: 'tidy',
        effects: 'repeatable',
        run: async ({ params: { only } }) => {
          const tell = (what: string, error: unknown) => logger.warn({ err: error, what }, 'housekeeping.failed');
          const failed = await tidy(db, new Date(), tell, only);
          const message = 'could not be tidied; the log of the controller says why';
          return failed.length === 0
            ? { kind: 'done' }
            : { kind: 'with_errors', errors: failed.map((target) => ({ target, message })) };
        },
      },
    ],
  };
}

/** All of it, or only what is named. Returns what could not be done. */
export async function tidy(
  db: Db,
  now: Date,
  onFailure: (what: string, error: unknown) => void,
  only?: readonly string[],
): Promise<string[]> {
  const failed: string[] = [];
  for (const [what, forget] of Object.entries(TIDIERS)) {
    if (only && !only.includes(what)) continue;
    try {
      await forget(db, now);
    } catch (error) {
      onFailure(what, error);
      failed.push(what);
    }
  }
  return failed;
}
