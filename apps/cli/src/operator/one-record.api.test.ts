import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const NO_SUCH_ID = '00000000-0000-4000-8000-000000000000';
const stage = shareOwnersTerminal();

const run = (...argv: string[]) => stage.terminal.run(argv);
const readJson = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).out);
const complete = async (...words: string[]) => (await run('__complete', '--', ...words)).out.trim().split('\n');

it('a token is shown by name or id, without its value', async () => {
  const created = await readJson('tokens', 'create', 'ci', '--role', 'viewer');
  const shown = await run('tokens', 'get', 'ci');
  expect(shown.out).toContain(`id: ${created.id}\n`);
  expect(shown.out).toContain('role: viewer\n');
  expect(shown.out).not.toContain(created.token);
  expect(await readJson('tokens', 'get', created.id)).toMatchObject({ name: 'ci' });
  expect((await run('tokens', 'get', 'nothing')).code).toBe(EXIT.notFound);
  expect((await run('tokens', 'get', NO_SUCH_ID)).code).toBe(EXIT.notFound);
});

it('an enrolment token is shown by note while it is open, and by id after it was withdrawn', async () => {
  const created = await readJson('clients', 'token', '--note', 'rack-9');
  const shown = await run('enrolment', 'get', 'rack-9');
  expect(shown.out).toContain('status: open\n');
  expect(shown.out).not.toContain(created.token);
  expect(await complete('enrolment', 'withdraw', 'rack')).toEqual(['rack-9']);
  expect((await run('enrolment', 'withdraw', 'rack-9')).out).toBe('Enrolment token rack-9 is withdrawn.\n');
  expect((await run('enrolment', 'get', 'rack-9')).code).toBe(EXIT.notFound);
  expect((await run('enrolment', 'withdraw', 'rack-9')).code).toBe(EXIT.notFound);
});

it('a group is shown with its members', async () => {
  const member = await stage.t.createMember('viewer');
  await run('groups', 'create', 'night', '--description', 'on call');
  await run('groups', 'add', 'night', member.username);
  const shown = await run('groups', 'get', 'NIGHT');
  expect(shown.out).toContain('description: on call\n');
  expect(shown.out).toContain(`username: ${member.username}\n`);
  const { id, members } = await readJson('groups', 'get', 'night');
  expect(members).toMatchObject([{ username: member.username }]);
  expect(await readJson('groups', 'get', id)).toMatchObject({ name: 'night' });
  expect((await run('groups', 'get', 'day')).code).toBe(EXIT.notFound);
});

it('a permission is shown by its id from the list', async () => {
  const member = await stage.t.createMember('viewer');
  const { id } = await readJson('permissions', 'grant', 'service', '*', 'view', '--user', member.username);
  expect((await run('permissions', 'list', '--user', member.username)).out).toMatch(new RegExp(` ${id}$`, 'm'));
  expect(await complete('permissions', 'get', id.slice(0, 8))).toContain(id);
  expect((await run('permissions', 'get', id)).out).toContain('level: view\n');
  expect(await readJson('permissions', 'get', id)).toMatchObject({ subject: { name: member.username } });
  expect((await run('permissions', 'get', NO_SUCH_ID)).code).toBe(EXIT.notFound);
});

it('a zone is shown without its secrets', async () => {
  const created = await readJson('zones', 'create', 'lb.example.com');
  const shown = await run('zones', 'get', 'lb.example.com');
  expect(shown.out).toContain(`key_id: ${created.key_id}\n`);
  expect(shown.out).not.toContain(created.secret);
  expect((await run('zones', 'get', 'other.example.com')).code).toBe(EXIT.notFound);
});

it('a hold of the audit log is shown, also after its release', async () => {
  const { id } = await readJson('audit', 'holds', 'add', '--reason', 'case 7');
  expect(await complete('audit', 'holds', 'release', id.slice(0, 8))).toEqual([id]);
  expect((await run('audit', 'holds', 'get', id)).out).toContain('released_at: null\n');
  await run('audit', 'holds', 'release', id);
  expect(await readJson('audit', 'holds', 'get', id)).toMatchObject({ reason: 'case 7', released_by: 'admin' });
  expect((await run('audit', 'holds', 'get', NO_SUCH_ID)).code).toBe(EXIT.notFound);
});
