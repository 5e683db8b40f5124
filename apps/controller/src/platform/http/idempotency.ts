import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { fail, type RouteContract } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Actor } from './actor.ts';
import { deleteExcessOf, type IdempotencyClaim, KEPT_MAX, type KeptMax } from './idempotency-store.ts';

/** A longer key is refused, not truncated: two keys must never become one. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/** Parses Idempotency-Key; undefined if the header is absent. Throws request.invalid for a malformed key. */
export function claimIdempotency(
  contract: RouteContract,
  request: FastifyRequest,
  { actor, uploadDigest }: { readonly actor: Actor; readonly uploadDigest: () => Buffer },
): IdempotencyClaim | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || contract.method !== 'POST' || actor.kind === 'anonymous') return undefined;
  if (contract.everyTime) return undefined;
  if (typeof key !== 'string' || !KEY.test(key))
    throw fail('request.invalid', { reason: 'Idempotency-Key: 1 to 255 printable ASCII characters' });
  return {
    actor: `${actor.kind}:${actor.id}`,
    key,
    route: `${contract.id} ${request.url}`,
    bodyDigest: contract.upload ? uploadDigest : () => digestOf(request.body),
  };
}

function digestOf(body: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(body ?? null))
    .digest();
}

/** Callers counted in memory. The longest unseen one is counted again in the database. */
const CALLERS_MAX = 10_000;
/** A controller checks a caller again after one hundredth of its limit was added. */
const SLACK = 100;

/**
 * Enforces the limits per caller while answers are stored, not only during housekeeping: at once for a caller that is
 * new to this controller, then each time a hundredth of the limit was added.
 */
export class AnswerCaps {
  readonly #max: KeptMax;
  readonly #added = new LRUCache<string, { answers: number; bytes: number }>({ max: CALLERS_MAX });

  constructor(max: KeptMax = KEPT_MAX) {
    this.#max = max;
  }

  /** Called after an answer of `bytes` was stored. */
  async noteStored(db: Db, actor: string, bytes: number): Promise<void> {
    const added = this.#added.get(actor);
    const sum = { answers: (added?.answers ?? 0) + 1, bytes: (added?.bytes ?? 0) + bytes };
    const isDue = !added || sum.answers * SLACK >= this.#max.answers || sum.bytes * SLACK >= this.#max.bytes;
    this.#added.set(actor, isDue ? { answers: 0, bytes: 0 } : sum);
    if (isDue) await deleteExcessOf(db, actor, this.#max);
  }
}
