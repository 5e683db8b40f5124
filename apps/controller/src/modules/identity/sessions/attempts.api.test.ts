import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { SignInAttempts } from './attempt-store.ts';
import { openSession } from './session-store.ts';
import { DEFAULT_RULES } from './sign-in-policy.ts';
import { holdAccounts } from './testing/attempts.ts';

let database: TestDatabase;
let attempts: SignInAttempts;
const START = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(START + seconds * 1000);
beforeAll(async () => {
  database = await createControllerDatabase();
  attempts = new SignInAttempts(database.db, { rules: DEFAULT_RULES });
});
afterAll(() => database.close());

/** An account that signed in once at the start. */
async function makeSession({ id, username, ip }: { id: string; username: string; ip: string }): Promise<void> {
  const then = { password_changed_at: at(0), created_at: at(0), updated_at: at(0) };
  await database.db
    .insertInto('users')
    .values({ id, username, email: null, password_hash: null, ...then })
    .execute();
  await database.db.transaction().execute((tx) =>
    openSession(tx, {
      userId: id,
      kind: 'bearer',
      refreshDigest: Buffer.from(id),
      by: { primary: 'password', factors: ['otp'] },
      from: { ip, userAgent: undefined, now: at(0) },
      days: 30,
    }),
  );
}

describe('sign-in attempts', () => {
  it('are free five times, then the wait doubles each time, up to a quarter of an hour', async () => {
    for (let i = 0; i < 5; i += 1) await attempts.begin('anna', '192.0.2.1', at(0));
    let now = 0;
    const waits: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      const refused = await attempts.begin('ANNA', '192.0.2.1', at(now)).catch((error: unknown) => error);
      const { code, extra } = refused as { code: string; extra: { retry_after: number } };
      expect(code).toBe('auth.throttled');
      waits.push(extra.retry_after);
      now += extra.retry_after;
      await attempts.begin('anna', '192.0.2.1', at(now));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  it('gain nothing from concurrency', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, () => attempts.begin('berta', '192.0.2.1', at(0))),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });

  it('count for one name in all its spellings, because a directory treats them as one', async () => {
    const spellings = ['Frida', ' frida', 'fri\u00ADda', 'ｆｒｉｄａ', 'fridá'];
    for (const name of spellings) await attempts.begin(name, '192.0.2.1', at(0));
    for (const name of [...spellings, 'frida\u200B'])
      await expect(attempts.begin(name, '192.0.2.1', at(0)), name).rejects.toMatchObject({ code: 'auth.throttled' });
    await attempts.begin('frieda', '192.0.2.1', at(0));
  });

  it('are forgotten after success and after an hour', async () => {
    for (let i = 0; i < 4; i += 1) await attempts.begin('carla', '192.0.2.1', at(0));
    await attempts.succeed(await attempts.begin('carla', '192.0.2.1', at(0)));
    for (let i = 0; i < 5; i += 1) await attempts.begin('carla', '192.0.2.1', at(1));
    await expect(attempts.begin('carla', '192.0.2.1', at(1))).rejects.toThrow();
    for (let i = 0; i < 5; i += 1) await attempts.begin('carla', '192.0.2.1', at(3700));
  });

  it('from many addresses slow the account down by half a minute at most', async () => {
    for (let i = 0; i < 50; i += 1) await attempts.begin('doris', `192.0.2.${i}`, at(0));
    await expect(attempts.begin('doris', '198.51.100.1', at(0))).rejects.toMatchObject({ extra: { retry_after: 1 } });
    for (let i = 0; i < 8; i += 1) await attempts.begin('doris', `198.51.100.${i + 2}`, at(30 * (i + 1)));
    await expect(attempts.begin('doris', '203.0.113.1', at(241))).rejects.toMatchObject({ extra: { retry_after: 29 } });
    await attempts.begin('erika', '203.0.113.1', at(241));
  });
});

