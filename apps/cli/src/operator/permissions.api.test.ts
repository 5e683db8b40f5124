import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: TestTerminal;
beforeAll(async () => {
  t = await createTestFleet();
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 });
  const admin = await t.createMember('admin');
  terminal = await createTestTerminal();
  const login = ['login', '--url', url, '--username', admin.username, '--password-stdin', '--project', 'default'];
  expect(await terminal.run(login, { stdin: `${admin.password}\n` })).toMatchObject({ code: EXIT.ok });
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run = (...argv: string[]) => terminal.run(argv);

it('a group gets members and a permission, and its members then have access', async () => {
  const member = await t.createMember('viewer');
  expect((await run('permissions', 'access')).out).toBe('open\n');
  expect((await run('permissions', 'access', 'listed')).out).toBe('listed\n');
  expect((await run('permissions', 'access', 'closed')).code).toBe(EXIT.usage);
  expect((await run('groups', 'create', 'night', '--description', 'on call')).out).toBe('Group night created.\n');
  expect((await run('groups', 'add', 'night', member.username)).out).toBe(`${member.username} is in night.\n`);
  expect((await run('groups', 'list')).out).toMatch(/^night +1 +on call$/m);
  const sees = async () =>
    (await member.call('GET', `/api/v3/xds/listeners?project=${t.project}`)).body.items.map(
      ({ name }: { name: string }) => name,
    );
  expect(await sees()).toEqual([]);
  const granted = await run('permissions', 'grant', 'document', 'listeners/web', 'view', '--group', 'NIGHT');
  expect(granted.out).toBe('night may view listeners/web 1.40.0.\n');
  expect(await sees()).toEqual(['web']);
  const reach = await run('permissions', 'reach', 'document', 'listeners/web');
  expect(reach.out).toMatch(new RegExp(`^${member.username} +viewer +view +group$`, 'm'));
  expect(reach.out).toMatch(/^admin-\S+ +admin +change +role$/m);
  expect((await run('permissions', 'list', '--group', 'night')).out).toMatch(
    /^group night +view +document +listeners\/web/m,
  );
  const revoked = await run('permissions', 'revoke', 'document', 'listeners/web', '--group', 'night');
  expect(revoked).toMatchObject({ code: EXIT.ok });
  expect(await sees()).toEqual([]);
  await run('permissions', 'grant', 'document', '*', 'view', '--user', member.username);
  expect((await sees()).length).toBeGreaterThan(1);
  expect((await run('groups', 'remove', 'night', member.username)).code).toBe(EXIT.ok);
  expect((await run('groups', 'delete', 'night')).out).toBe('Group night deleted.\n');
});

it('unknown records and missing options have their own exit codes', async () => {
  expect((await run('permissions', 'grant', 'service', 'nothing', 'view', '--user', 'nobody')).code).toBe(
    EXIT.notFound,
  );
  const member = await t.createMember('viewer');
  const user = ['--user', member.username];
  expect((await run('permissions', 'grant', 'service', 'nothing', 'view', ...user)).code).toBe(EXIT.notFound);
  expect((await run('permissions', 'revoke', 'service', '*', ...user)).code).toBe(EXIT.notFound);
  expect((await run('permissions', 'grant', 'service', '*', 'view')).code).toBe(EXIT.usage);
  expect((await run('permissions', 'grant', 'host', '*', 'view', ...user)).code).toBe(EXIT.usage);
  expect((await run('permissions', 'grant', 'service', '*', 'own', ...user)).code).toBe(EXIT.usage);
  expect((await run('permissions', 'reach', 'service', 'nothing')).code).toBe(EXIT.notFound);
  expect((await run('groups', 'add', 'none', member.username)).code).toBe(EXIT.notFound);
});
