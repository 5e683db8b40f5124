import { fail, type RateClass } from '@flotilla/contract';
import type { Clock } from '@flotilla/kit';
import { systemClock } from '@flotilla/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Actor } from './actor.ts';
import { networkOf } from './network.ts';

/** Requests per minute of one caller (a user, a token, or a network), counted by each controller separately. */
const RATE_LIMITS: Record<RateClass, number | undefined> = {
  login: 20,
  read: 3000,
  write: 1200,
  command: 600,
  trial: 240,
  probe: undefined,
};

/** Failed authentications per minute and address. Above it the caller must wait, and the audit log gets no entries. */
const AUTH_FAILURES_PER_MINUTE = 60;

const WINDOW_S = 60;
/** With more callers at once, the longest unseen ones are forgotten, which only grants them more requests. */
const MAX_KEYS = 50_000;

interface Bucket {
  tokens: number;
  updatedMs: number;
}

export interface RateDecision {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the allowance is full again. */
  readonly fullInS: number;
  /** Seconds until one more request is allowed. */
  readonly retryAfterS: number;
}

/** Token buckets, one per key: `max` requests at once, refilled evenly over a minute. */
export class RateLimiter {
  readonly #buckets: LRUCache<string, Bucket>;
  readonly #clock: Clock;

  constructor(options: { clock?: Clock; maxKeys?: number } = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#buckets = new LRUCache({ max: options.maxKeys ?? MAX_KEYS });
  }

  get size(): number {
    return this.#buckets.size;
  }

  take(key: string, max: number): RateDecision {
    const nowMs = this.#clock.monotonic();
    const perSecond = max / WINDOW_S;
    const before = this.#buckets.get(key) ?? { tokens: max, updatedMs: nowMs };
    const tokens = Math.min(max, before.tokens + ((nowMs - before.updatedMs) / 1000) * perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    this.#buckets.set(key, { tokens: left, updatedMs: nowMs });
    return {
      allowed,
      remaining: Math.floor(left),
      fullInS: Math.ceil((max - left) / perSecond),
      retryAfterS: Math.max(1, Math.ceil((1 - left) / perSecond)),
    };
  }
}

/** Applies the limits of the routes and sends the rate-limit headers (draft-ietf-httpapi-ratelimit-headers-10). */
export class RequestLimits {
  readonly #limiter: RateLimiter;
  readonly #factor: number;

  /** `factor` multiplies every limit; 0 switches them off. */
  constructor(factor: number, limiter = new RateLimiter()) {
    this.#factor = factor;
    this.#limiter = limiter;
  }

  /** Throws request.too_many if the caller's allowance is used up. */
  admit(rate: RateClass, actor: Actor, http: { request: FastifyRequest; reply: FastifyReply }): void {
    const limit = RATE_LIMITS[rate];
    if (limit === undefined || this.#factor === 0) return;
    const max = limit * this.#factor;
    const caller = actor.kind === 'anonymous' ? networkOf(http.request.ip) : `${actor.kind}:${actor.id}`;
    const decision = this.#limiter.take(`${rate} ${caller}`, max);
    http.reply.header('ratelimit-policy', `"${rate}";q=${max};w=${WINDOW_S}`);
    http.reply.header('ratelimit', `"${rate}";r=${decision.remaining};t=${decision.fullInS}`);
    if (!decision.allowed) throw tooMany(decision.retryAfterS);
  }

  /** Counts a request whose token was refused. Throws request.too_many if the address has had too many of them. */
  countAuthFailure(ip: string): void {
    if (this.#factor === 0) return;
    const decision = this.#limiter.take(`auth_failure ${networkOf(ip)}`, AUTH_FAILURES_PER_MINUTE * this.#factor);
    if (!decision.allowed) throw tooMany(decision.retryAfterS);
  }
}

function tooMany(seconds: number): Error {
  return fail('request.too_many', { seconds }, { extra: { retry_after: seconds } });
}
