import { Socket } from 'node:net';
import { createSilentLogger } from '@flotilla/kit';
import { createTestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from './database.ts';

it('connections are asked whether their other end is there, those that only listen too', async () => {
  const of = await createTestDatabase();
  onTestFinished(() => of.close());
  const asked = vi.spyOn(Socket.prototype, 'setKeepAlive');
  onTestFinished(() => asked.mockRestore());
  const count = () => asked.mock.calls.filter(([isOn, afterMs]) => isOn === true && afterMs === 10_000).length;

  const database = openDatabase(of.settings, createSilentLogger());
  try {
    await sql`select 1`.execute(database.db);
    const pooled = count();
    expect(pooled).toBeGreaterThan(0);
    const stop = await database.listen('nothing', { onNotify: () => undefined, onGap: () => undefined });
    expect(count()).toBe(pooled + 1);
    await stop();
  } finally {
    await database.close();
  }
});
