import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from './query-client.ts';
import { getSession, loadSession, signIn, signOut } from './session.ts';

const stored = new Map<string, string>();
let answers: Response[];

const says = (status: number, body: unknown) => Response.json(body, { status });
const sessionOf = (id: string) =>
  says(200, { user: { id, username: id, email: null, is_owner: false, memberships: [] }, csrf_token: 'token' });
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

it('signing out leaves nothing of what was read or typed to the next user of this page', async () => {
  answers = [sessionOf('ann'), new Response(null, { status: 204 })];
  await signIn('ann', 'secret');
  expect(kept()).toEqual(['read', 'typed']);
  await signOut();
  expect(getSession().status).toBe('anonymous');
  expect(kept()).toEqual([undefined, undefined]);
});

it('a session that ends and is begun again by the same user keeps everything, by another one nothing', async () => {
  answers = [sessionOf('ann'), refusal(), sessionOf('ann'), refusal(), sessionOf('bob')];
  await signIn('ann', 'secret');
  await loadSession();
  expect(getSession().status).toBe('expired');
  await signIn('ann', 'secret');
  expect(kept()).toEqual(['read', 'typed']);
  await loadSession();
  await loadSession();
  expect(getSession()).toMatchObject({ status: 'signedIn', user: { id: 'bob' } });
  expect(kept()).toEqual([undefined, undefined]);
});
