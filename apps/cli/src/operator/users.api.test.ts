import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const stage = shareOwnersTerminal();

it('an owner of the installation lists accounts without a project and deletes one by its plan', async () => {
  const created = await stage.t.owner.call('POST', '/api/v3/setting/users', { username: 'nowhere', memberships: [] });
  expect(created.status).toBe(201);
  expect((await stage.terminal.run(['users', 'get', 'nowhere'])).code).toBe(EXIT.notFound);
  const list = await stage.terminal.run(['users', 'list', '--all-projects', '--query', 'nowhere', '--json']);
  expect(JSON.parse(list.out).items).toMatchObject([{ username: 'nowhere', memberships: [] }]);
  const shown = await stage.terminal.run(['users', 'delete', 'nowhere', '--all-projects']);
  const [, argv = ''] = /: flotilla (users delete \S+ --all-projects --plan \S+)$/m.exec(shown.out) ?? [];
  const [, , id = ''] = argv.split(' ');
  expect((await stage.terminal.run(argv.split(' '))).out).toBe(`User ${id} deleted.\n`);
  const gone = await stage.terminal.run(['users', 'get', 'nowhere', '--all-projects']);
  expect(gone).toMatchObject({ code: EXIT.notFound, err: 'flotilla: There is no user nowhere.\n' });
});
