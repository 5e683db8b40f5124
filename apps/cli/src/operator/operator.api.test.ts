import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type TestTerminal } from './testing/terminal.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const PASSWORD = 'Correct-Horse-7-Battery';
let t: TestController;
let terminal: TestTerminal;
let url: string;

beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  url = await t.app.listen({ host: '127.0.0.1', port: 0 });
  terminal = await createTestTerminal();
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

async function write(name: string, text: string): Promise<string> {
  const file = join(terminal.folder, name);
  await writeFile(file, text);
  return file;
}

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);

async function login(at: TestTerminal, username = 'admin', password = t.controller.firstOwner?.password ?? '') {
  const argv = ['login', '--url', url, '--username', username, '--password-stdin'];
  return at.run(argv, { stdin: `${password}\n` });
}

function cluster(name: string, timeout = '1s'): string {
  return `collection: clusters
name: ${name}
version: ${VERSION}
resource:
  type: STATIC
  connect_timeout: ${timeout}
`;
}

describe('signing in', () => {
  it('stores the session in a file of mode 0600, chooses the only project, and signs out at the controller', async () => {
    const answer = await login(terminal);
    expect(answer).toMatchObject({ code: EXIT.ok, err: '' });
    expect(answer.out).toBe(`Signed in at ${url} as admin, project default.\n`);
    const file = terminal.env.FLOTILLA_CONFIG ?? '';
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const kept = await readFile(file, 'utf8');
    expect(kept).not.toContain(t.controller.firstOwner?.password);
    expect((await run(['whoami'])).out).toContain('owner of the installation');
    expect((await run(['logout'])).code).toBe(EXIT.ok);
    await writeFile(file, kept);
    // An API token cannot end the session, which would be deleted from the file but stay valid.
    expect(await run(['logout'], { env: { SVC_TOKEN: 'x' } })).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('SVC_TOKEN is set'),
    });
    expect(await readFile(file, 'utf8')).toBe(kept);
    expect(await run(['whoami'])).toMatchObject({
      code: EXIT.forbidden,
      err: expect.stringContaining('Sign in again'),
    });
    await login(terminal);
  });

  it('distinguishes a wrong password from an unreachable controller', async () => {
    const other = await createTestTerminal();
    expect(await login(other, 'admin', 'wrong')).toMatchObject({ code: EXIT.forbidden });
    const gone = await other.run(['whoami', '--url', 'http://127.0.0.1:9'], { env: { SVC_TOKEN: 'x' } });
    expect(gone).toMatchObject({ code: EXIT.unreachable, err: expect.stringContaining('cannot be reached') });
    expect((await other.run(['get', 'clusters'])).code).toBe(EXIT.forbidden);
    await other.close();
  });

  it('does not print an invalid SVC_TOKEN, and reports if SVC_TOKEN was refused', async () => {
    const whoamiWith = async (token: string) => run(['whoami'], { env: { SVC_TOKEN: token } });
    const torn = await whoamiWith('flt_first\nflt_second');
    expect(torn).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('SVC_TOKEN is not a token') });
    expect(torn.err).not.toContain('flt_');
    const foreign = await whoamiWith('flt_of-another\n');
    expect(foreign).toMatchObject({ code: EXIT.forbidden, err: expect.stringContaining('SVC_TOKEN is set') });
  });

  it('reports a server that is not a controller', async () => {
    const server = createServer((_request, response) => response.end('<html>'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const answer = await run(['whoami', '--url', `http://127.0.0.1:${port}`], { env: { SVC_TOKEN: 'x' } });
    expect(answer).toMatchObject({ code: EXIT.unreachable, err: expect.stringContaining('not a Flotilla controller') });
    server.close();
  });

  it('renews an expired access token, and sends its tokens to no other controller', async () => {
    const file = terminal.env.FLOTILLA_CONFIG ?? '';
    const settings = JSON.parse(await readFile(file, 'utf8'));
    settings.session.expires_at = new Date(0).toISOString();
    settings.session.access_token = 'worn-out';
    await writeFile(file, JSON.stringify(settings));
    expect((await run(['whoami'])).code).toBe(EXIT.ok);
    expect(JSON.parse(await readFile(file, 'utf8')).session.access_token).not.toBe('worn-out');
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    expect((await run(['whoami', '--url', `http://127.0.0.1:${port}`])).code).toBe(EXIT.forbidden);
    expect(seen).toEqual([]);
    server.close();
  });

  it('works with an API token from the environment and without a file', async () => {
    const created = await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
      name: 'ci',
      role: 'viewer',
    });
    const other = await createTestTerminal({ SVC_URL: url, SVC_TOKEN: created.body.token });
    expect((await other.run(['whoami'])).out).toContain('API token ci (viewer in default)');
    expect(await other.run(['get', 'clusters'])).toMatchObject({ code: EXIT.ok });
    const file = await write('denied.yaml', cluster('denied'));
    expect((await other.run(['apply', '-f', file])).code).toBe(EXIT.forbidden);
    await other.close();
  });
});

