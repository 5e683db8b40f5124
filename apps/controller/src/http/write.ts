import type { Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import type { AfterCommit } from './after-commit.ts';
import type { Beforehand } from './beforehand.ts';
import type { Reply, WriteOutcome } from './context.ts';
import {
  type AnswerCaps,
  type AnswerSealer,
  type AnswerStanding,
  findAnswer,
  type IdempotencyClaim,
  lockKey,
  storeAnswer,
} from './idempotency.ts';

/** Thrown to roll a dry run back; never leaves this file. */
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
  /** Of the caller, in the project of the request. */
  readonly role: Role | undefined;
  /** Throws unless the caller may be given what was answered to another request of theirs. */
  readonly admitAgain: (standing: AnswerStanding) => Promise<void>;
  readonly sealer: AnswerSealer;
  readonly answerCaps: AnswerCaps;
  readonly recordAudit: (tx: Tx, outcome: WriteOutcome) => Promise<void>;
  readonly defaultStatus: number;
  /**
   * Throws unless the caller may still do this. Asked where a write ends without the database having judged it: it changes
   * nothing, is rolled back, or is refused for a reason that tells of what is there.
   */
  readonly requireStill: ((db: Db) => Promise<void>) | undefined;
  readonly afterCommit: AfterCommit;
  readonly beforehand: Beforehand;
}

const DEADLOCK = '40P01';
const ATTEMPTS_MAX = 5;

/**
 * See RequestContext.write. `work` runs again once what it asks beforehand is known, and where PostgreSQL chose the transaction to
 * end a deadlock: nothing of it is left.
 */
export function runWrite(request: WriteRequest, work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply> {
  return request.beforehand.run(() => runUntilNoDeadlock(request, work));
}

async function runUntilNoDeadlock(request: WriteRequest, work: (tx: Tx) => Promise<WriteOutcome>): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    request.afterCommit.forget();
    try {
      const { reply, standing } = await runOnce(request, work);
      // With no transaction open: what is asked takes connections of its own.
      if (standing) await request.admitAgain(standing);
      if (!request.dryRun) await request.afterCommit.run();
      return reply;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK) || attempt === ATTEMPTS_MAX)
        throw error;
    }
  }
}

/** With `standing`: the reply was stored before, and nothing was done. */
async function runOnce(
  request: WriteRequest,
  work: (tx: Tx) => Promise<WriteOutcome>,
): Promise<{ readonly reply: Reply; readonly standing?: AnswerStanding }> {
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
        const answer = { reply, standing: { role: request.role, shows: outcome.shows } };
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
