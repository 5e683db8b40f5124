import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import * as z from 'zod';
import type { Feature } from '../../../platform/features/index.ts';
import type { JobType } from '../../../platform/jobs/index.ts';

const tidyParams = z.strictObject({ only: z.array(z.string()).optional() });
type TidyParams = z.infer<typeof tidyParams>;

export interface TidyDeps {
  readonly db: Db;
  readonly features: readonly Feature[];
  readonly logger: Logger;
}

/**
 * Deletes what no feature needs any longer, so that no table grows for ever. A rule that fails does not stop the
 * others.
 */
export function createTidyJob({ db, features, logger }: TidyDeps): JobType<TidyParams> {
  return {
    type: 'system.tidy',
    title: 'Deletes expired data',
    params: tidyParams,
    route: null,
    lockKey: () => 'system.tidy',
    onlyFor: (_, targets) => ({ only: [...targets] }),
    steps: [
      {
        name: 'tidy',
        effects: 'repeatable',
        run: async ({ params: { only } }) => {
          const failed = await tidy({ db, features, logger }, new Date(), only);
          const message = 'could not be tidied; the log of the controller says why';
          return failed.length === 0
            ? { kind: 'done' }
            : { kind: 'with_errors', errors: failed.map((target) => ({ target, message })) };
        },
      },
    ],
  };
}

/** Runs every rule, or only those named. Returns the names of those that failed. */
export async function tidy({ db, features, logger }: TidyDeps, now: Date, only?: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const [what, forget] of features.flatMap((feature) => Object.entries(feature.tidy ?? {}))) {
    if (only && !only.includes(what)) continue;
    try {
      await forget(db, now);
    } catch (error) {
      logger.warn({ err: error, what }, 'housekeeping.failed');
      failed.push(what);
    }
  }
  return failed;
}