describe('the project', () => {
  it('must be given by name or id if there are several', async () => {
    const member = await t.createMember('editor');
    const second = await t.createProject('second');
    await t.owner.call('PUT', `/api/v3/setting/users/${member.userId}/memberships/${second}`, { role: 'viewer' });
    const row = await t.database.db
      .selectFrom('users')
      .select('username')
      .where('id', '=', member.userId)
      .executeTakeFirstOrThrow();
    const other = await createTestTerminal();
    expect((await login(other, row.username, PASSWORD)).err).toContain('flotilla use');
    expect(await other.run(['get', 'clusters'])).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('second'),
    });
    expect((await other.run(['get', 'clusters', '--project', 'Second'])).code).toBe(EXIT.ok);
    expect((await other.run(['get', 'clusters'], { env: { SVC_PROJECT: t.project } })).code).toBe(EXIT.ok);
    expect((await other.run(['get', 'clusters', '--project', 'nowhere'])).code).toBe(EXIT.notFound);
    expect((await other.run(['use', 'second'])).code).toBe(EXIT.ok);
    const file = await write('role.yaml', cluster('role'));
    expect((await other.run(['apply', '-f', file])).code).toBe(EXIT.forbidden);
    await other.close();
  });
});

describe('documents', () => {
  it('are applied all or none, printed in the form that apply accepts, and deleted', async () => {
    const file = await write('two.yaml', `${cluster('web')}---\n${cluster('api')}`);
    expect(await run(['diff', '-f', file])).toMatchObject({ code: EXIT.differs });
    const dry = await run(['apply', '-f', file, '--dry-run']);
    expect(dry.out).toContain(`clusters/web (${VERSION}) would be created`);
    expect((await run(['get', 'clusters'])).err).toContain('Nothing found');
    const applied = await run(['apply', '-f', file]);
    expect(applied).toMatchObject({ code: EXIT.ok, out: expect.stringContaining(`clusters/api (${VERSION}) created`) });
    expect(await run(['diff', '-f', file])).toMatchObject({ code: EXIT.ok, out: '' });
    const table = (await run(['get', 'clusters'])).out;
    expect(table).toMatch(/^NAME +VERSION +TYPE +REVISION/);
    expect(table).toMatch(/web +1\.40\.0 +Cluster +1/);
    const shown = (await run(['get', 'clusters', 'web'])).out;
    expect(shown).toContain('connect_timeout: 1s');
    const again = await run(['apply', '-f', '-'], { stdin: shown });
    expect(again.out).toContain('unchanged');
    const changed = await run(['diff', '-f', '-'], { stdin: shown.replace('1s', '3s') });
    expect(changed).toMatchObject({ code: EXIT.differs, out: expect.stringContaining('"1s" -> "3s"') });
    const json = JSON.parse((await run(['get', 'clusters', '--json'])).out);
    expect(json.items).toHaveLength(2);
    expect((await run(['delete', 'clusters', 'web'])).code).toBe(EXIT.ok);
    expect((await run(['delete', '-f', file])).code).toBe(EXIT.notFound);
    expect((await run(['get', 'clusters', 'web'])).code).toBe(EXIT.notFound);
    expect((await run(['delete', 'clusters', 'api'])).out).toContain('deleted');
  });

  it('that are refused are reported by file, line and field, and nothing is written', async () => {
    const file = await write('bad.yaml', `${cluster('fine')}---\n${cluster('wrong', '-5s')}`);
    const answer = await run(['apply', '-f', file]);
    expect(answer.code).toBe(EXIT.failed);
    expect(answer.err).toContain('Nothing was changed:');
    expect(answer.err).toMatch(/bad\.yaml:13:3: resource\.connect_timeout: /);
    expect((await run(['get', 'clusters', 'fine'])).code).toBe(EXIT.notFound);
  });

  it('that cannot be parsed are reported by file and line before anything is sent', async () => {
    const file = await write('broken.yaml', `${cluster('a')}---\ncollection: [clusters\n`);
    const answer = await run(['apply', '-f', file]);
    expect(answer).toMatchObject({ code: EXIT.failed, err: expect.stringMatching(/broken\.yaml:\d+:\d+: /) });
    expect((await run(['apply', '-f', join(terminal.folder, 'missing.yaml')])).code).toBe(EXIT.usage);
  });

  it('that are in use are not deleted, and the records that use them are listed', async () => {
    const text = `${cluster('used')}---
collection: routes
name: main
version: ${VERSION}
resource:
  virtual_hosts:
    - name: all
      domains: ["*"]
      routes:
        - match: { prefix: / }
          route: { cluster: used }
`;
    const applied = await run(['apply', '-f', '-'], { stdin: text });
    expect(applied).toMatchObject({ code: EXIT.ok });
    const answer = await run(['delete', 'clusters', 'used']);
    expect(answer.code).not.toBe(EXIT.ok);
    expect(answer.err).toContain('main');
    expect((await run(['delete', '-f', '-'], { stdin: text })).code).toBe(EXIT.ok);
  });
});

