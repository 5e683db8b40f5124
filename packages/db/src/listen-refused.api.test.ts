import { createSilentLogger } from '@flotilla/kit';
import { createTestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from './database.ts';

it('a listener whose LISTEN is refused leaves no connection behind', async () => {
  const of = await createTestDatabase({});
  onTestFinished(() => of.close());
  const database = openDatabase({ ...of.settings, application_name: 'refused' }, createSilentLogger());
  onTestFinished(() => database.close());
  const count = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity where datname = current_database() and application_name = 'refused'
    `.execute(of.owner);
    return rows[0]?.count ?? 0;
  };

  // A channel name must not be empty.
  const handlers = { onNotify: () => undefined, onGap: () => undefined };
  for (let time = 0; time < 5; time += 1)
    await expect(database.listen('', handlers)).rejects.toMatchObject({ code: '42601' });

  // The server needs a moment to notice that they are gone.
  await vi.waitFor(async () => expect(await count()).toBe(0));
  // Proves that the count includes listening connections.
  await database.listen('nothing', handlers);
  expect(await count()).toBe(1);
});
