import type { ApiTokenView, apiTokenRoutes, CallOutput, TokenRules } from '@flotilla/contract';
import { texts } from './texts.tsx';

const text = texts.tokenModel;

export type CreatedToken = CallOutput<typeof apiTokenRoutes.create>;

/** A number of days, `date` or `never`. */
export type Expiry = string;

const USUAL_DAYS = [7, 30, 90, 365];
const FIRST_DAYS = 90;

/** Returns the lifetimes that the installation allows, and its default. */
export function toExpiries({ longest_days, default_days }: Pick<TokenRules, 'longest_days' | 'default_days'>) {
  const longest = longest_days ?? Infinity;
  const first = default_days ?? Math.min(FIRST_DAYS, longest);
  const days = [...new Set([...USUAL_DAYS.filter((one) => one <= longest), first, longest_days ?? first])];
  const choices: { value: Expiry; label: string }[] = days
    .toSorted((a, b) => a - b)
    .map((one) => ({
      value: String(one),
      label: one === 365 ? '1 year' : one === 1 ? '1 day' : text.expiries.days(one),
    }));
  choices.push({ value: 'date', label: text.expiries.onDate });
  if (longest_days === null) choices.push({ value: 'never', label: text.expiries.never });
  return { choices, first: String(first) };
}

const DAY_MS = 86_400_000;

/** Returns the expiry of a new token, null for none; undefined if the date (`2026-01-31`, local time) is missing or past. */
export function toExpiresAt(expiry: Expiry, date: string, nowMs: number): string | null | undefined {
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
  // The token works until the end of the day in the user's time zone.
  const end = new Date(`${date}T23:59:59.999`).getTime();
  return end > nowMs ? new Date(end).toISOString() : undefined;
}

/**
 * works     requests with it are taken
 * expiring  it works for less than a week
 * expired   its time is over
 * orphaned  its creator has no account, no active account or no membership here: refused
 */
export type TokenState = 'works' | 'expiring' | 'expired' | 'orphaned';

const SOON_MS = 7 * DAY_MS;

export function deriveTokenState(token: Pick<ApiTokenView, 'expires_at' | 'maker'>, nowMs: number): TokenState {
  if (token.maker !== 'active') return 'orphaned';
  if (token.expires_at === null) return 'works';
  const leftMs = Date.parse(token.expires_at) - nowMs;
  if (leftMs <= 0) return 'expired';
  return leftMs < SOON_MS ? 'expiring' : 'works';
}

export const WHY_ORPHANED: Readonly<Record<ApiTokenView['maker'], string>> = {
  active: '',
  inactive: text.whyOrphaned.inactive,
  not_a_member: text.whyOrphaned.notAMember,
  deleted: text.whyOrphaned.deleted,
};

/** Formats a first request with the token as a shell command. */
export function formatCurl(token: string, origin: string, path: string): string {
  return text.formatCurl.curl(token, origin, path);
}
