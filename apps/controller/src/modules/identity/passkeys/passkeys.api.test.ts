import { TestAuthenticator } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { askForChallenge, codeOf, logIn, post, turnFactorOn, wrongCode } from '../second-factor/testing/factor.ts';
import { holdAccounts } from '../sessions/testing/attempts.ts';

const origin = 'https://flotilla.example.com';
const RP_ID = 'flotilla.example.com';
const PROFILE = '/api/v3/profile/passkeys';

let t: TestController;
beforeAll(async () => {
  t = await createTestController({ SVC_PUBLIC_URL: origin });
});
afterAll(() => t.close());

async function beginPasskey(caller: TestCaller) {
  const { body } = await caller.call('POST', `${PROFILE}/begin`, { password: caller.password });
  return { challenge: body.challenge as string, userHandle: body.user.id as string };
}

/** Adds a passkey of the caller on a new device. */
async function addPasskey(caller: TestCaller): Promise<TestAuthenticator> {
  const device = new TestAuthenticator(RP_ID);
  const passkey = device.register({ ...(await beginPasskey(caller)), origin });
  const added = await caller.call('POST', PROFILE, { name: 'laptop', passkey });
  if (added.status !== 201) throw new Error(`no passkey: ${JSON.stringify(added.body)}`);
  return device;
}

const ask = async (): Promise<string> => {
  const response = await t.app.inject({ method: 'POST', url: '/auth/passkey/begin' });
  return response.json().challenge;
};

