import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from './query-client.ts';
import { getSession, loadSession, signIn, signInWithFactor, signOut } from './session.ts';

const stored = new Map<string, string>();
let answers: Response[];

const says = (status: number, body: unknown) => Response.json(body, { status });
const sessionOf = (id: string) =>
  says(200, {
    user: { id, username: id, email: null, is_owner: false, must_change_password: false, memberships: [] },
    csrf_token: 'token',
    expires_at: new Date(Date.now() + 900_000).toISOString(),
  });
const refusal = () => says(401, { code: 'auth.session_ended', message: 'over', request_id: 'r' });

beforeEach(() => {
  answers = [];
  vi.stubGlobal('fetch', async () => answers.shift() ?? says(204, undefined));
  vi.stubGlobal('sessionStorage', { clear: () => stored.clear() });
  stored.set('draft cluster', 'typed');
  queryClient.setQueryData(['listClients'], 'read');
});
afterEach(() => vi.unstubAllGlobals());

const kept = () => [queryClient.getQueryData(['listClients']), stored.get('draft cluster')];

it('signing out deletes everything that the user of this page read or typed', async () => {
  answers = [sessionOf('ann'), new Response(null, { status: 204 })];
  await signIn({ username: 'ann', password: 'secret' });
  expect(kept()).toEqual(['read', 'typed']);
  await signOut();
  expect(getSession().status).toBe('anonymous');
  expect(kept()).toEqual([undefined, undefined]);
});

it('an ended session keeps everything if the same user signs in again, and nothing for another user', async () => {
  answers = [sessionOf('ann'), refusal(), sessionOf('ann'), refusal(), sessionOf('bob')];
  await signIn({ username: 'ann', password: 'secret' });
  await loadSession();
  expect(getSession().status).toBe('expired');
  await signIn({ username: 'ann', password: 'secret' });
  expect(kept()).toEqual(['read', 'typed']);
  await loadSession();
  await loadSession();
  expect(getSession()).toMatchObject({ status: 'signedIn', user: { id: 'bob' } });
  expect(kept()).toEqual([undefined, undefined]);
});

it('a sign-in that requires a second factor starts no session before the factor is verified', async () => {
  const needed = { challenge: 'c-1', expires_at: '2026-01-01T00:00:00.000Z', factors: ['otp'], enrol: false };
  answers = [new Response(null, { status: 204 })];
  await signOut();
  answers = [
    says(401, { code: 'auth.factor_required', message: 'more', request_id: 'r', ...needed }),
    says(401, { code: 'auth.factor_wrong', message: 'wrong', request_id: 'r' }),
    sessionOf('ann'),
  ];
  expect(await signIn({ username: 'ann', password: 'secret' })).toMatchObject(needed);
  expect(getSession().status).toBe('anonymous');
  await expect(signInWithFactor('c-1', { otp_code: '000000' })).rejects.toMatchObject({ code: 'auth.factor_wrong' });
  expect(getSession().status).toBe('anonymous');
  await signInWithFactor('c-1', { otp_code: '123456' });
  expect(getSession()).toMatchObject({ status: 'signedIn', user: { id: 'ann' } });
});
