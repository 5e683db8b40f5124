import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTestController,
  openController,
  type TestCaller,
  type TestController,
} from '../../../testing/controller.ts';
import { askForChallenge, codeOf, logIn, post, turnFactorOn, wrongCode } from '../second-factor/testing/factor.ts';

const MASTER = { SVC_MASTER_KEY: '7'.repeat(64) };

let t: TestController;
beforeAll(async () => {
  t = await createTestController(MASTER);
});
afterAll(() => t.close());

const enforce = (caller: TestCaller, isEnforced: boolean, project?: string) =>
  caller.call('PUT', `/api/v3/setting/otp-config${project === undefined ? '' : `?project=${project}`}`, {
    otp_enforced: isEnforced,
  });

describe('the second factor cannot be bypassed', () => {
  const ways = [
    ['tokens', '/auth/login', '/auth/factor'],
    ['the cookie of a browser', '/auth/browser/login', '/auth/browser/factor'],
  ] as const;

  it.each(ways)('for an account that has one: %s', async (_, login, factor) => {
    const caller = await t.createMember('viewer');
    const { username, password } = caller;
    const { secret, backupCodes } = await turnFactorOn(caller);
    const asked = await post(t, login, { username, password });
    expect([asked.status, asked.body.code, asked.headers['set-cookie']]).toEqual([
      401,
      'auth.factor_required',
      undefined,
    ]);
    expect(asked.body).toMatchObject({ factors: ['otp', 'backup_code'], enrol: false });
    expect(asked.body).not.toHaveProperty('access_token');
    const { challenge } = asked.body;
    for (const body of [
      { challenge, otp_code: wrongCode(secret) },
      { challenge, backup_code: 'AAAAA-AAAAA' },
    ]) {
      const refused = await post(t, factor, body);
      expect([refused.status, refused.body.code]).toEqual([401, 'auth.factor_wrong']);
    }
    const answer = await post(t, factor, { challenge, otp_code: codeOf(secret, 1) });
    expect([answer.status, answer.body.user.username]).toEqual([200, username]);
    const again = await post(t, factor, { challenge, backup_code: backupCodes[0] });
    expect([again.status, again.body.code]).toEqual([401, 'auth.challenge_over']);
  });

  it.each(ways)('for an installation that requires one: %s', async (_, login, factor) => {
    const caller = await t.createMember('viewer');
    const { username, password } = caller;
    await enforce(t.owner, true);
    const asked = await post(t, login, { username, password, otp_code: '123456' });
    expect([asked.status, asked.body.code]).toEqual([401, 'auth.factor_required']);
    const { challenge, enrol, factors } = asked.body;
    expect({ enrol, factors }).toEqual({ enrol: true, factors: [] });
    const early = await post(t, factor, { challenge, otp_code: '123456' });
    expect([early.status, early.body.code]).toEqual([401, 'auth.factor_wrong']);

    const { body: setUp } = await post(t, '/auth/factor/enrol', { challenge });
    const answer = await post(t, factor, { challenge, otp_code: codeOf(setUp.secret) });
    expect([answer.status, answer.body.user.username]).toEqual([200, username]);
    expect((await post(t, login, { username, password })).body.enrol).toBe(false);
    expect((await post(t, login, { username, password, backup_code: setUp.backup_codes[0] })).status).toBe(200);
    await enforce(t.owner, false);
  });

  it('by an account that was disabled, or whose password was changed, during the sign-in', async () => {
    const off = await t.createMember('viewer');
    const offFactor = await turnFactorOn(off);
    const offChallenge = await askForChallenge(t, off);
    await t.owner.call('PATCH', `/api/v3/setting/users/${off.userId}`, { active: false });
    const changed = await t.createMember('viewer');
    const changedFactor = await turnFactorOn(changed);
    const changedChallenge = await askForChallenge(t, changed);
    await changed.call('PUT', '/api/v3/profile/password', {
      current_password: changed.password,
      new_password: 'Another-Horse-8-Battery',
    });
    for (const [challenge, { secret }] of [
      [offChallenge, offFactor],
      [changedChallenge, changedFactor],
    ] as const) {
      const answer = await post(t, '/auth/factor', { challenge, otp_code: codeOf(secret, 1) });
      expect([answer.status, answer.body.code]).toEqual([401, 'auth.challenge_over']);
    }
  });
});

