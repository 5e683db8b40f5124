import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const stage = shareOwnersTerminal();

const run = (...argv: string[]) => stage.terminal.run(argv);
const readJson = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).out);

it('an account of another project is added, gets another role and is removed', async () => {
  await stage.t.createProject('other');
  const { username } = await stage.t.createMember('viewer');
  expect((await run('users', 'add', username, '--project', 'other')).out).toBe(`${username} is viewer.\n`);
  expect((await run('users', 'add', username, '--project', 'other')).code).toBe(EXIT.conflict);
  expect((await run('users', 'role', username, 'editor', '--project', 'other')).out).toBe(`${username} is editor.\n`);
  expect((await run('users', 'role', username, 'king')).code).toBe(EXIT.usage);
  const out = `${username} is no longer a member.\n`;
  expect((await run('users', 'remove', username, '--project', 'other')).out).toBe(out);
  expect((await run('users', 'remove', username, '--project', 'other')).code).toBe(EXIT.notFound);
  expect((await readJson('users', 'get', username)).memberships).toMatchObject([{ role: 'viewer' }]);
});

it('an account is changed, and switched off and on', async () => {
  const { username } = await stage.t.createMember('viewer');
  expect((await run('users', 'change', username)).code).toBe(EXIT.usage);
  expect((await run('users', 'change', username, '--email', 'a@example.com')).out).toBe(`User ${username} changed.\n`);
  expect(await readJson('users', 'change', username, '--off')).toMatchObject({ active: false, email: 'a@example.com' });
  expect(await readJson('users', 'change', username, '--on', '--email', '')).toMatchObject({
    active: true,
    email: null,
  });
  expect((await run('users', 'change', username, '--on', '--off')).code).toBe(EXIT.usage);
  const renamed = await readJson('users', 'change', username, '--name', 'robin');
  expect(renamed.username).toBe('robin');
  const password = 'quiet evening by the river';
  const changed = await stage.terminal.run(['users', 'change', 'robin', '--password-stdin'], { stdin: password });
  expect(changed).toMatchObject({ code: EXIT.ok });
  expect(changed.out + changed.err).not.toContain(password);
});

it('sessions of a user are listed and ended, and failed sign-ins and second factors are reset', async () => {
  const member = await stage.t.createMember('viewer');
  const { username, password } = member;
  for (let i = 0; i < 2; i += 1) await stage.t.owner.call('POST', '/auth/login', { username, password });
  const { items } = await readJson('users', 'sessions', username);
  expect(items.length).toBeGreaterThan(1);
  const [first] = items;
  expect((await run('users', 'sign-out', username, first.id)).out).toBe(`Session ${first.id} has ended.\n`);
  expect((await readJson('users', 'sessions', username)).items).toHaveLength(items.length - 1);
  expect((await run('users', 'sign-out', username)).out).toBe(`${username} is signed out everywhere.\n`);
  expect((await readJson('users', 'sessions', username)).items).toEqual([]);
  expect((await run('users', 'unlock', username)).out).toBe(`${username} can sign in without waiting.\n`);
  expect((await run('users', 'reset-factors', username)).out).toBe(`${username} has no second factor.\n`);
  expect((await run('users', 'sessions', 'nobody')).code).toBe(EXIT.notFound);
});

it('own sessions are listed, and all others can be ended', async () => {
  const stdin = stage.t.controller.firstOwner?.password ?? '';
  const argv = ['login', '--url', stage.terminal.url, '--username', 'admin', '--password-stdin'];
  const env = { FLOTILLA_CONFIG: `${stage.terminal.folder}/elsewhere.json` };
  expect((await stage.terminal.run(argv, { stdin, env })).code).toBe(EXIT.ok);
  const { items } = await readJson('sessions', 'list');
  const current = items.find((session: { current: boolean }) => session.current);
  expect(items.length).toBeGreaterThan(1);
  expect((await run('sessions', 'end')).code).toBe(EXIT.usage);
  const other = items.find((session: { current: boolean }) => !session.current);
  expect((await run('sessions', 'end', other.id)).out).toBe(`Session ${other.id} has ended.\n`);
  expect((await run('sessions', 'end', '--others')).out).toBe('All other sessions have ended.\n');
  expect((await readJson('sessions', 'list')).items).toMatchObject([{ id: current.id, current: true }]);
});

