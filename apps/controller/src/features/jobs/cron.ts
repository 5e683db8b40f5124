import { failJob } from '@flotilla/contract';
import { Cron } from 'croner';

export interface CronRule {
  /** Five fields. */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
}

/**
 * When a rule comes next after `after`. A time that the clock skips in spring comes once, at the end of the gap; one that it
 * shows twice in autumn comes once, at the first. Undefined: never. Throws schedule.invalid.
 */
export function findNextRun({ cron, timeZone }: CronRule, after: Date): Date | undefined {
  try {
    return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }).nextRun(after) ?? undefined;
  } catch (error) {
    throw failJob(
      'schedule.invalid',
      { reason: `"${cron}" in the time zone ${timeZone} cannot be read` },
      { cause: error },
    );
  }
}
