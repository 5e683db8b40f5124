import { Buffer } from 'node:buffer';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answerContext, bodyDigestContext } from '../../../platform/http/encryption-contexts.ts';
import { ControllerProcess, OWNER_PASSWORD } from '../../../platform/presence/testing/process.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { openAnew, openEverything } from './testing/secrets.ts';

const MASTER = '2a'.repeat(32);
const ROWS = 4000;
/** A job whose worker was killed is claimed again when its lease ends. */
const TAKEN_UP = { timeout: 90_000, interval: 100 };

let database: TestDatabase;
const processes: ControllerProcess[] = [];
beforeEach(async () => {
  database = await createControllerDatabase();
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.close()));
  await database.close();
});

async function start(): Promise<ControllerProcess> {
  const started = await ControllerProcess.start(database);
  processes.push(started);
  return started;
}

async function countByKey(): Promise<Map<number, number>> {
  const { rows } = await sql<{ key: number; count: number }>`
    select sealing_key(answer) as key, count(*)::int as count from idempotency_keys where actor = 'test' group by 1`.execute(
    database.db,
  );
  return new Map(rows.map(({ key, count }) => [key, count]));
}

it('encrypting again after a kill continues where it was, and nothing is lost', async () => {
  const first = await start();
  const keyring = await openAnew(database.db, { masterKey: MASTER });
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    actor: 'test',
    key: `k${i}`,
    route: 'r',
    body_digest: keyring.encrypt(Buffer.from(`digest ${i}`), bodyDigestContext('test', `k${i}`)),
    answer: keyring.encrypt(Buffer.from(`answer ${i}`), answerContext('test', `k${i}`)),
    created_at: new Date(),
  }));
  for (let i = 0; i < ROWS; i += 500)
    await database.db
      .insertInto('idempotency_keys')
      .values(rows.slice(i, i + 500))
      .execute();

  const body = { username: 'admin', password: OWNER_PASSWORD };
  const { body: session } = await first.call('POST', '/auth/login', { body });
  const token = session.access_token;
  const begun = await first.call('POST', '/api/v3/setting/keys/rotate', { token, body: { which: 'data' } });
  expect(begun).toMatchObject({ status: 202, body: { data_key: 2 } });
  await vi.waitFor(async () => expect((await countByKey()).get(2)).toBeGreaterThan(0), { ...TAKEN_UP, interval: 5 });
  first.signal('SIGKILL');
  await first.exit;
  const middle = await countByKey();
  expect([middle.get(1), middle.get(2)]).toEqual([expect.any(Number), expect.any(Number)]);
  expect((middle.get(1) ?? 0) + (middle.get(2) ?? 0)).toBe(ROWS);
  // Both keys together decrypt everything in between.
  await openEverything(database.db, await openAnew(database.db, { masterKey: MASTER }));

  const second = await start();
  await vi.waitFor(async () => {
    const job = await second.call('GET', `/api/v3/jobs/${begun.body.job.id}`, { token });
    expect(job.body.status).toBe('done');
  }, TAKEN_UP);
  expect(await countByKey()).toEqual(new Map([[2, ROWS]]));
  expect(await database.db.selectFrom('data_keys').select('id').execute()).toEqual([{ id: 2 }]);
  const after = await openAnew(database.db, { masterKey: MASTER });
  expect([...(await openEverything(database.db, after)).keys()]).toEqual([2]);
  const { answer } = await database.db
    .selectFrom('idempotency_keys')
    .select('answer')
    .where('key', '=', 'k3999')
    .executeTakeFirstOrThrow();
  expect(after.decrypt(answer, answerContext('test', 'k3999')).toString()).toBe('answer 3999');
});
