/** The longest reported wait; clients read it as a 31-bit number. */
const RETRY_AFTER_MAX_S = 2 ** 31 - 1;

/** Whole seconds until a token is available, rounded up, at least 1. */
export function toRetryAfterSeconds(waitMs: number): number {
  return Math.min(RETRY_AFTER_MAX_S, Math.max(1, Math.ceil(waitMs / 1000)));
}