describe('the challenge of a sign-in', () => {
  it('is stored as a digest, expires after five minutes, and is not a token', async () => {
    const caller = await t.createMember('viewer');
    const { secret } = await turnFactorOn(caller);
    const challenge = await askForChallenge(t, caller);
    const headers = { authorization: `Bearer ${challenge}` };
    expect((await t.app.inject({ url: '/api/v3/profile', headers })).statusCode).toBe(401);
    const cookie = { cookie: `flotilla_session=${challenge}` };
    expect((await t.app.inject({ url: '/auth/browser/session', headers: cookie })).statusCode).toBe(401);

    const rows = await t.database.db.selectFrom('sign_in_challenges').selectAll().execute();
    expect(rows.map(({ id_hash: hash }) => hash.toString()).join()).not.toContain(challenge);
    await t.database.db
      .updateTable('sign_in_challenges')
      .set({ expires_at: new Date() })
      .where('user_id', '=', caller.userId)
      .execute();
    const late = await post(t, '/auth/factor', { challenge, otp_code: codeOf(secret, 1) });
    expect([late.status, late.body.code]).toEqual([401, 'auth.challenge_over']);
  });

  it('ends after five wrong codes, and a new one gives no new guesses', async () => {
    const caller = await t.createMember('viewer');
    const { secret, backupCodes } = await turnFactorOn(caller);
    const challenge = await askForChallenge(t, caller);
    // Sent at once: each is counted before it is checked.
    const tries = await Promise.all(
      Array.from({ length: 12 }, () => post(t, '/auth/factor', { challenge, otp_code: wrongCode(secret) })),
    );
    const codes = tries.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 'auth.challenge_over').length).toBe(7);
    const right = await post(t, '/auth/factor', { challenge, otp_code: codeOf(secret, 1) });
    expect([right.status, right.body.code]).toEqual([401, 'auth.challenge_over']);

    // The first wait is one second; it is extended to an hour so that a slow machine does not miss it.
    await t.database.db
      .updateTable('sign_in_attempts')
      .set({ blocked_until: new Date(Date.now() + 3_600_000) })
      .whereRef('blocked_until', '>', 'last_at')
      .execute();
    const fresh = await askForChallenge(t, caller);
    for (const answer of [
      await post(t, '/auth/factor', { challenge: fresh, otp_code: codeOf(secret, 1) }),
      await logIn(t, caller, { backup_code: backupCodes[0] }),
    ])
      expect([answer.status, answer.body.code]).toEqual([429, 'auth.throttled']);
  });

  it('that was stolen sets up no factor for an account that got one in the meantime', async () => {
    const caller = await t.createMember('viewer');
    await enforce(t.owner, true);
    const [stolen, own] = [await askForChallenge(t, caller), await askForChallenge(t, caller)];
    const { body: thief } = await post(t, '/auth/factor/enrol', { challenge: stolen });
    const { body: setUp } = await post(t, '/auth/factor/enrol', { challenge: own });
    expect((await post(t, '/auth/factor', { challenge: own, otp_code: codeOf(setUp.secret) })).status).toBe(200);

    const again = await post(t, '/auth/factor/enrol', { challenge: stolen });
    expect([again.status, again.body.code]).toEqual([409, 'factor.exists']);
    for (const code of [{ otp_code: codeOf(thief.secret) }, { backup_code: thief.backup_codes[0] }]) {
      const answer = await post(t, '/auth/factor', { challenge: stolen, ...code });
      expect([answer.status, answer.body.code]).toEqual([401, 'auth.factor_wrong']);
    }
    await enforce(t.owner, false);
  });
});

describe('two controllers on one database', () => {
  it('accept a code once between them, even if it is sent to both at once', async () => {
    const { controller: second, close } = await openController(t.database, MASTER);
    try {
      const caller = await t.createMember('viewer');
      const { secret, backupCodes } = await turnFactorOn(caller);
      for (const code of [{ otp_code: codeOf(secret, 1) }, { backup_code: backupCodes[0] }]) {
        const challenges = [await askForChallenge(t, caller), await askForChallenge(second, caller)];
        const answers = await Promise.all([
          post(t, '/auth/factor', { challenge: challenges[0], ...code }),
          post(second, '/auth/factor', { challenge: challenges[1], ...code }),
        ]);
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
      }
    } finally {
      await close();
    }
  });
});

describe('the enforcement of a second factor', () => {
  it('in a project is decided by its administrators, and invisible to others', async () => {
    const [one, two] = [await t.createProject('twin one'), await t.createProject('twin two')];
    const [admin, foreign] = [await t.createMember('admin', one), await t.createMember('admin', two)];
    const editor = await t.createMember('editor', one);
    expect((await enforce(editor, true, one)).body.code).toBe('role.forbidden');
    expect((await enforce(foreign, true, one)).body.code).toBe('project.forbidden');
    expect((await enforce(admin, true)).body.code).toBe('project.missing');
    expect((await enforce(admin, true, one)).body).toEqual({ project: one, otp_enforced: true });

    expect((await foreign.call('GET', `/api/v3/setting/otp-config?project=${one}`)).status).toBe(403);
    const theirs = await foreign.call('GET', `/api/v3/setting/otp-config?project=${two}`);
    expect(theirs.body).toEqual({ project: two, otp_enforced: false });
    // The requirement applies where the project's roles are used, not at sign-in.
    for (const caller of [foreign, editor]) expect((await logIn(t, caller)).status).toBe(200);
    expect((await editor.call('GET', `/api/v3/xds/clusters?project=${one}`)).body.code).toBe('project.factor_required');
    expect((await foreign.call('GET', `/api/v3/xds/clusters?project=${two}`)).status).toBe(200);
  });

  it('cannot be bypassed by turning off the factor', async () => {
    const project = await t.createProject('kept');
    const caller = await t.createMember('viewer', project);
    const { secret } = await turnFactorOn(caller);
    const admin = await t.createMember('admin', project);
    await turnFactorOn(admin);
    await enforce(admin, true, project);
    const off = { password: caller.password, otp_code: codeOf(secret, 1) };
    const refused = await caller.call('POST', '/api/v3/profile/otp/disable', off);
    expect([refused.status, refused.body.code]).toEqual([403, 'factor.enforced']);
    await enforce(admin, false, project);
    expect((await caller.call('POST', '/api/v3/profile/otp/disable', off)).status).toBe(204);
  });

  it('in the installation applies to everybody, and only its owners decide it', async () => {
    const caller = await t.createMember('owner');
    expect((await enforce(caller, true)).body.code).toBe('project.missing');
    expect((await enforce(t.owner, true)).body).toEqual({ project: null, otp_enforced: true });
    try {
      expect((await logIn(t, caller)).body).toMatchObject({ code: 'auth.factor_required', enrol: true });
      expect((await logIn(t, t.owner)).body).toMatchObject({ code: 'auth.factor_required', enrol: true });
    } finally {
      await enforce(t.owner, false);
    }
  });
});
