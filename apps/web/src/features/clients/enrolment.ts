import { texts } from './enrolment-texts.tsx';
import type { CreatedToken, EnrolmentToken, EnrolmentTokenList } from './model.ts';

const text = texts.enrolment;

export const LIFETIMES = [
  { value: '900', label: text.lifetimes.quarterHour },
  { value: '3600', label: text.lifetimes.hour },
  { value: '14400', label: text.lifetimes.fourHours },
  { value: '86400', label: text.lifetimes.day },
  { value: '604800', label: text.lifetimes.week },
] as const;
export const LIFETIME_DEFAULT = '3600';
export const NOTE_MAX = 256;

/**
 * waiting    no host has used the token yet
 * joined     the host `clientId` has used it
 * expired    no host has used it in time
 * withdrawn  a user has withdrawn it
 */
export type Enrolment =
  | { readonly phase: 'waiting'; readonly leftMs: number }
  | { readonly phase: 'joined'; readonly clientId: string }
  | { readonly phase: 'expired' | 'withdrawn' };

/** Finds one token in a paged list. null: the list does not contain it; undefined: not loaded yet. */
export function findToken({ rows, query }: EnrolmentTokenList, id: string): EnrolmentToken | null | undefined {
  const token = rows.find((row) => row.id === id);
  if (token) return token;
  return query.data === undefined || query.isPlaceholderData || query.hasNextPage ? undefined : null;
}

/** Derives the state. `token` is null if it no longer exists, undefined until the list was loaded after `created`. */
export function followEnrolment(
  created: Pick<CreatedToken, 'id' | 'expires_at'>,
  token: EnrolmentToken | null | undefined,
  nowMs: number,
): Enrolment {
  if (token === null) return { phase: 'withdrawn' };
  if (token?.client_id) return { phase: 'joined', clientId: token.client_id };
  const leftMs = Date.parse(created.expires_at) - nowMs;
  return leftMs <= 0 ? { phase: 'expired' } : { phase: 'waiting', leftMs };
}

/** Formats `59:07` below an hour, `3 h 05 min` below a day, `6 d 23 h` beyond. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  if (seconds < 86_400)
    return text.formatLeft.hoursAndMinutes(Math.floor(seconds / 3600), two(Math.floor((seconds % 3600) / 60)));
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}
