import { beforeAll, expect, it } from 'vitest';
import { PASSWORD, stageDirectory } from '../ldap/testing/directory.ts';
import { holdAccounts } from '../sessions/testing/attempts.ts';

const here = stageDirectory();
beforeAll(() => here.configure({ user_filter: '(&(objectClass=person)(|(uid={username})(mail={username})))' }));

async function signIn(username: string, password: string, realm?: string) {
  return (await here.signIn(username, password, realm)).json();
}
const unlock = (id: string) => here.t.owner.call('POST', `/api/v3/setting/users/${id}/unlock`);

it('unlocking an account of a directory forgets the attempts by its other names, and by no name of others', async () => {
  const names = ['dora', 'dora@example.org'];
  const { user } = await signIn('dora', PASSWORD);
  const other = await signIn('erika', PASSWORD);
  for (const name of [...names, 'erika@example.org', 'nobody@example.org'])
    for (let i = 0; i < 6; i += 1) await signIn(name, 'wrong');
  await holdAccounts(here.t);
  for (const name of names) expect((await signIn(name, PASSWORD)).code, name).toBe('auth.throttled');
  expect((await unlock(user.id)).status).toBe(204);
  for (const name of names) expect((await signIn(name, PASSWORD)).user?.id, name).toBe(user.id);
  for (const name of ['erika@example.org', 'nobody@example.org'])
    expect((await signIn(name, PASSWORD)).code, name).toBe('auth.throttled');
  expect((await unlock(other.user.id)).status).toBe(204);
  expect((await signIn('erika@example.org', PASSWORD)).user?.id).toBe(other.user.id);
});

it('attempts with the name of a local account are forgotten when that account is unlocked, and by no other', async () => {
  await here.configure({ user_filter: '(&(objectClass=person)(|(uid={username})(mail={username}*.org)))' });
  const { user } = await signIn('dora', PASSWORD);
  const made = await here.t.owner.call('POST', '/api/v3/setting/users', { username: 'dor' });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id, initial_password: password } = made.body;
  for (let i = 0; i < 6; i += 1) await signIn('dor', 'wrong');
  await holdAccounts(here.t);
  expect((await signIn('dor', PASSWORD)).code).toBe('auth.throttled');
  expect((await unlock(user.id)).status).toBe(204);
  expect((await signIn('dor', password, 'local')).code).toBe('auth.throttled');
  expect((await unlock(id)).status).toBe(204);
  expect((await signIn('dor', password, 'local')).code).not.toBe('auth.throttled');
});
