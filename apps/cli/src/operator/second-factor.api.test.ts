import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type OwnersTerminal, openOwnersTerminal } from './testing/terminal.ts';

let t: TestController;
let terminal: OwnersTerminal;
beforeAll(async () => {
  t = await createTestController();
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run = (...argv: string[]) => terminal.run(['second-factor', ...argv]);

it('is asked where a project is used, or at every sign-in', async () => {
  // As if everybody had signed in at a provider that is trusted with a second factor.
  await t.database.owner
    .updateTable('sessions')
    .set({ factors: ['provider'] })
    .execute();
  expect((await run()).out).toBe('optional\n');
  expect((await run('required')).out).toBe('required\n');
  expect(JSON.parse((await run('--json')).out)).toEqual({ project: t.project, otp_enforced: true });
  expect((await run('--installation')).out).toBe('optional\n');
  expect((await run('optional')).out).toBe('optional\n');
  expect((await run('--project', 'default', '--installation')).code).toBe(EXIT.usage);
  expect((await run('on')).code).toBe(EXIT.usage);
  expect((await terminal.run(['__complete', 'second-factor', 'req'])).out).toBe('required\n');
});

it('of everybody is for owners of the installation', async () => {
  const admin = await t.createMember('admin');
  const other = await createTestTerminal();
  const login = ['login', '--url', terminal.url, '--username', admin.username, '--password-stdin'];
  await other.run(login, { stdin: admin.password });
  expect(await other.run(['second-factor', 'required', '--installation'])).toMatchObject({
    code: EXIT.forbidden,
    err: expect.stringContaining('Only owners of the installation'),
  });
  expect((await other.run(['second-factor'])).out).toBe('optional\n');
  await other.close();
});
