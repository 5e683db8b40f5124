import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { askForChallenge, codeOf, logIn, post, turnFactorOn, wrongCode } from './testing/factor.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const status = async (caller: TestCaller) => (await caller.call('GET', '/api/v3/profile/otp/status')).body;

describe('setting up a second factor', () => {
  it('needs the password, and changes no sign-in before the first code is verified', async () => {
    const caller = await t.createMember('viewer');
    const wrong = await caller.call('POST', '/api/v3/profile/otp/enable', { password: 'Not-My-Password-1' });
    expect([wrong.status, wrong.body.code]).toEqual([403, 'password.wrong']);

    const { body } = await caller.call('POST', '/api/v3/profile/otp/enable', { password: caller.password });
    expect(body.otpauth_uri).toBe(`otpauth://totp/Flotilla:${caller.username}?secret=${body.secret}&issuer=Flotilla`);
    expect(new Set(body.backup_codes).size).toBe(10);
    expect(await status(caller)).toMatchObject({ otp_enabled: false, otp_verified: false, backup_codes_count: 0 });
    expect((await logIn(t, caller)).status).toBe(200);
    const early = await caller.call('POST', '/api/v3/profile/otp/regenerate-backup-codes', {
      otp_code: codeOf(body.secret),
    });
    expect([early.status, early.body.code]).toEqual([409, 'factor.missing']);
  });

  it('is completed by the first code, which ends the sessions opened without it', async () => {
    const caller = await t.createMember('viewer');
    const elsewhere = (await logIn(t, caller)).body.access_token;
    const { secret } = await turnFactorOn(caller);
    expect(await status(caller)).toEqual({
      otp_enabled: true,
      otp_verified: true,
      otp_enforced: false,
      backup_codes_count: 10,
      backup_codes_remain: true,
    });
    const headers = { authorization: `Bearer ${elsewhere}` };
    expect((await t.app.inject({ url: '/api/v3/profile', headers })).statusCode).toBe(401);
    const again = await caller.call('POST', '/api/v3/profile/otp/enable', { password: caller.password });
    expect([again.status, again.body.code]).toEqual([409, 'factor.exists']);
    const verified = await caller.call('POST', '/api/v3/profile/otp/verify', { code: codeOf(secret, 1) });
    expect([verified.status, verified.body.code]).toEqual([409, 'factor.exists']);
  });

  it('stores neither the secret nor a backup code readable in the database or the audit log', async () => {
    const caller = await t.createMember('viewer');
    const { secret, backupCodes } = await turnFactorOn(caller);
    await logIn(t, caller, { backup_code: backupCodes[0] });
    const rows = await Promise.all(
      (['otp_enrolments', 'backup_codes', 'audit_log', 'sign_in_challenges'] as const).map((table) =>
        t.database.db.selectFrom(table).selectAll().execute(),
      ),
    );
    const kept = JSON.stringify(rows, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
    expect(kept).toContain(caller.userId);
    for (const shown of [secret, ...backupCodes, ...backupCodes.map((code) => code.replace('-', ''))])
      expect(kept).not.toContain(shown);
  });
});

describe('codes of a second factor', () => {
  it('work once, and not if they are older than the last one used', async () => {
    const caller = await t.createMember('viewer');
    const { secret } = await turnFactorOn(caller);
    const next = codeOf(secret, 1);
    expect((await logIn(t, caller, { otp_code: next })).status).toBe(200);
    for (const otp_code of [next, codeOf(secret)]) {
      const replayed = await logIn(t, caller, { otp_code });
      expect([replayed.status, replayed.body.code]).toEqual([401, 'auth.factor_wrong']);
    }
  });

  it('include backup codes, which are spent by their use in any spelling, and counted', async () => {
    const caller = await t.createMember('viewer');
    const { backupCodes } = await turnFactorOn(caller);
    const written = backupCodes[3]?.toLowerCase().replace('-', ' ') ?? '';
    expect((await logIn(t, caller, { backup_code: written })).status).toBe(200);
    const again = await logIn(t, caller, { backup_code: backupCodes[3] });
    expect([again.status, again.body.code]).toEqual([401, 'auth.factor_wrong']);
    expect(await status(caller)).toMatchObject({ backup_codes_count: 9 });
  });

  it('do not work for another account', async () => {
    const [mine, other] = [await t.createMember('viewer'), await t.createMember('viewer')];
    const { secret, backupCodes } = await turnFactorOn(mine);
    await turnFactorOn(other);
    for (const code of [{ otp_code: codeOf(secret, 1) }, { backup_code: backupCodes[0] }]) {
      const answer = await logIn(t, other, code);
      expect([answer.status, answer.body.code]).toEqual([401, 'auth.factor_wrong']);
    }
  });

  it('include new backup codes, which need a code and invalidate the old ones', async () => {
    const caller = await t.createMember('viewer');
    const { secret, backupCodes } = await turnFactorOn(caller);
    const path = '/api/v3/profile/otp/regenerate-backup-codes';
    const refused = await caller.call('POST', path, { otp_code: wrongCode(secret) });
    expect([refused.status, refused.body.code]).toEqual([403, 'factor.wrong']);
    const { body } = await caller.call('POST', path, { otp_code: codeOf(secret, 1) });
    expect((await logIn(t, caller, { backup_code: backupCodes[0] })).status).toBe(401);
    expect((await logIn(t, caller, { backup_code: body.backup_codes[0] })).status).toBe(200);
  });
});

describe('turning off a second factor', () => {
  it('needs the password and a code; afterwards the password alone signs in', async () => {
    const caller = await t.createMember('viewer');
    const { secret, backupCodes } = await turnFactorOn(caller);
    const path = '/api/v3/profile/otp/disable';
    const { password } = caller;
    const refusals = await Promise.all([
      caller.call('POST', path, { password: 'Not-My-Password-1', otp_code: codeOf(secret, 1) }),
      caller.call('POST', path, { password, otp_code: wrongCode(secret) }),
      caller.call('POST', path, { password }),
    ]);
    expect(refusals.map(({ body }) => body.code)).toEqual(['password.wrong', 'factor.wrong', 'request.invalid']);
    expect((await caller.call('POST', path, { password, backup_code: backupCodes[0] })).status).toBe(204);
    expect((await logIn(t, caller)).status).toBe(200);
    expect(
      await t.database.db.selectFrom('backup_codes').selectAll().where('user_id', '=', caller.userId).execute(),
    ).toEqual([]);
  });

  it('by an owner of the installation ends the sessions of the user and the waiting sign-ins', async () => {
    const caller = await t.createMember('admin');
    await turnFactorOn(caller);
    const challenge = await askForChallenge(t, caller);
    const path = `/api/v3/setting/otp/reset-user/${caller.userId}`;
    const peer = await t.createMember('owner');
    expect((await peer.call('POST', path)).body.code).toBe('owner.required');
    expect((await t.owner.call('POST', path)).status).toBe(204);
    expect((await caller.call('GET', '/api/v3/profile')).status).toBe(401);
    expect((await post(t, '/auth/factor/enrol', { challenge })).body.code).toBe('auth.challenge_over');
    expect((await logIn(t, caller)).status).toBe(200);
  });

  it("is not possible for the caller's own account without the password and a code", async () => {
    const { status: code, body } = await t.owner.call('POST', `/api/v3/setting/otp/reset-user/${t.owner.userId}`);
    expect([code, body.code]).toEqual([403, 'factor.own']);
  });
});
