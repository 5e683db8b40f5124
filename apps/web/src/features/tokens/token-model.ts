import type { ApiTokenView, RouteFamily } from '@flotilla/contract';

export const EXPIRIES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
] as const;
export type Expiry = (typeof EXPIRIES)[number]['value'];
export const EXPIRY_DEFAULT: Expiry = '90';

/** As the contract names them; its values stay out of the browser. */
export const FAMILIES: readonly RouteFamily[] = [
  'configuration',
  'policies',
  'services',
  'clients',
  'commands',
  'events',
  'audit',
  'jobs',
  'settings',
  'identity',
  'maintenance',
];

const DAY_MS = 86_400_000;

/** The end in time of a new token, null for none; undefined where the date (`2026-01-31`, by the own clock) is missing or past. */
export function toExpiresAt(expiry: Expiry, date: string, nowMs: number): string | null | undefined {
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
  // It works until that day is over where the person is.
  const end = new Date(`${date}T23:59:59.999`).getTime();
  return end > nowMs ? new Date(end).toISOString() : undefined;
}

/**
 * works     requests with it are taken
 * expiring  it works for less than a week
 * expired   its time is over
 * orphaned  whoever made it has no account any more, no active one or no membership here: refused
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
  inactive: 'The account of its maker is deactivated',
  not_a_member: 'Its maker is no longer a member of this project',
  deleted: 'The account of its maker was deleted',
};

/** A first request with the token, ready for a shell. */
export function formatCurl(token: string, origin: string, path: string): string {
  return `curl -H 'Authorization: Bearer ${token}' '${origin}${path}'`;
}
