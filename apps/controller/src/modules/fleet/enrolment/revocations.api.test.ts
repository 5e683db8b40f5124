import { publish } from '@flotilla/db';
import { createId, createSilentLogger } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import { RevocationList } from './index.ts';
import { REVOKED_TOPIC } from './service.ts';

const WAIT = { interval: 20 };

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database.close());

it('a revocation that could not be read after its notification is read later, without another notification', async () => {
  const logger = createSilentLogger();
  const warned = vi.spyOn(logger, 'warn');
  const revocations = new RevocationList({ database, logger, now: () => new Date() });
  await revocations.start();
  const cut = vi.fn();
  revocations.onChange(cut);
  const issued = { issued_at: new Date(), expires_at: new Date(Date.now() + 3_600_000), key_digest: Buffer.alloc(32) };
  const revoked = { revoked_at: new Date(), revoke_reason: 'client removed' };
  const of = { serial: 'ab'.repeat(16), client_id: createId(), project_id: createId() };
  await database.db
    .insertInto('client_certificates')
    .values({ ...of, ...issued, ...revoked })
    .execute();
  await sql`alter table client_certificates rename to away`.execute(database.owner);
  await database.db.transaction().execute((tx) => publish(tx, REVOKED_TOPIC, { client_id: of.client_id }, new Date()));
  await vi.waitFor(() => expect(warned).toHaveBeenCalledWith(expect.anything(), 'revocations.unreadable'), WAIT);
  expect([revocations.has(of.serial), cut.mock.calls.length]).toEqual([false, 0]);
  await sql`alter table away rename to client_certificates`.execute(database.owner);
  await vi.waitFor(() => expect(revocations.has(of.serial)).toBe(true), WAIT);
  expect(cut).toHaveBeenCalled();
  await revocations.close();
});

it('while the database is unreachable it is queried less and less often', async () => {
  const logger = createSilentLogger();
  const warned = vi.spyOn(logger, 'warn');
  const revocations = new RevocationList({ database, logger, now: () => new Date() });
  await revocations.start();
  await sql`alter table client_certificates rename to away`.execute(database.owner);
  await database.db.transaction().execute((tx) => publish(tx, REVOKED_TOPIC, {}, new Date()));
  await vi.waitFor(() => expect(warned.mock.calls.length).toBeGreaterThanOrEqual(3), WAIT);
  await sql`alter table away rename to client_certificates`.execute(database.owner);
  const [first, second, third] = warned.mock.calls.map(([said]) => (said as unknown as { retry_ms: number }).retry_ms);
  // Half of each wait is random.
  expect([first, second, third]).toEqual([
    expect.toSatisfy(within(1000)),
    expect.toSatisfy(within(2000)),
    expect.toSatisfy(within(4000)),
  ]);
  await revocations.close();
});

it('a listener that throws does not stop others from being called, and causes no further read', async () => {
  const logger = createSilentLogger();
  const [warned, failed] = [vi.spyOn(logger, 'warn'), vi.spyOn(logger, 'error')];
  const revocations = new RevocationList({ database, logger, now: () => new Date() });
  await revocations.start();
  const heard = vi.fn();
  revocations.onChange(() => {
    throw new Error('no');
  });
  revocations.onChange(heard);
  await database.db.transaction().execute((tx) => publish(tx, REVOKED_TOPIC, {}, new Date()));
  await vi.waitFor(() => expect(heard).toHaveBeenCalled(), WAIT);
  expect(failed).toHaveBeenCalledWith(expect.anything(), 'revocations.listener_failed');
  expect(warned).not.toHaveBeenCalled();
  await revocations.close();
});

function within(fullMs: number): (waitMs: number) => boolean {
  return (waitMs) => waitMs >= fullMs / 2 && waitMs <= fullMs;
}