/** Number of statements that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(t.database.owner);
  return rows[0]?.waiting ?? 0;
}

describe('a passkey', () => {
  it('signs in alone into both kinds of sessions, and shows its last use', async () => {
    const caller = await t.createMember('viewer');
    const device = await addPasskey(caller);
    const answer = await post(t, '/auth/passkey/finish', {
      passkey: device.answer({ challenge: await ask(), origin }),
    });
    expect([answer.status, answer.body.user.id]).toEqual([200, caller.userId]);
    const inBrowser = await post(t, '/auth/browser/passkey/finish', {
      passkey: device.answer({ challenge: await ask(), origin }),
    });
    expect([inBrowser.status, inBrowser.body.user.id]).toEqual([200, caller.userId]);
    expect(String(inBrowser.headers['set-cookie'])).toContain('flotilla_session=');
    const { items } = (await caller.call('GET', PROFILE)).body;
    expect(items).toEqual([expect.objectContaining({ name: 'laptop', last_used_at: expect.any(String) })]);
  });

  it('requires no change of a password that an administrator chose and its owner may never have had', async () => {
    const caller = await t.createMember('viewer');
    const device = await addPasskey(caller);
    const given = 'gIven-By-Somebody-9';
    const reset = await t.owner.call('PATCH', `/api/v3/setting/users/${caller.userId}`, { password: given });
    expect(reset.status).toBe(200);
    const answered = async () => ({ passkey: device.answer({ challenge: await ask(), origin }) });

    const { body } = await post(t, '/auth/passkey/finish', await answered());
    expect(body.user.must_change_password).toBe(false);
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await t.app.inject({ url: PROFILE, headers })).statusCode).toBe(200);
    expect((await t.app.inject({ url: '/api/v3/profile', headers })).json().must_change_password).toBe(false);

    const browser = await post(t, '/auth/browser/passkey/finish', await answered());
    expect(browser.body.user.must_change_password).toBe(false);
    const cookie = String(browser.headers['set-cookie']).split(';', 1)[0] ?? '';
    const session = await t.app.inject({ url: '/auth/browser/session', headers: { cookie } });
    expect(session.json().user.must_change_password).toBe(false);

    // Signing in with the password still requires the change, even with the passkey as second factor.
    const asked = await logIn(t, { ...caller, password: given });
    const both = await post(t, '/auth/factor', { challenge: asked.body.challenge, ...(await answered()) });
    expect(both.body.user.must_change_password).toBe(true);
    const withBoth = { authorization: `Bearer ${both.body.access_token}` };
    expect((await t.app.inject({ url: PROFILE, headers: withBoth })).json().code).toBe('password.change_required');
  });

  it('is a second factor: the password alone no longer signs in', async () => {
    const caller = await t.createMember('viewer');
    const device = await addPasskey(caller);
    const asked = await logIn(t, caller);
    expect(asked.body).toMatchObject({ code: 'auth.factor_required', factors: ['passkey'], enrol: false });
    const { challenge } = asked.body;
    const enrol = await post(t, '/auth/factor/enrol', { challenge });
    expect([enrol.status, enrol.body.code]).toEqual([409, 'factor.exists']);
    const code = await post(t, '/auth/factor', { challenge, otp_code: '123456' });
    expect([code.status, code.body.code]).toEqual([401, 'auth.factor_wrong']);
    const passkey = device.answer({ challenge: await ask(), origin });
    expect((await post(t, '/auth/factor', { challenge, passkey })).status).toBe(200);
  });

  it("works as a second factor while the account's codes are throttled, throttles none of them, and has five attempts per challenge", async () => {
    const caller = await t.createMember('viewer');
    const { secret } = await turnFactorOn(caller);
    const device = await addPasskey(caller);
    const refused = await askForChallenge(t, caller);
    const origins = Array.from({ length: 6 }, (_, i) => (i < 5 ? 'https://evil.example.com' : origin));
    const codes: string[] = [];
    for (const from of origins) {
      const passkey = device.answer({ challenge: await ask(), origin: from });
      codes.push((await post(t, '/auth/factor', { challenge: refused, passkey })).body.code);
    }
    expect(codes).toEqual([...Array.from({ length: 5 }, () => 'auth.passkey_wrong'), 'auth.challenge_over']);
    const counted = await askForChallenge(t, caller);
    for (let i = 0; i < 5; i += 1) {
      const answer = await post(t, '/auth/factor', { challenge: counted, otp_code: wrongCode(secret) });
      expect(answer.body.code).toBe('auth.factor_wrong');
    }
    await holdAccounts(t);
    const challenge = await askForChallenge(t, caller);
    const held = await post(t, '/auth/factor', { challenge, otp_code: codeOf(secret, 1) });
    expect([held.status, held.body.code]).toEqual([429, 'auth.throttled']);
    const passkey = device.answer({ challenge: await ask(), origin });
    expect((await post(t, '/auth/factor', { challenge, passkey })).status).toBe(200);
  });

  it('of another account is not a second factor, and neither is its answer to another challenge', async () => {
    const [caller, thief] = [await t.createMember('viewer'), await t.createMember('viewer')];
    await turnFactorOn(caller);
    const device = await addPasskey(thief);
    const challenge = await askForChallenge(t, caller);
    const passkey = device.answer({ challenge: await ask(), origin });
    const answer = await post(t, '/auth/factor', { challenge, passkey });
    expect([answer.status, answer.body.code]).toEqual([401, 'auth.passkey_wrong']);
  });

  it('satisfies a project that requires a second factor', async () => {
    const project = await t.createProject('strict');
    const caller = await t.createMember('viewer', project);
    const device = await addPasskey(caller);
    await t.owner.call('PUT', `/api/v3/setting/otp-config?project=${project}`, { otp_enforced: true });
    const passkey = device.answer({ challenge: await ask(), origin });
    const signedIn = await post(t, '/auth/passkey/finish', { passkey });
    expect(signedIn.status).toBe(200);
    for (const token of [signedIn.body.access_token, caller.token]) {
      const headers = { authorization: `Bearer ${token}` };
      const read = await t.app.inject({ url: `/api/v3/xds/clusters?project=${project}`, headers });
      expect(read.statusCode, read.body).toBe(200);
    }
    expect((await t.owner.call('GET', `/api/v3/xds/clusters?project=${project}`)).body.code).toBe(
      'project.factor_required',
    );
  });

  it('of a disabled account signs nobody in', async () => {
    const caller = await t.createMember('viewer');
    const device = await addPasskey(caller);
    await t.owner.call('PATCH', `/api/v3/setting/users/${caller.userId}`, { active: false });
    const passkey = device.answer({ challenge: await ask(), origin });
    expect((await post(t, '/auth/passkey/finish', { passkey })).status).toBe(401);
  });
});

describe('the answer of a passkey', () => {
  it('is refused from another page, to an unknown question, or from a device that was not unlocked', async () => {
    const caller = await t.createMember('viewer');
    const device = await addPasskey(caller);
    const wrong = [
      device.answer({ challenge: await ask(), origin: 'https://evil.example.com' }),
      device.answer({ challenge: Buffer.from('never asked').toString('base64url'), origin }),
      device.answer({ challenge: await ask(), origin, isUnlocked: false }),
      { ...device.answer({ challenge: await ask(), origin }), id: 'AAAA', rawId: 'AAAA' },
      new TestAuthenticator(RP_ID).answer({ challenge: await ask(), origin }),
    ];
    for (const passkey of wrong) {
      const answer = await post(t, '/auth/passkey/finish', { passkey });
      expect([answer.status, answer.body.code]).toEqual([401, 'auth.passkey_wrong']);
    }
  });

  it('is accepted once, and one from a copy of the passkey is refused and recorded', async () => {
    const caller = await t.createMember('viewer');
    const device = await addPasskey(caller);
    const passkey = device.answer({ challenge: await ask(), origin, signCount: 40 });
    const both = await Promise.all([
      post(t, '/auth/passkey/finish', { passkey }),
      post(t, '/auth/passkey/finish', { passkey }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);

    const copy = device.answer({ challenge: await ask(), origin, signCount: 39 });
    const refused = await post(t, '/auth/passkey/finish', { passkey: copy });
    expect([refused.status, refused.body.code]).toEqual([401, 'auth.passkey_copied']);
    const record = () =>
      t.database.db
        .selectFrom('audit_log')
        .select(['resource_id', 'outcome'])
        .where('error_code', '=', 'auth.passkey_copied')
        .executeTakeFirst();
    await expect.poll(record).toEqual({ resource_id: caller.userId, outcome: 'denied' });
  });
});

describe("the caller's own passkeys", () => {
  it('are added with the password, from an answer to a question to this user', async () => {
    const [caller, other] = [await t.createMember('viewer'), await t.createMember('viewer')];
    const wrong = await caller.call('POST', `${PROFILE}/begin`, { password: 'Not-My-Password-1' });
    expect(wrong.body.code).toBe('password.wrong');
    const device = new TestAuthenticator(RP_ID);
    const question = await beginPasskey(other);
    for (const passkey of [
      device.register({ ...question, origin }),
      device.register({ ...(await beginPasskey(caller)), origin: 'https://evil.example.com' }),
      device.register({ ...(await beginPasskey(caller)), origin, isUnlocked: false }),
      device.register({ challenge: await ask(), userHandle: question.userHandle, origin }),
    ]) {
      const answer = await caller.call('POST', PROFILE, { name: 'stolen', passkey });
      expect([answer.status, answer.body.code]).toEqual([403, 'passkey.wrong']);
    }
    expect((await logIn(t, caller)).status).toBe(200);
  });

  it('are deleted by their owner only, with the password; those of others are not found', async () => {
    const [caller, other] = [await t.createMember('viewer'), await t.createMember('viewer')];
    await addPasskey(caller);
    const [passkey] = (await caller.call('GET', PROFILE)).body.items;
    expect((await other.call('GET', PROFILE)).body.items).toEqual([]);
    const path = `${PROFILE}/${passkey.id}`;
    expect((await other.call('DELETE', path, { password: other.password })).status).toBe(404);
    expect((await caller.call('DELETE', path, { password: 'Not-My-Password-1' })).status).toBe(403);
    expect((await caller.call('DELETE', path, { password: caller.password })).status).toBe(204);
    expect((await logIn(t, caller)).status).toBe(200);
  });

  it('can be renamed by their owner only', async () => {
    const [caller, other] = [await t.createMember('viewer'), await t.createMember('viewer')];
    await addPasskey(caller);
    const [passkey] = (await caller.call('GET', PROFILE)).body.items;
    const path = `${PROFILE}/${passkey.id}`;
    expect((await other.call('PATCH', path, { name: 'theirs' })).status).toBe(404);
    expect((await caller.call('PATCH', path, { name: '  ' })).status).toBe(400);
    expect((await caller.call('PATCH', path, { name: ' blue key ' })).body).toEqual({ ...passkey, name: 'blue key' });
    expect((await caller.call('GET', PROFILE)).body.items).toMatchObject([{ name: 'blue key' }]);
  });

  it('cannot be deleted completely if a second factor is required', async () => {
    const project = await t.createProject('strict-to-the-last');
    const caller = await t.createMember('viewer', project);
    await addPasskey(caller);
    await addPasskey(caller);
    const enforced = { otp_enforced: true };
    expect((await t.owner.call('PUT', `/api/v3/setting/otp-config?project=${project}`, enforced)).status).toBe(200);
    const [first, second] = (await caller.call('GET', PROFILE)).body.items;
    const remove = (id: string) => caller.call('DELETE', `${PROFILE}/${id}`, { password: caller.password });
    expect((await remove(first.id)).status).toBe(204);
    expect((await remove(second.id)).body.code).toBe('factor.enforced');
    expect((await caller.call('GET', PROFILE)).body.items).toHaveLength(1);
  });

  it('cannot be deleted completely by two concurrent requests either', async () => {
    const project = await t.createProject('strict-at-once');
    const caller = await t.createMember('viewer', project);
    for (let i = 0; i < 2; i += 1) await addPasskey(caller);
    const enforced = { otp_enforced: true };
    expect((await t.owner.call('PUT', `/api/v3/setting/otp-config?project=${project}`, enforced)).status).toBe(200);
    const { items } = (await caller.call('GET', PROFILE)).body;
    const remove = ({ id }: { id: string }) => caller.call('DELETE', `${PROFILE}/${id}`, { password: caller.password });
    let begun: ReturnType<typeof remove>[] = [];
    await t.database.owner.transaction().execute(async (tx) => {
      await tx.selectFrom('passkeys').select('id').where('user_id', '=', caller.userId).forUpdate().execute();
      begun = items.map(remove);
      await expect.poll(countWaiting).toBe(2);
    });
    const codes = (await Promise.all(begun)).map(({ status, body }) => body?.code ?? status);
    expect(new Set(codes)).toEqual(new Set([204, 'factor.enforced']));
    expect((await caller.call('GET', PROFILE)).body.items).toHaveLength(1);
  });

  it('are deleted by a reset of an owner of the installation', async () => {
    const caller = await t.createMember('viewer');
    const device = await addPasskey(caller);
    const { secret } = await turnFactorOn(caller);
    expect((await logIn(t, caller, { otp_code: codeOf(secret, 1) })).status).toBe(200);
    await t.owner.call('POST', `/api/v3/setting/otp/reset-user/${caller.userId}`);
    const passkey = device.answer({ challenge: await ask(), origin });
    expect((await post(t, '/auth/passkey/finish', { passkey })).body.code).toBe('auth.passkey_wrong');
    expect((await logIn(t, caller)).status).toBe(200);
  });
});

describe('a new address of the installation', () => {
  const GENERAL = '/api/v3/setting/documents/general';
  const setAddress = (address: string | null, query = '') =>
    t.owner.call('PATCH', `${GENERAL}${query}`, { public_url: address });

  it('is only accepted from a caller who confirms how many people it locks out', async () => {
    const bound = await t.createMember('viewer');
    await addPasskey(bound);
    const asked = await setAddress('https://elsewhere.example.com');
    expect(asked).toMatchObject({ status: 409, body: { code: 'setting.locks_out', host: RP_ID } });
    const { people } = asked.body;
    expect(people).toBeGreaterThan(0);
    expect((await t.owner.call('GET', GENERAL)).body.value.public_url).toBeNull();

    // A person with codes is not locked out.
    const withCodes = await t.createMember('viewer');
    await addPasskey(withCodes);
    await turnFactorOn(withCodes);
    expect((await setAddress('https://elsewhere.example.com')).body.people).toBe(people);
    // The confirmed number belongs to another question.
    const wrong = await setAddress('https://elsewhere.example.com', `?confirm=${people - 1}`);
    expect(wrong).toMatchObject({ status: 409, body: { people } });

    const done = await setAddress('https://elsewhere.example.com', `?confirm=${people}`);
    expect(done.status).toBe(200);
    const entry = await t.database.db
      .selectFrom('audit_log')
      .select('changes')
      .where('action', '=', 'setting.update')
      .where('resource_name', '=', 'general')
      .orderBy('at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(entry.changes).toMatchObject({ confirmed: { locked_out: people, passkeys_of: RP_ID } });
    // Resetting to the environment's value is a change too.
    const back = await t.owner.call('DELETE', GENERAL);
    expect(back).toMatchObject({ status: 409, body: { people, host: 'elsewhere.example.com' } });
    expect((await t.owner.call('DELETE', `${GENERAL}?confirm=${people}`)).status).toBe(204);
  });

  it('needs no confirmation with the same host, and neither do other settings', async () => {
    expect((await setAddress(`${origin}:8443`)).status).toBe(200);
    expect((await t.owner.call('PATCH', GENERAL, { name: 'Fleet of tests' })).status).toBe(200);
    expect((await t.owner.call('DELETE', GENERAL)).status).toBe(204);
  });

  it('is only explained to owners: nobody else learns how many people it affects', async () => {
    const admin = await t.createMember('admin');
    const url = `${GENERAL}?project=${t.project}`;
    const answer = await admin.call('PATCH', url, { public_url: 'https://elsewhere.example.com' });
    expect(answer.status).toBe(403);
    expect(answer.body).not.toHaveProperty('people');
  });
});
