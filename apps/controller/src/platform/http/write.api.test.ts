import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';
import { AfterCommit } from './after-commit.ts';
import type { WriteOutcome } from './context.ts';
import { AnswerCaps } from './idempotency.ts';
import { Preparation } from './preparation.ts';
import { runWrite } from './write.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const failOn = (error: unknown) => {
  throw error;
};

function request(): Omit<Parameters<typeof runWrite>[0], 'afterCommit'> {
  return {
    db: t.database.db,
    dryRun: false,
    now: new Date(),
    idempotency: undefined,
    role: undefined,
    admitAgain: async () => {},
    cipher: { encrypt: (plaintext) => plaintext, decrypt: (sealed) => sealed },
    answerCaps: new AnswerCaps(),
    defaultStatus: 200,
    requireStill: undefined,
    preparation: new Preparation(),
    recordAudit: async () => {},
  };
}

it('two writes that lock the same rows in opposite order both succeed: the victim of the deadlock runs again', async () => {
  const ids = [await t.createProject(createId()), await t.createProject(createId())] as const;
  let attempts = 0;
  let met = 0;
  let open = () => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const done: string[] = [];
  const write = (order: readonly string[]) => {
    const afterCommit = new AfterCommit(failOn);
    return runWrite({ ...request(), afterCommit }, async (tx) => {
      attempts += 1;
      afterCommit.add(() => void done.push(order.join()));
      for (const id of order) {
        await sql`select from projects where id = ${id} for update`.execute(tx);
        met += 1;
        if (met === 2) open();
        await both;
      }
      return { reply: { body: { order } }, audit: { type: 'project' } };
    });
  };
  const replies = await Promise.all([write(ids), write(ids.toReversed())]);
  expect(replies.map(({ body }) => body)).toEqual([{ order: ids }, { order: ids.toReversed() }]);
  // At least three: the victim may retry before the other transaction continues, and deadlock again.
  expect(attempts).toBeGreaterThanOrEqual(3);
  // Once for each write, not for each attempt.
  expect(done.toSorted()).toEqual([ids.join(), ids.toReversed().join()].toSorted());
});

describe('work after the commit', () => {
  /** Creates a project and reports after the commit who can see it. */
  async function createSeen(overrides: Partial<Parameters<typeof runWrite>[0]> = {}) {
    const id = createId();
    const seen: string[] = [];
    const failures: unknown[] = [];
    const afterCommit = new AfterCommit((error) => failures.push(error));
    const outcome: WriteOutcome = { reply: { body: { id } }, audit: { type: 'project' } };
    const answer = runWrite({ ...request(), ...overrides, afterCommit }, async (tx) => {
      const at = new Date();
      await tx
        .insertInto('projects')
        .values({ id, name: id, description: null, created_at: at, updated_at: at })
        .execute();
      afterCommit.add(() => {
        throw new Error('no');
      });
      afterCommit.add(async () => {
        const rows = await t.database.db.selectFrom('projects').select('name').where('id', '=', id).execute();
        seen.push(...rows.map(({ name }) => name));
      });
      return outcome;
    });
    const settled = await answer.catch((error: Error) => error.message);
    return { id, seen: [...seen], failures, settled };
  }

  it('sees the committed change, runs before the answer, and affects neither the answer nor other work if it fails', async () => {
    const { id, seen, failures, settled } = await createSeen();
    expect(settled).toEqual({ body: { id } });
    expect(seen).toEqual([id]);
    expect(failures).toEqual([new Error('no')]);
  });

  it('does not run for a dry run or a rollback', async () => {
    const dry = await createSeen({ dryRun: true });
    expect([dry.seen, dry.failures]).toEqual([[], []]);
    const refused = await createSeen({ recordAudit: () => Promise.reject(new Error('the record cannot be written')) });
    expect(refused.settled).toBe('the record cannot be written');
    expect([refused.seen, refused.failures]).toEqual([[], []]);
  });
});

it('an answer that a write asks for beforehand is found once, without an open transaction; then the work starts again', async () => {
  const preparation = new Preparation();
  const afterCommit = new AfterCommit(failOn);
  const log: string[] = [];
  const id = createId();
  /** Whether no transaction holds the lock of the work. */
  const isFree = async () => {
    const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(hashtext(${id})) as free`.execute(
      t.database.db,
    );
    return rows[0]?.free;
  };
  const find = (answer: string) => async () => {
    log.push(`find ${answer}, free: ${await isFree()}`);
    return answer;
  };
  const { body } = await runWrite({ ...request(), afterCommit, preparation }, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${id}))`.execute(tx);
    expect(await isFree()).toBe(false);
    afterCommit.add(() => void log.push('committed'));
    const first = await preparation.ask('a', find('first'));
    const second = await preparation.ask('b', find('second'));
    return { reply: { body: [first, second, await preparation.ask('a', find('never'))] }, audit: { type: 'project' } };
  });
  expect(body).toEqual(['first', 'second', 'first']);
  expect(log).toEqual(['find first, free: true', 'find second, free: true', 'committed']);
});

it('a write fails if its answer cannot be found, or if it asks without end', async () => {
  const write = (work: (preparation: Preparation) => Promise<unknown>) => {
    const preparation = new Preparation();
    const afterCommit = new AfterCommit(failOn);
    return runWrite({ ...request(), afterCommit, preparation }, async () => {
      await work(preparation);
      return { reply: {}, audit: { type: 'project' } };
    });
  };
  await expect(write(({ ask }) => ask('a', () => Promise.reject(new Error('not to be found'))))).rejects.toThrow(
    'not to be found',
  );
  let questions = 0;
  await expect(write(({ ask }) => ask(String(questions++), async () => 1))).rejects.toThrow('without end');
});
