import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestController } from '../test-controller.ts';
import { runWrite } from './write.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

it('two writes that lock the same rows in opposite order are both done: the victim of the deadlock runs again', async () => {
  const { db } = t.database;
  const ids = [await t.createProject('first'), await t.createProject('second')] as const;
  let attempts = 0;
  let met = 0;
  let open = () => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const write = (order: readonly string[]) =>
    runWrite(
      {
        db,
        dryRun: false,
        now: new Date(),
        idempotency: undefined,
        sealer: { seal: () => Buffer.alloc(0), unseal: () => '' },
        defaultStatus: 200,
        recordAudit: async () => {},
      } as unknown as Parameters<typeof runWrite>[0],
      async (tx) => {
        attempts += 1;
        for (const id of order) {
          await sql`select from projects where id = ${id} for update`.execute(tx);
          met += 1;
          if (met === 2) open();
          await both;
        }
        return { reply: { body: { order } }, audit: { type: 'project' } };
      },
    );
  const replies = await Promise.all([write(ids), write(ids.toReversed())]);
  expect(replies.map(({ body }) => body)).toEqual([{ order: ids }, { order: ids.toReversed() }]);
  expect(attempts).toBe(3);
});
