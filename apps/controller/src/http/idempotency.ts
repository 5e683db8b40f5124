import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { fail, type Role, type RouteContract } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { isSameSecret } from '@flotilla/kit';
import type { FastifyRequest } from 'fastify';
import { type RawBuilder, sql } from 'kysely';
import { sealContexts } from '../features/keyring/index.ts';
import type { Actor } from './actor.ts';
import type { Reply, ShownThing } from './context.ts';

/** Encrypts what is kept; `context` says what it belongs to. */
export interface AnswerSealer {
  seal(plaintext: Buffer, context: string): Buffer;
  unseal(sealed: Buffer, context: string): Buffer;
}

/** A caller's promise that requests with the same key are one request. */
export interface IdempotencyClaim {
  readonly actor: string;
  readonly key: string;
  /** The route with its path and query, and so the project. */
  readonly route: string;
  /** Of the body; of a file, as much of it as was read. */
  readonly bodyDigest: () => Buffer;
}

/** What whoever asks for a stored answer again has to have, beside what the route asks of everybody. */
export interface AnswerStanding {
  /** Of the first caller in the project: what it was allowed by that role, a lesser one may not be. */
  readonly role?: Role | undefined;
  readonly shows?: readonly ShownThing[] | undefined;
}

export interface StoredAnswer {
  readonly reply: Reply;
  readonly standing: AnswerStanding;
}

const IDEMPOTENCY_HOURS = 24;
interface KeptMax {
  readonly answers: number;
  readonly bytes: number;
}

/** Of one caller. Of more than that in a day the oldest are forgotten earlier. */
const KEPT_MAX: KeptMax = { answers: 10_000, bytes: 256 * 1024 * 1024 };
/** What fits into a header, and no cut of something longer: two keys must never become one. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/** What the request says of being one with others; undefined where it says nothing. Throws request.invalid for what is no key. */
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

/** Two requests with one key at once: the second waits here, then finds the stored answer of the first. */
export async function lockKey(tx: Tx, claim: IdempotencyClaim): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${claim.actor} ${claim.key}`}, 0))`.execute(tx);
}

/** The answer that was given to this key before, or undefined when the key is new. Throws idempotency.mismatch. */
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
  const bodyDigest = sealer.unseal(row.body_digest, sealContexts.bodyDigest(claim.actor, claim.key));
  if (row.route !== claim.route || !isSameSecret(bodyDigest, claim.bodyDigest())) throw fail('idempotency.mismatch');
  const answer = sealer.unseal(row.answer, sealContexts.answer(claim.actor, claim.key)).toString();
  // Of an answer that an older version has stored there is no standing.
  const { standing = {}, ...reply } = JSON.parse(answer) as Reply & { readonly standing?: AnswerStanding };
  return { reply, standing };
}

export async function storeAnswer(
  tx: Tx,
  claim: IdempotencyClaim,
  { now, sealer, answer }: { now: Date; sealer: AnswerSealer; answer: StoredAnswer },
): Promise<{ bytes: number }> {
  const kept = Buffer.from(JSON.stringify({ ...answer.reply, standing: answer.standing }));
  const sealed = sealer.seal(kept, sealContexts.answer(claim.actor, claim.key));
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
      body_digest: sealer.seal(claim.bodyDigest(), sealContexts.bodyDigest(claim.actor, claim.key)),
      answer: sealed,
      created_at: now,
    })
    .execute();
  return { bytes: sealed.length };
}

/** At most that many rows in one statement: a long delete would hold up writers. */
const FORGET_BATCH = 5000;

/** Answers that nobody may ask for again, and those beyond what is kept of one caller. */
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

/** Callers whose answers are counted here; the one that was heard of longest ago is asked about anew. */
const CALLERS_MAX = 10_000;
/** What one controller lets a caller add, as a part of the whole, before it looks again. */
const SLACK = 100;

/**
 * Keeps what is kept of a caller small while it comes, not only when it is tidied: of a caller that is new here at once, then
 * whenever a hundredth of the whole has been added, what is beyond it is forgotten.
 */
export class AnswerCaps {
  readonly #max: KeptMax;
  readonly #added = new Map<string, { answers: number; bytes: number }>();

  constructor(max: KeptMax = KEPT_MAX) {
    this.#max = max;
  }

  /** After an answer of so many bytes was stored. */
  async noteStored(db: Db, actor: string, bytes: number): Promise<void> {
    const added = this.#added.get(actor);
    this.#added.delete(actor);
    const sum = { answers: (added?.answers ?? 0) + 1, bytes: (added?.bytes ?? 0) + bytes };
    const isDue = !added || sum.answers * SLACK >= this.#max.answers || sum.bytes * SLACK >= this.#max.bytes;
    this.#added.set(actor, isDue ? { answers: 0, bytes: 0 } : sum);
    if (this.#added.size > CALLERS_MAX) {
      const oldestCaller = this.#added.keys().next();
      if (!oldestCaller.done) this.#added.delete(oldestCaller.value);
    }
    if (isDue) await forgetExcess(db, this.#max, sql`actor = ${actor}`);
  }
}

function oldest(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
}
