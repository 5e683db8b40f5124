import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, shareOwnersTerminal } from './testing/terminal.ts';

const stage = shareOwnersTerminal();

const run = (...argv: string[]) => stage.terminal.run(['second-factor', ...argv]);

it('a second factor is required by a project, or at every sign-in', async () => {
  // As if everyone had signed in with a second factor at a trusted provider.
  await stage.t.database.owner
    .updateTable('sessions')
    .set({ factors: ['provider'] })
    .execute();
  expect((await run()).out).toBe('optional\n');
  expect((await run('required')).out).toBe('required\n');
  expect(JSON.parse((await run('--json')).out)).toEqual({ project: stage.t.project, otp_enforced: true });
  expect((await run('--installation')).out).toBe('optional\n');
  expect((await run('optional')).out).toBe('optional\n');
  expect((await run('--project', 'default', '--installation')).code).toBe(EXIT.usage);
  expect((await run('on')).code).toBe(EXIT.usage);
  expect((await stage.terminal.run(['__complete', 'second-factor', 'req'])).out).toBe('required\n');
});

it('only owners of the installation may require a second factor of everyone', async () => {
  const admin = await stage.t.createMember('admin');
  const other = await createTestTerminal();
  const login = ['login', '--url', stage.terminal.url, '--username', admin.username, '--password-stdin'];
  await other.run(login, { stdin: admin.password });
  expect(await other.run(['second-factor', 'required', '--installation'])).toMatchObject({
    code: EXIT.forbidden,
    err: expect.stringContaining('Only owners of the installation'),
  });
  expect((await other.run(['second-factor'])).out).toBe('optional\n');
  await other.close();
});
