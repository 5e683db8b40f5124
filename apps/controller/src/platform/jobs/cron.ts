import { failJob } from '@flotilla/contract';
import { Cron } from 'croner';

export interface CronRule {
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
}

/**
 * Returns the next run after `after`. A local time that is skipped in spring runs once at the end of the gap; one that
 * occurs twice in autumn runs once, at the first. undefined: never. Throws schedule.invalid.
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
