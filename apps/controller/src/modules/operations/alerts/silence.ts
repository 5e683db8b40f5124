import { ALERT_SILENCE_MAX_DAYS, failAlertRule } from '@flotilla/contract';

/** Throws alert.silence_range for a time in the past or too far in the future. */
export function parseSilenceEnd(until: string | null, now: Date): Date | null {
  if (until === null) return null;
  const days = ALERT_SILENCE_MAX_DAYS;
  const end = new Date(until);
  const inMs = end.getTime() - now.getTime();
  if (inMs <= 0 || inMs > days * 86_400_000) throw failAlertRule('alert.silence_range', { days });
  return end;
}
