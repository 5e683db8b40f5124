import type { StoredReason } from './problems.ts';

/** Responses and those of class 5xx: of the last one to two minutes, and of the 15 minutes before. */
export interface Rates {
  readonly requests: number;
  readonly errors: number;
  readonly requests_before: number;
  readonly errors_before: number;
}

/** A single failed request is no trend. */
const ERRORS_MIN = 5;
const SHARE_MIN = 0.05;
const GROWTH_MIN = 2;
/** Errors that have always been there are not rising; so many are worth a warning anyway. */
const SHARE_ALWAYS = 0.5;

/** A reason if the share of 5xx responses has risen much, or if most responses fail. */
export function toRisingErrors(rates: Rates | undefined): StoredReason[] {
  if (!rates || rates.errors < ERRORS_MIN) return [];
  const share = rates.errors / rates.requests;
  const before = rates.requests_before === 0 ? 0 : rates.errors_before / rates.requests_before;
  if (share < SHARE_MIN || (share < SHARE_ALWAYS && share < GROWTH_MIN * before)) return [];
  const now = `${toPercent(share)} of the responses of the last minute are 5xx`;
  const earlier = rates.requests_before === 0 ? '' : `, and were ${toPercent(before)} of those before`;
  return [{ code: 'rising_errors', message: `${now}${earlier}`, name: null, endpoints: [] }];
}

function toPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
