import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestController;
let terminal: TestTerminal;
beforeAll(async () => {
  t = await createTestController();
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

it('an owner of the installation reaches accounts that are in no project, and deletes them as shown', async () => {
  const made = await t.owner.call('POST', '/api/v3/setting/users', { username: 'nowhere', memberships: [] });
  expect(made.status).toBe(201);
  expect((await terminal.run(['users', 'get', 'nowhere'])).code).toBe(EXIT.notFound);
  const list = await terminal.run(['users', 'list', '--all-projects', '--query', 'nowhere', '--json']);
  expect(JSON.parse(list.out).items).toMatchObject([{ username: 'nowhere', memberships: [] }]);
  const shown = await terminal.run(['users', 'delete', 'nowhere', '--all-projects']);
  const [, argv = ''] = /: flotilla (users delete \S+ --all-projects --plan \S+)$/m.exec(shown.out) ?? [];
  const [, , id = ''] = argv.split(' ');
  expect((await terminal.run(argv.split(' '))).out).toBe(`User ${id} deleted.\n`);
  const gone = await terminal.run(['users', 'get', 'nowhere', '--all-projects']);
  expect(gone).toMatchObject({ code: EXIT.notFound, err: 'flotilla: There is no user nowhere.\n' });
});
