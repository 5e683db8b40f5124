import { Buffer } from 'node:buffer';
import { fail, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { isSameSecret } from '@flotilla/kit';
import { type RawBuilder, sql } from 'kysely';
import { takeLock } from '../database/named-lock.ts';
import type { Cipher } from '../keyring/cipher.ts';
import type { Reply, ShownThing } from './context.ts';
import { answerContext, bodyDigestContext } from './encryption-contexts.ts';

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

export interface KeptMax {
  readonly answers: number;
  readonly bytes: number;
}

/** Limits per caller. Beyond them, the oldest answers are deleted before the day is over. */
export const KEPT_MAX: KeptMax = { answers: 10_000, bytes: 256 * 1024 * 1024 };

/** Serialises requests with the same key: the second one waits here and then finds the stored answer of the first. */
export async function lockKey(tx: Tx, claim: IdempotencyClaim): Promise<void> {
  await takeLock(tx, `${claim.actor} ${claim.key}`);
}

/** Returns the answer stored for this key; undefined if the key is new. Throws idempotency.mismatch. */
export async function findAnswer(
  db: Db,
  claim: IdempotencyClaim,
  { now, cipher }: { now: Date; cipher: Cipher },
): Promise<StoredAnswer | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['route', 'body_digest', 'answer'])
    .where('actor', '=', claim.actor)
    .where('key', '=', claim.key)
    .where('created_at', '>', oldest(now))
    .executeTakeFirst();
  if (!row) return undefined;
  const bodyDigest = cipher.decrypt(row.body_digest, bodyDigestContext(claim.actor, claim.key));
  if (row.route !== claim.route || !isSameSecret(bodyDigest, claim.bodyDigest())) throw fail('idempotency.mismatch');
  const answer = cipher.decrypt(row.answer, answerContext(claim.actor, claim.key)).toString();
  // Answers stored by older versions have no such conditions.
  const { standing: conditions = {}, ...reply } = JSON.parse(answer) as Reply & {
    readonly standing?: AnswerConditions;
  };
  return { reply, conditions };
}

export async function storeAnswer(
  tx: Tx,
  claim: IdempotencyClaim,
  { now, cipher, answer }: { now: Date; cipher: Cipher; answer: StoredAnswer },
): Promise<{ bytes: number }> {
  const kept = Buffer.from(JSON.stringify({ ...answer.reply, standing: answer.conditions }));
  const sealed = cipher.encrypt(kept, answerContext(claim.actor, claim.key));
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
      body_digest: cipher.encrypt(claim.bodyDigest(), bodyDigestContext(claim.actor, claim.key)),
      answer: sealed,
      created_at: now,
    })
    .execute();
  return { bytes: sealed.length };
}

/** Rows per statement: a long delete would block writers. */
const DELETE_BATCH = 5000;

/** Deletes expired answers and those beyond the limits per caller. */
export async function deleteOldAnswers(db: Db, now: Date, max: KeptMax = KEPT_MAX): Promise<void> {
  await sql`delete from idempotency_keys where (actor, key) in
    (select actor, key from idempotency_keys where created_at <= ${oldest(now)} limit ${DELETE_BATCH})`.execute(db);
  await deleteExcess(db, max, sql`true`);
}

/** Deletes the answers of a caller beyond the limits. */
export async function deleteExcessOf(db: Db, actor: string, max: KeptMax): Promise<void> {
  await deleteExcess(db, max, sql`actor = ${actor}`);
}

async function deleteExcess(db: Db, max: KeptMax, isMeant: RawBuilder<unknown>): Promise<void> {
  await sql`delete from idempotency_keys where (actor, key) in
    (select actor, key from
      (select actor, key, count(*) over newest_first as answers, sum(octet_length(answer)) over newest_first as bytes
        from idempotency_keys where ${isMeant}
        window newest_first as (partition by actor order by created_at desc, key)) kept
      where answers > ${max.answers} or bytes > ${max.bytes} limit ${DELETE_BATCH})`.execute(db);
}

function oldest(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
}
