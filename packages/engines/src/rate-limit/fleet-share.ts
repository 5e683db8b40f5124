import type { RateLimitOptions } from '@flotilla/policy';

/**
 * What one of `edges` proxies gives of a limit that they share: an even part of rate and burst, but a request at once at
 * least, or a client would never be let through.
 */
export function shareOfFleet(options: RateLimitOptions, edges: number): RateLimitOptions {
  if (edges === 1) return options;
  return { ...options, rate: options.rate / edges, burst: Math.max(1, options.burst / edges) };
}