it('groups, projects and tokens are renamed, and tokens are restricted', async () => {
  await run('groups', 'create', 'night', '--description', 'on call');
  expect((await run('groups', 'change', 'night')).code).toBe(EXIT.usage);
  expect(await readJson('groups', 'change', 'night', '--name', 'day', '--description', '')).toMatchObject({
    name: 'day',
    description: null,
  });
  await run('tokens', 'create', 'ci', '--role', 'viewer');
  expect((await run('tokens', 'change', 'ci')).code).toBe(EXIT.usage);
  const narrow = ['tokens', 'change', 'ci', '--name', 'night', '--family', 'events', '--expires', '1d'];
  expect(await readJson(...narrow)).toMatchObject({ name: 'night', families: ['events'] });
  await run('projects', 'create', 'shop', '--starters', 'none');
  expect((await run('projects', 'change', 'shop', '--name', 'store')).out).toBe('Project store changed.\n');
});

it('a project that is not empty is deleted with the digest of a plan', async () => {
  await run('projects', 'create', 'full', '--starters', 'none');
  const stdin = 'collection: clusters\nname: web\nversion: 1.40.0\nresource: { type: STATIC }\n';
  await stage.terminal.run(['apply', '-f', '-', '--project', 'full'], { stdin });
  expect((await run('projects', 'delete', 'full')).code).toBe(EXIT.conflict);
  expect((await run('projects', 'delete', 'full', '--plan', 'stale')).code).toBe(EXIT.conflict);
  const deleteAsPlanned = async () => {
    const shown = await run('projects', 'plan', 'full');
    expect(shown.out).toMatch(/^With the project:\n[\s\S]* 1 documents: .*web/);
    const [, digest = ''] = /flotilla projects delete [0-9a-f-]{36} --plan (\S+)\n/.exec(shown.out) ?? [];
    return (await run('projects', 'delete', 'full', '--plan', digest)).out;
  };
  // The default alert rules of a new project come some seconds later, and change the plan.
  await expect.poll(deleteAsPlanned).toBe('Project full deleted.\n');
});

it('an account of another project is invited, and joins when it accepts (attack 9)', async () => {
  const host = await stage.t.createProject('hosting');
  const admin = await stage.t.createMember('admin', host);
  const guest = await stage.t.createMember('viewer');
  const as = (caller: { token: string }, ...argv: string[]) =>
    stage.terminal.run(argv, { env: { SVC_TOKEN: caller.token } });
  const invited = await as(admin, 'users', 'invite', guest.username, '--role', 'editor', '--project', 'hosting');
  expect(invited).toMatchObject({
    code: EXIT.ok,
    out: expect.stringContaining(`${guest.username} is invited as editor`),
  });
  const added = await as(admin, 'users', 'add', 'nobody', '--project', 'hosting');
  expect(added).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('nobody is invited as viewer') });
  const open = await as(admin, 'users', 'invitations', '--project', 'hosting');
  expect(open.out).toContain(guest.username);
  expect(open.out).toContain('nobody');
  expect((await as(admin, 'users', 'withdraw', 'nobody', '--project', 'hosting')).out).toBe(
    'The invitation of nobody is withdrawn.\n',
  );
  expect((await as(admin, 'users', 'withdraw', 'nobody', '--project', 'hosting')).code).toBe(EXIT.notFound);
  expect((await as(guest, 'invitations', 'list')).out).toContain('hosting');
  expect((await as(guest, 'invitations', 'accept', 'elsewhere')).code).toBe(EXIT.notFound);
  expect((await as(guest, 'invitations', 'accept', 'hosting')).out).toBe('You are editor of hosting.\n');
  expect((await as(guest, 'invitations', 'decline', 'hosting')).code).toBe(EXIT.notFound);
  expect((await as(admin, 'users', 'add', guest.username, '--project', 'hosting')).code).toBe(EXIT.conflict);
});
