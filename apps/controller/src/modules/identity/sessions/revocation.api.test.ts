import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTwoControllers, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { silenceNews } from '../../../testing/news.ts';
import { turnFactorOn } from '../second-factor/testing/factor.ts';

const WITHIN_MS = 1000;
const OWN = 'aNother-Fine-One-77';

let both: Awaited<ReturnType<typeof createTwoControllers>>;
let t: TestController;
beforeAll(async () => {
  both = await createTwoControllers('6'.repeat(64));
  ({ t } = both);
});
afterAll(() => both?.close());

interface Revocation {
  readonly what: string;
  /** The request that the caller repeats, and its answer after the revocation. */
  readonly asks: (project: string) => string;
  readonly answers: string;
  readonly prepare?: (caller: TestCaller) => Promise<unknown>;
  readonly revoke: (caller: TestCaller) => Promise<{ readonly status: number }>;
}

const profile = () => '/api/v3/profile';
const tokens = (project: string) => `/api/v3/setting/tokens?project=${project}`;
const account = ({ userId }: TestCaller) => `/api/v3/setting/users/${userId}`;
const membership = (caller: TestCaller) => `${account(caller)}/memberships/${t.project}`;

/** Opens another session of the same person. */
async function signInAgain({ username, password }: TestCaller) {
  const login = await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
  return { authorization: `Bearer ${login.json().access_token}` };
}

const REVOCATIONS: readonly Revocation[] = [
  {
    what: 'a sign-out',
    asks: profile,
    answers: 'auth.session_ended',
    revoke: (caller) => caller.call('POST', '/logout'),
  },
  {
    what: 'the end of a session by its owner, elsewhere',
    asks: profile,
    answers: 'auth.session_ended',
    revoke: async (caller) => {
      const headers = await signInAgain(caller);
      const answer = await t.app.inject({ method: 'DELETE', url: '/api/v3/profile/sessions', headers });
      return { status: answer.statusCode };
    },
  },
  {
    what: 'a new password, chosen in another session',
    asks: profile,
    answers: 'auth.session_ended',
    revoke: async (caller) => {
      const headers = await signInAgain(caller);
      const payload = { current_password: caller.password, new_password: OWN };
      const answer = await t.app.inject({ method: 'PUT', url: '/api/v3/profile/password', headers, payload });
      return { status: answer.statusCode };
    },
  },
  {
    what: 'a new password, set by an owner',
    asks: profile,
    answers: 'auth.session_ended',
    revoke: (caller) => t.owner.call('PATCH', account(caller), { password: OWN }),
  },
  {
    what: 'a lower role',
    asks: tokens,
    answers: 'role.forbidden',
    revoke: (caller) => t.owner.call('PUT', membership(caller), { role: 'viewer' }),
  },
  {
    what: 'the end of a membership',
    asks: tokens,
    answers: 'project.forbidden',
    revoke: (caller) => t.owner.call('DELETE', membership(caller)),
  },
  {
    what: 'an account that is switched off',
    asks: profile,
    answers: 'auth.session_ended',
    revoke: (caller) => t.owner.call('PATCH', account(caller), { active: false }),
  },
  {
    what: 'an account that is deleted',
    asks: profile,
    answers: 'auth.session_ended',
    revoke: (caller) => t.owner.call('DELETE', account(caller)),
  },
  {
    what: 'a reset of the second factor',
    asks: profile,
    answers: 'auth.session_ended',
    prepare: turnFactorOn,
    revoke: (caller) => t.owner.call('POST', `/api/v3/setting/otp/reset-user/${caller.userId}`),
  },
];

async function codeAt(app: TestController['app'], { token }: TestCaller, url: string): Promise<string> {
  const answer = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
  return answer.statusCode === 200 ? 'ok' : answer.json().code;
}

/** A request that is sent more than a second after the change is refused, however long the answer takes. */
async function expectFeltInTime(revocation: Revocation): Promise<void> {
  const caller = await t.createMember('admin');
  await revocation.prepare?.(caller);
  const url = revocation.asks(t.project);
  expect(await codeAt(both.other.app, caller, url)).toBe('ok');
  expect(await codeAt(t.app, caller, url)).toBe('ok');
  expect((await revocation.revoke(caller)).status).toBeLessThan(300);
  const changedMs = performance.now();
  expect(await codeAt(t.app, caller, url)).toBe(revocation.answers);
  for (;;) {
    const sentMs = performance.now();
    const code = await codeAt(both.other.app, caller, url);
    if (code === revocation.answers) return;
    expect(code).toBe('ok');
    expect(sentMs - changedMs).toBeLessThan(WITHIN_MS);
  }
}

describe.each(REVOCATIONS.map((revocation) => [revocation.what, revocation] as const))('%s', (_, revocation) => {
  it('takes effect on the next request here and within a second on another controller', async () => {
    await expectFeltInTime(revocation);
  });
});

describe('without notifications', () => {
  let hear: () => Promise<void>;
  beforeEach(async () => {
    hear = await silenceNews(t.database);
  });
  afterEach(() => hear());

  it.each(REVOCATIONS.map((revocation) => [revocation.what, revocation] as const))(
    '%s takes effect just as soon',
    async (__, revocation) => {
      await expectFeltInTime(revocation);
    },
  );
});
