import type { Clock } from '@flotilla/kit';
import type { RateLimitOptions } from '@flotilla/policy';
import { ALLOW, type BlockReason, type CompiledEngine, type RequestView } from '../engine.ts';
import { Limiter } from './limiter.ts';
import type { LimiterArena } from './limiter-arena.ts';
import { toRetryAfterSeconds } from './retry-after.ts';

const EXCEEDED = { reason: 'ratelimit.exceeded', severity: 'low' } as const;

export const RATE_LIMIT_REASONS: readonly BlockReason[] = [EXCEEDED];

export interface RateLimitEngine extends CompiledEngine {
  readonly limiter: Limiter;
}

/** The memory for an engine's buckets, if threads share it. */
export interface LimiterPlace {
  readonly arena: LimiterArena;
  /** The limiter that another thread has created for the same block. Default: a new one. */
  readonly id?: number;
}

/** Limits requests per key with token buckets. Mode `detect` takes tokens, too. */
export function createRateLimitEngine(options: RateLimitOptions, clock: Clock, place?: LimiterPlace): RateLimitEngine {
  const limiter = new Limiter({ rate: options.rate, burst: options.burst, ...place });
  const keyOf = createKeySelector(options);
  return {
    name: 'rate_limit',
    decide(request) {
      const waitMs = limiter.take(keyOf(request), clock.monotonic());
      if (waitMs === 0) return ALLOW;
      return { kind: 'block', ...EXCEEDED, status: 429, retryAfterSeconds: toRetryAfterSeconds(waitMs) };
    },
    body: undefined,
    withheld: undefined,
    limiter,
  };
}

function createKeySelector(options: RateLimitOptions): (request: RequestView) => string {
  switch (options.key) {
    case 'ip':
      return (request) => request.sourceIp;
    case 'host':
      // An authority that programs read differently counts as no key: otherwise each spelling would get its own bucket.
      return (request) => (request.hosts === undefined ? request.host : '');
    case 'header':
      return (request) => joinLines(request.header(options.header));
  }
}

/**
 * Several lines are one list (RFC 9110 section 5.3) without its empty elements (section 5.6.1): a client that cannot
 * choose the value must not get a new bucket by splitting it.
 */
function joinLines(lines: readonly string[]): string {
  if (lines.length <= 1) return lines[0] ?? '';
  return lines.filter((line) => line !== '').join(',');
}