it('a sign-in uses the given realm', async () => {
  const argv = ['login', '--url', url, '--username', 'admin', '--realm', 'ldap', '--password-stdin'];
  const answer = await run(argv, { stdin: `${t.controller.firstOwner?.password ?? ''}\n` });
  expect(answer).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('/auth/realms') });
});

describe('wrong usage', () => {
  it.each([
    [['get', 'clutsers'], 'clusters'],
    [['frobnicate'], 'unknown command'],
    [['apply'], '-f FILE'],
    [['apply', '--nope'], 'unknown option'],
    [['delete', 'clusters'], 'COLLECTION NAME'],
    [['login', '--password-stdin'], '--username'],
    [['commands', 'send', 'SERVICE', '--body', '[]'], 'JSON object'],
    [['whoami', '--url', 'ftp://example.com'], 'http'],
    [['whoami', '--url', 'http://admin:secret@example.com'], 'out of the address'],
  ])('%j has its own exit code and a message', async (argv, text) => {
    expect(await run(argv)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(text) });
  });

  it('is avoided with --help', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('Exit codes') });
    expect((await run(['clients', 'token', '--help'])).out).toContain('--ttl');
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run([])).code).toBe(EXIT.ok);
  });
});

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await run(['__complete', '--', ...words])).out.split('\n').filter(Boolean);

  it('offers commands, options, collections and names of records', async () => {
    await run(['apply', '-f', '-'], { stdin: `${cluster('tab-one')}---\n${cluster('tab-two')}` });
    expect(await complete('')).toEqual(expect.arrayContaining(['apply', 'get', 'up', 'controller']));
    expect(await complete('de')).toEqual(['delete', 'dependencies', 'deploy']);
    expect(await complete('get', 'cl')).toEqual(['clusters', 'clients']);
    expect(await complete('get', 'clusters', 'tab-')).toEqual(['tab-one', 'tab-two']);
    expect(await complete('get', '--version', VERSION, 'clusters', 'tab-t')).toEqual(['tab-two']);
    expect(await complete('get', '--v')).toEqual(['--version']);
    expect(await complete('apply', '-f', '')).toEqual([':files']);
    expect(await complete('get', 'clusters', '--project', 'd')).toEqual(['default']);
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  it('prints nothing if the controller does not respond', async () => {
    const other = await createTestTerminal({ SVC_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'x' });
    expect(await other.run(['__complete', '--', 'get', 'clusters', ''])).toMatchObject({ code: 0, out: '', err: '' });
    await other.close();
  });

  it('has a script for each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await run(['completion', shell])).out).toContain('flotilla __complete');
    }
  });
});
