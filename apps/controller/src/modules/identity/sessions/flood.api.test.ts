import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { boundAttempts } from './attempt-store.ts';

const ADDRESSES = 1000;
/** For a busy machine. */
const WAIT_MS = 240_000;
/** Free attempts of an account over all addresses, and of an address over all accounts. */
const FREE_OF_AN_ACCOUNT = 50;
/** Maximum for an unknown address. */
const LONGEST_WAIT_S = 30;

let t: TestController;
beforeAll(async () => {
  t = await createTestController({ SVC_TRUSTED_PROXIES: '1' });
});
afterAll(() => t.close());

async function tryIn(username: string, password: string, address: string, headers: Record<string, string> = {}) {
  const answer = await t.app.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { username, password },
    headers: { 'x-forwarded-for': address, ...headers },
  });
  return { status: answer.statusCode, code: answer.json().code };
}

const countRows = async () => {
  const { rows } = await t.database.db
    .selectFrom('sign_in_attempts')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return rows;
};

/** In seconds, measured from the attempt that started the wait, without the caller's clock. */
async function readLongestWait(): Promise<number> {
  const longest = sql<number>`extract(epoch from max(blocked_until - last_at))::float8`.as('seconds');
  const { seconds } = await t.database.db.selectFrom('sign_in_attempts').select(longest).executeTakeFirstOrThrow();
  return seconds;
}

describe('1,000 wrong passwords from 1,000 addresses', () => {
  it(
    'are rarely checked, block their target for half a minute at most, and never in its known network',
    async () => {
      const target = await t.createMember('viewer');
      const home = '192.0.2.200';
      expect((await tryIn(target.username, target.password, home)).status).toBe(200);
      const before = await countRows();

      const addresses = Array.from({ length: ADDRESSES }, (_, i) => `10.1.${i >> 8}.${i & 255}`);
      const answers: Awaited<ReturnType<typeof tryIn>>[] = [];
      for (let at = 0; at < ADDRESSES; at += 20) {
        const wave = addresses.slice(at, at + 20).map((address) => tryIn(target.username, 'guess', address));
        answers.push(...(await Promise.all(wave)));
      }
      const looked = answers.filter(({ code }) => code === 'auth.wrong_credentials').length;
      const held = answers.filter(({ code }) => code === 'auth.throttled');
      expect(looked + held.length).toBe(ADDRESSES);
      expect(looked).toBeGreaterThanOrEqual(FREE_OF_AN_ACCOUNT);
      expect(held.length).toBeGreaterThan(ADDRESSES / 2);
      expect(await readLongestWait()).toBeLessThanOrEqual(LONGEST_WAIT_S);
      // One row per address and account, one per address, and one for the account; independent of the number of
      // guesses.
      expect((await countRows()) - before).toBeLessThanOrEqual(2 * ADDRESSES + 1);

      expect((await tryIn(target.username, target.password, home)).status).toBe(200);
      const neighbour = await t.createMember('viewer');
      expect((await tryIn(neighbour.username, neighbour.password, '192.0.2.201')).status).toBe(200);
      const { status } = await t.owner.call('POST', `/api/v3/setting/users/${target.userId}/unlock`);
      expect(status).toBe(204);
      expect((await tryIn(target.username, target.password, '192.0.2.202')).status).toBe(200);
    },
    WAIT_MS,
  );

  it('are attributed to one address if only a header says that they come from many', async () => {
    const target = await t.createMember('viewer');
    const codes: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      // One proxy is trusted: its address comes last, after whatever the caller made up.
      const answer = await tryIn(target.username, 'guess', `203.0.113.${i}, 198.51.100.9`, {
        'x-real-ip': `10.0.0.${i}`,
      });
      codes.push(answer.code);
    }
    expect(codes).toContain('auth.throttled');
    const addresses = await t.database.db
      .selectFrom('audit_log')
      .select('client_ip')
      .distinct()
      .where('action', '=', 'session.login')
      .where('client_ip', 'in', ['198.51.100.9', '203.0.113.1'])
      .execute();
    expect(addresses.map(({ client_ip: ip }) => ip)).not.toContain('203.0.113.1');
  });

  it('leave a limited number of rows, however many names and addresses there are', async () => {
    await sql`insert into sign_in_attempts (key, failures, last_at, blocked_until)
      select 'flood ' || i, 1, now() - i * interval '1 millisecond', 'epoch' from generate_series(1, 200500) as i`.execute(
      t.database.owner,
    );
    await boundAttempts(t.database.db);
    expect(await countRows()).toBeLessThanOrEqual(200_000);
    const newest = await t.database.db
      .selectFrom('sign_in_attempts')
      .select('key')
      .where('key', '=', 'flood 1')
      .execute();
    expect(newest).toHaveLength(1);
  });
});
