/** Whether a key is valid now. */
export type Validity = 'always' | 'now' | 'not_yet' | 'over' | 'soon_over';

const SOON_MS = 14 * 24 * 3_600_000;

export function validityOf(notBefore: string, expiresAt: string, now: number): Validity {
  const [from, until] = [Date.parse(notBefore), Date.parse(expiresAt)];
  if (until <= now) return 'over';
  if (from > now) return 'not_yet';
  if (until - now < SOON_MS) return 'soon_over';
  return Number.isNaN(from) && Number.isNaN(until) ? 'always' : 'now';
}
