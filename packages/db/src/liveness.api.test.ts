import { Socket } from 'node:net';
import { createSilentLogger } from '@flotilla/kit';
import { createTestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from './database.ts';

it('connections are probed for a lost peer, including those that only listen', async () => {
  const of = await createTestDatabase({});
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

it('when the server ends a connection, the log contains the reason and nothing of the connection', async () => {
  const of = await createTestDatabase({});
  onTestFinished(() => of.close());
  const logger = createSilentLogger();
  const warned = vi.spyOn(logger, 'warn');
  const database = openDatabase(of.settings, logger, { maxConnections: 1 });
  onTestFinished(() => database.close());
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db);
  await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(of.db);
  await vi.waitFor(() =>
    expect(warned).toHaveBeenCalledWith({ reason: expect.any(String) }, 'database.connection_lost'),
  );
});
