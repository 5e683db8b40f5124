import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { fail, type Role, type RouteContract } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { isSameSecret } from '@flotilla/kit';
import type { FastifyRequest } from 'fastify';
import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Actor } from './actor.ts';
import type { Reply, ShownThing } from './context.ts';
import { answerContext, bodyDigestContext } from './encryption-contexts.ts';

/** Encrypts stored answers; `context` says what a value belongs to. */
export interface AnswerSealer {
  seal(plaintext: Buffer, context: string): Buffer;
  unseal(sealed: Buffer, context: string): Buffer;
}

/** Says that requests with the same key are one request. */
export interface IdempotencyClaim {
  readonly actor: string;
  readonly key: string;
  /** The route with its path and query, including the project. */
  readonly route: string;
  /** Digest of the body; for a file, of the bytes read so far. */
  readonly bodyDigest: () => Buffer;
}

/** Conditions for a caller, besides the rights for the route, to receive a stored answer again. */
export interface AnswerConditions {
  /** The first caller's role in the project. A caller with a lower role does not receive the answer. */
  readonly role?: Role | undefined;
  readonly shows?: readonly ShownThing[] | undefined;
}

export interface StoredAnswer {
  readonly reply: Reply;
  readonly conditions: AnswerConditions;
}

const IDEMPOTENCY_HOURS = 24;
interface KeptMax {
  readonly answers: number;
  readonly bytes: number;
}

/** Limits per caller. Beyond them, the oldest answers are deleted before the day is over. */
const KEPT_MAX: KeptMax = { answers: 10_000, bytes: 256 * 1024 * 1024 };
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

/** Serialises requests with the same key: the second one waits here and then finds the stored answer of the first. */
export async function lockKey(tx: Tx, claim: IdempotencyClaim): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${claim.actor} ${claim.key}`}, 0))`.execute(tx);
}

/** Returns the answer stored for this key; undefined if the key is new. Throws idempotency.mismatch. */
export async function findAnswer(
  db: Db,
  claim: IdempotencyClaim,
  { now, sealer }: { now: Date; sealer: AnswerSealer },
): Promise<StoredAnswer | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['route', 'body_digest', 'answer'])
    .where('actor', '=', claim.actor)
    .where('key', '=', claim.key)
    .where('created_at', '>', oldest(now))
    .executeTakeFirst();
  if (!row) return undefined;
  const bodyDigest = sealer.unseal(row.body_digest, bodyDigestContext(claim.actor, claim.key));
  if (row.route !== claim.route || !isSameSecret(bodyDigest, claim.bodyDigest())) throw fail('idempotency.mismatch');
  const answer = sealer.unseal(row.answer, answerContext(claim.actor, claim.key)).toString();
  // Answers stored by older versions have no such conditions.
  const { standing: conditions = {}, ...reply } = JSON.parse(answer) as Reply & {
    readonly standing?: AnswerConditions;
  };
  return { reply, conditions };
}

export async function storeAnswer(
  tx: Tx,
  claim: IdempotencyClaim,
  { now, sealer, answer }: { now: Date; sealer: AnswerSealer; answer: StoredAnswer },
): Promise<{ bytes: number }> {
  const kept = Buffer.from(JSON.stringify({ ...answer.reply, standing: answer.conditions }));
  const sealed = sealer.seal(kept, answerContext(claim.actor, claim.key));
  await tx
    .deleteFrom('idempotency_keys')
    .where('actor', '=', claim.actor)
    .where('key', '=', claim.key)
    .where('created_at', '<=', oldest(now))
    .execute();
  await tx
    .insertInto('idempotency_keys')
    .values({
      actor: claim.actor,
      key: claim.key,
      route: claim.route,
      body_digest: sealer.seal(claim.bodyDigest(), bodyDigestContext(claim.actor, claim.key)),
      answer: sealed,
      created_at: now,
    })
    .execute();
  return { bytes: sealed.length };
}

/** Rows per statement: a long delete would block writers. */
const FORGET_BATCH = 5000;

/** Deletes expired answers and those beyond the limits per caller. */
export async function forgetOldAnswers(db: Db, now: Date, max: KeptMax = KEPT_MAX): Promise<void> {
  await sql`delete from idempotency_keys where (actor, key) in
    (select actor, key from idempotency_keys where created_at <= ${oldest(now)} limit ${FORGET_BATCH})`.execute(db);
  await forgetExcess(db, max, sql`true`);
}

function forgetExcess(db: Db, max: KeptMax, isMeant: RawBuilder<unknown>): Promise<unknown> {
  return sql`delete from idempotency_keys where (actor, key) in
    (select actor, key from
      (select actor, key, count(*) over newest_first as answers, sum(octet_length(answer)) over newest_first as bytes
        from idempotency_keys where ${isMeant}
        window newest_first as (partition by actor order by created_at desc, key)) kept
      where answers > ${max.answers} or bytes > ${max.bytes} limit ${FORGET_BATCH})`.execute(db);
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
    if (isDue) await forgetExcess(db, this.#max, sql`actor = ${actor}`);
  }
}

function oldest(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
}
