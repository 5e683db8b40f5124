import type { Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import type { Cipher } from '../keyring/cipher.ts';
import type { AfterCommit } from './after-commit.ts';
import type { Reply, WriteOutcome } from './context.ts';
import type { AnswerCaps } from './idempotency.ts';
import { type AnswerConditions, findAnswer, type IdempotencyClaim, lockKey, storeAnswer } from './idempotency-store.ts';
import type { Preparation } from './preparation.ts';

/** Thrown to roll a dry run back. Never leaves this file. */
class DryRun extends Error {
  readonly outcome: WriteOutcome;

  constructor(outcome: WriteOutcome) {
    super('dry run');
    this.outcome = outcome;
  }
}

export interface WriteRequest {
  readonly db: Db;
  readonly dryRun: boolean;
  readonly now: Date;
  readonly idempotency: IdempotencyClaim | undefined;
  /** The caller's role in the project of the request. */
  readonly role: Role | undefined;
  /** Throws unless the caller may receive the stored answer of an earlier request. */
  readonly admitAgain: (conditions: AnswerConditions) => Promise<void>;
  readonly cipher: Cipher;
  readonly answerCaps: AnswerCaps;
  readonly recordAudit: (tx: Tx, outcome: WriteOutcome) => Promise<void>;
  readonly defaultStatus: number;
  /**
   * Throws unless the caller may still do this. Called if the write ends without a check by the database: it changes
   * nothing, is rolled back, or fails with an error that reveals existing data.
   */
  readonly requireStill: ((db: Db) => Promise<void>) | undefined;
  readonly afterCommit: AfterCommit;
  readonly preparation: Preparation;
}

const DEADLOCK = '40P01';
const ATTEMPTS_MAX = 5;

/**
 * See RequestContext.write. `work` runs again after each answer that it asks for beforehand, and if PostgreSQL aborts
 * the transaction because of a deadlock; an aborted run leaves no trace.
 */
export function runWrite(request: WriteRequest, work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply> {
  return request.preparation.run(() => runUntilNoDeadlock(request, work));
}

async function runUntilNoDeadlock(request: WriteRequest, work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    request.afterCommit.forget();
    try {
      const { reply, conditions } = await runOnce(request, work);
      // Runs without an open transaction, because the check uses its own connection.
      if (conditions) await request.admitAgain(conditions);
      if (!request.dryRun) await request.afterCommit.run();
      return reply;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK) || attempt === ATTEMPTS_MAX)
        throw error;
    }
  }
}

/** `conditions` is set if the reply is a stored one and nothing was done. */
async function runOnce(
  request: WriteRequest,
  work: (tx: Tx) => Promise<WriteOutcome>,
): Promise<{ readonly reply: Reply; readonly conditions?: AnswerConditions }> {
  try {
    return await request.db.transaction().execute(async (tx) => {
      if (request.idempotency && !request.dryRun) {
        await lockKey(tx, request.idempotency);
        const before = await findAnswer(tx, request.idempotency, request);
        if (before) return before;
      }
      const outcome = await work(tx);
      if (request.dryRun) throw new DryRun(outcome);
      if (outcome.isUnchanged) await request.requireStill?.(tx);
      else await request.recordAudit(tx, outcome);
      if (request.idempotency) {
        const { actor } = request.idempotency;
        const reply: Reply = { ...outcome.reply, status: outcome.reply.status ?? request.defaultStatus };
        const answer = { reply, conditions: { role: request.role, shows: outcome.shows } };
        const { bytes } = await storeAnswer(tx, request.idempotency, { ...request, answer });
        request.afterCommit.add(() => request.answerCaps.noteStored(request.db, actor, bytes));
      }
      return { reply: outcome.reply };
    });
  } catch (error) {
    if (error instanceof DryRun || error instanceof AppError) await request.requireStill?.(request.db);
    if (!(error instanceof DryRun)) throw error;
    const { reply } = error.outcome;
    const body = typeof reply.body === 'object' && reply.body !== null ? reply.body : {};
    return { reply: { status: 200, body: { ...body, dry_run: true } } };
  }
}
