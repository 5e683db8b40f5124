import type { RateLimitOptions } from '@flotilla/policy';

/**
 * One proxy's share of a limit that `edges` proxies share: an equal part of rate and burst, but a burst of at least one
 * request, otherwise no client would ever be admitted.
 */
export function shareOfFleet(options: RateLimitOptions, edges: number): RateLimitOptions {
  if (edges === 1) return options;
  return { ...options, rate: options.rate / edges, burst: Math.max(1, options.burst / edges) };
}
