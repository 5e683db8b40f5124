import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, shareOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const OFFICE = '198.51.100.7';

const stage = shareOwnersTerminal();

const run: TestTerminal['run'] = (argv, options) => stage.terminal.run(argv, options);
const list = async () => JSON.parse((await run(['sign-in-blocks', 'list', '--json'])).out).items;

async function signIn(username: string): Promise<string | undefined> {
  const payload = { username, password: 'wrong' };
  return (await stage.t.app.inject({ method: 'POST', url: '/auth/login', remoteAddress: OFFICE, payload })).json().code;
}

it('a locked-out address is listed until the lockout is ended', async () => {
  expect((await run(['sign-in-blocks', 'list'])).out).not.toContain(OFFICE);
  expect(await signIn('nobody')).toBe('auth.wrong_credentials');
  const ofAddress = stage.t.database.db.updateTable('sign_in_attempts').where('key', 'like', `%${OFFICE}`);
  await ofAddress.set({ failures: 99 }).execute();
  expect(await list()).toEqual([]);
  await signIn('somebody-else');
  // Keeps the lockout valid on a slow machine.
  await ofAddress.set({ blocked_until: new Date(Date.now() + 600_000) }).execute();
  expect(await list()).toMatchObject([{ address: OFFICE, failures: 100, waits_until: expect.stringMatching('Z$') }]);
  expect((await run(['sign-in-blocks', 'list'])).out).toMatch(/^198\.51\.100\.7 +100 +\S.* +20\S+Z$/m);
  expect(await signIn('a-third')).toBe('auth.throttled');

  expect(await run(['__complete', 'sign-in-blocks', 'end', ''])).toMatchObject({ out: `${OFFICE}\n` });
  expect(await run(['sign-in-blocks', 'end', OFFICE])).toMatchObject({
    code: EXIT.ok,
    out: `Sign-ins from ${OFFICE} are possible again.\n`,
  });
  expect(await list()).toEqual([]);
  expect(await signIn('a-third')).toBe('auth.wrong_credentials');
  expect(await run(['sign-in-blocks', 'end', OFFICE, '--json'])).toMatchObject({ code: EXIT.ok });
  expect((await run(['sign-in-blocks', 'end', '203.0.113.9'])).code).toBe(EXIT.notFound);
});

it('only owners of the installation may list lockouts; admins and tokens are refused', async () => {
  const admin = await stage.t.createMember('admin');
  const other = await createTestTerminal({ SVC_URL: stage.terminal.url, SVC_TOKEN: admin.token });
  for (const argv of [
    ['sign-in-blocks', 'list'],
    ['sign-in-blocks', 'end', OFFICE],
  ])
    expect((await other.run(argv)).code, argv.join(' ')).toBe(EXIT.forbidden);
  await other.close();
});