describe('attempts with a code', () => {
  it('are never counted for a typed name: a stranger cannot block the second factor', async () => {
    const id = createId();
    for (const name of [` codes ${id}`, ` factor ${id}`, `codes${id}`, `\u3000codes\u00A0${id}`])
      for (let i = 0; i < 60; i += 1) await attempts.begin(name, `10.9.${i}.1`, at(i)).catch(() => undefined);
    for (let i = 0; i < 5; i += 1) await attempts.beginCode(id, '10.9.0.1', at(60));
  });

  it('from many addresses wait up to a quarter of an hour, but not where the account has signed in from', async () => {
    const [id, home] = [createId(), '192.0.2.77'];
    await makeSession({ id, username: 'grete', ip: home });
    for (let i = 0; i < 50; i += 1) await attempts.beginCode(id, `10.8.0.${i}`, at(0));
    let now = 0;
    const waits: number[] = [];
    for (let i = 0; i < 11; i += 1) {
      const refused = await attempts.beginCode(id, `10.8.1.${i}`, at(now)).catch((error: unknown) => error);
      const { code, extra } = refused as { code: string; extra: { retry_after: number } };
      expect(code).toBe('auth.throttled');
      waits.push(extra.retry_after);
      now += extra.retry_after;
      await attempts.beginCode(id, `10.8.2.${i}`, at(now));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
    await attempts.succeed(await attempts.beginCode(id, home, at(now)));
  });

  it.each([
    ['heike', '2001:db8:7:7::1', '2001:db8:7:7:abcd::2', '2001:db8:7:8::1'],
    ['inge', '192.0.2.91:40001', '192.0.2.91:52002', '192.0.2.92:40001'],
    ['jutta', '[2001:db8:7:9::1]:443', '2001:db8:7:9::f', '[2001:db8:7:a::1]:443'],
  ])(
    'and passwords do not wait in the network %s of an earlier sign-in, but wait in the next one',
    async (name, from, same, next) => {
      const id = createId();
      await makeSession({ id, username: name, ip: from });
      for (let i = 0; i < 50; i += 1) {
        await attempts.begin(name, `10.7.0.${i}`, at(0));
        await attempts.beginCode(id, `10.7.0.${i}`, at(0));
      }
      for (const begin of [
        (ip: string) => attempts.begin(name, ip, at(0)),
        (ip: string) => attempts.beginCode(id, ip, at(0)),
      ]) {
        await attempts.succeed(await begin(same));
        await expect(begin(next)).rejects.toMatchObject({ code: 'auth.throttled' });
      }
    },
  );
});

it('an address that tries many accounts must wait, whatever it tries, and others need not', async () => {
  const from = '198.51.100.200';
  for (let i = 0; i < 100; i += 1) await attempts.begin(`name-${i}`, from, at(0));
  for (const name of ['name-0', 'never-tried'])
    await expect(attempts.begin(name, from, at(0))).rejects.toMatchObject({ code: 'auth.throttled' });
  await attempts.begin('never-tried', '198.51.100.201', at(0));
  // A minute later it may try again, once.
  await attempts.begin('name-101', from, at(61));
  await expect(attempts.begin('name-102', from, at(61))).rejects.toMatchObject({ code: 'auth.throttled' });
});

describe('sign-in under attack', () => {
  let t: TestController;
  beforeAll(async () => {
    t = await createTestController();
  });
  afterAll(() => t.close());

  it('answers alike for existing and unknown accounts and for right and wrong passwords', async () => {
    const member = await t.createMember('viewer');
    const { username } = await t.database.db
      .selectFrom('users')
      .select('username')
      .where('id', '=', member.userId)
      .executeTakeFirstOrThrow();
    const tryIn = async (name: string, password: string) => {
      const remoteAddress = '198.51.100.7';
      const answer = await t.app.inject({
        method: 'POST',
        url: '/auth/login',
        remoteAddress,
        payload: { username: name, password },
      });
      expect(answer.headers['retry-after'] !== undefined).toBe(answer.statusCode === 429);
      return `${answer.statusCode} ${answer.json().code}`;
    };
    const known: string[] = [];
    const unknown: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      if (i === 5) await holdAccounts(t);
      known.push(await tryIn(username, 'wrong'));
      unknown.push(await tryIn('no-such-user', 'wrong'));
    }
    expect(known).toEqual(unknown);
    expect(known.at(-1)).toBe('429 auth.throttled');
    expect(await tryIn(username, 'Correct-Horse-7-Battery')).toBe('429 auth.throttled');
    const elsewhere = await t.app.inject({
      method: 'POST',
      url: '/auth/login',
      payload: { username, password: 'Correct-Horse-7-Battery' },
    });
    expect(elsewhere.statusCode).toBe(200);
  });
});
