import { createId, createSilentLogger, sleep } from '@flotilla/kit';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';
import { Runner } from './runner.ts';
import { createJobs } from './testing/bench.ts';

const POLL_MS = 20;

it('no second sweep for lost jobs starts while the first is not answered', async () => {
  const database = await createControllerDatabase();
  onTestFinished(() => database.close());
  const runner = new Runner({
    database,
    logger: createSilentLogger(),
    types: createJobs().types,
    workerId: createId(),
    authorize: async () => ({}),
    timing: { pollMs: POLL_MS },
  });
  await runner.start();
  onTestFinished(() => runner.close());

  await database.owner.transaction().execute(async (tx) => {
    await sql`lock table jobs in access exclusive mode`.execute(tx);
    const countLooks = async () => {
      const { rows } = await sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query like '%leased_until < clock_timestamp()%' and pid <> pg_backend_pid()`.execute(database.owner);
      return rows.length;
    };
    await expect.poll(countLooks).toBeGreaterThan(0);
    await sleep(10 * POLL_MS);
    expect(await countLooks()).toBe(1);
  });
});
