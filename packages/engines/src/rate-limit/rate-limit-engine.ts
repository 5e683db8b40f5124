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

/** Where the buckets of an engine lie, where threads share them. */
export interface LimiterPlace {
  readonly arena: LimiterArena;
  /** The limiter that another thread has made for the same block; a new one unless given. */
  readonly id?: number;
}

/** Limits requests per key by token bucket. Tokens are taken in mode `detect`, too. */
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
      // An authority that programs read differently is nobody's: each spelling of it would be a bucket of its own.
      return (request) => (request.hosts === undefined ? request.host : '');
    case 'header':
      return (request) => joinLines(request.header(options.header));
  }
}

/**
 * Several lines are one list (RFC 9110 section 5.3), and empty ones are not part of it (section 5.6.1): splitting it must
 * not give a new bucket to a client that could not choose the value anyway.
 */
function joinLines(lines: readonly string[]): string {
  if (lines.length <= 1) return lines[0] ?? '';
  return lines.filter((line) => line !== '').join(',');
}
