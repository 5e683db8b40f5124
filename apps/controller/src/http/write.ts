import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { sealContexts } from '../features/keyring/index.ts';
import type { AfterCommit } from './after-commit.ts';
import type { Reply, WriteOutcome } from './context.ts';

/** Thrown to roll a dry run back; never leaves this file. */
class DryRun extends Error {
  readonly outcome: WriteOutcome;

  constructor(outcome: WriteOutcome) {
    super('dry run');
    this.outcome = outcome;
  }
}

/** Encrypts what is kept; `context` says what it belongs to. */
export interface AnswerSealer {
  seal(plaintext: Buffer, context: string): Buffer;
  unseal(sealed: Buffer, context: string): Buffer;
}

export interface WriteRequest {
  readonly db: Db;
  readonly dryRun: boolean;
  readonly now: Date;
  readonly idempotency: IdempotencyClaim | undefined;
  readonly sealer: AnswerSealer;
  readonly recordAudit: (tx: Tx, outcome: WriteOutcome) => Promise<void>;
  readonly defaultStatus: number;
  readonly afterCommit: AfterCommit;
}

/** A caller's promise that requests with the same key are one request. */
export interface IdempotencyClaim {
  readonly actor: string;
  readonly key: string;
  readonly route: string;
  readonly bodyDigest: Buffer;
}

const IDEMPOTENCY_HOURS = 24;

const DEADLOCK = '40P01';
const ATTEMPTS_MAX = 5;

/** See RequestContext.write. `work` runs again where PostgreSQL chose the transaction to end a deadlock: nothing of it is left. */
export async function runWrite(request: WriteRequest, work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    request.afterCommit.forget();
    try {
      const reply = await runOnce(request, work);
      if (!request.dryRun) await request.afterCommit.run();
      return reply;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK) || attempt === ATTEMPTS_MAX)
        throw error;
    }
  }
}

async function runOnce(request: WriteRequest, work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply> {
  try {
    return await request.db.transaction().execute(async (tx) => {
      if (request.idempotency && !request.dryRun) {
        await lockKey(tx, request.idempotency);
        const before = await findAnswer(tx, request.idempotency, request);
        if (before) return before;
      }
      const outcome = await work(tx);
      if (request.dryRun) throw new DryRun(outcome);
      await request.recordAudit(tx, outcome);
      if (request.idempotency) await storeAnswer(tx, { ...request, claim: request.idempotency }, outcome.reply);
      return outcome.reply;
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
    const { reply } = error.outcome;
    const body = typeof reply.body === 'object' && reply.body !== null ? reply.body : {};
    return { status: 200, body: { ...body, dry_run: true } };
  }
}

export function claimIdempotency(parts: {
  actor: string;
  key: string;
  route: string;
  body: unknown;
}): IdempotencyClaim {
  const bodyDigest = createHash('sha256')
    .update(JSON.stringify(parts.body ?? null))
    .digest();
  return { actor: parts.actor, key: parts.key, route: parts.route, bodyDigest };
}

/** The answer that was given to this key before, or undefined when the key is new. */
async function findAnswer(
  db: Db,
  claim: IdempotencyClaim,
  { now, sealer }: { now: Date; sealer: AnswerSealer },
): Promise<Reply | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['route', 'body_digest', 'answer'])
    .where('actor', '=', claim.actor)
    .where('key', '=', claim.key)
    .where('created_at', '>', new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000))
    .executeTakeFirst();
  if (!row) return undefined;
  const bodyDigest = sealer.unseal(row.body_digest, sealContexts.bodyDigest(claim.actor, claim.key));
  if (row.route !== claim.route || !bodyDigest.equals(claim.bodyDigest)) throw fail('idempotency.mismatch');
  return JSON.parse(sealer.unseal(row.answer, sealContexts.answer(claim.actor, claim.key)).toString()) as Reply;
}

/** Two requests with one key at once: the second waits here, then finds the stored answer of the first. */
async function lockKey(tx: Tx, claim: IdempotencyClaim): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${claim.actor} ${claim.key}`}, 0))`.execute(tx);
}

async function storeAnswer(
  tx: Tx,
  { claim, now, sealer, defaultStatus }: WriteRequest & { claim: IdempotencyClaim },
  reply: Reply,
): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('actor', '=', claim.actor)
    .where('key', '=', claim.key)
    .where('created_at', '<=', new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000))
    .execute();
  const answer: Reply = { ...reply, status: reply.status ?? defaultStatus };
  await tx
    .insertInto('idempotency_keys')
    .values({
      actor: claim.actor,
      key: claim.key,
      route: claim.route,
      body_digest: sealer.seal(claim.bodyDigest, sealContexts.bodyDigest(claim.actor, claim.key)),
      answer: sealer.seal(Buffer.from(JSON.stringify(answer)), sealContexts.answer(claim.actor, claim.key)),
      created_at: now,
    })
    .execute();
}

/** At most that many rows in one statement: a long delete would hold up writers. */
const FORGET_BATCH = 5000;

/** Answers that nobody may ask for again. */
export async function forgetOldAnswers(db: Db, now: Date): Promise<void> {
  const old = new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  await sql`delete from idempotency_keys where (actor, key) in
    (select actor, key from idempotency_keys where created_at <= ${old} limit ${FORGET_BATCH})`.execute(db);
}
