import { createHmac } from 'node:crypto';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type TestTerminal } from './testing/terminal.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
let t: TestController;
let terminal: TestTerminal;
let url: string;

const OWN = 'quiet evening by the river';

async function signIn(username: string, password: string): Promise<TestTerminal> {
  const at = await createTestTerminal();
  const argv = ['login', '--url', url, '--username', username, '--password-stdin', '--project', 'default'];
  expect(await at.run(argv, { stdin: `${password}\n${OWN}\n` })).toMatchObject({ code: EXIT.ok });
  return at;
}

beforeAll(async () => {
  t = await createTestController();
  url = await t.app.listen({ host: '127.0.0.1', port: 0 });
  terminal = await signIn('admin', t.controller.firstOwner?.password ?? '');
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);
const readJson = async (...argv: string[]) => JSON.parse((await run([...argv, '--json'])).out);

describe('projects', () => {
  it('are created, shown and deleted by name; a dry run changes nothing', async () => {
    const tried = await run(['projects', 'create', 'later', '--starters', 'none', '--dry-run']);
    expect(tried.out).toBe('Project later could be created.\n');
    expect((await run(['projects', 'get', 'later'])).code).toBe(EXIT.notFound);
    const created = await readJson('projects', 'create', 'shop', '--description', 'the shop', '--starters', 'none');
    expect(created).toMatchObject({ name: 'shop', description: 'the shop' });
    expect(await readJson('projects', 'get', 'shop')).toMatchObject({ id: created.id });
    expect((await run(['projects', 'create', 'shop'])).code).toBe(EXIT.conflict);
    expect((await run(['projects', 'list'])).out).toMatch(/^shop +0 .* the shop +[0-9a-f-]{36}$/m);
    expect((await run(['projects', 'delete', 'shop', '--dry-run'])).out).toBe('Project shop could be deleted.\n');
    expect((await run(['projects', 'delete', 'shop'])).out).toBe('Project shop deleted.\n');
    expect((await readJson('projects', 'list')).items).toHaveLength(1);
  });

  it('start with documents for the given versions, or for the newest version', async () => {
    const offered = (await t.owner.call('GET', '/api/v3/setting/project-starters')).body;
    const created = await run(['projects', 'create', 'first']);
    expect(created.out).toMatch(/^Project first created: [0-9a-f-]{36}, with \d+ documents for Envoy [\d.]+\n$/);
    expect(created.out).toContain(`Envoy ${offered.default_version}\n`);
    const both = await run(['projects', 'create', 'both', '--starters', '1.40,1.36.4']);
    expect(both.out).toMatch(/documents for Envoy 1\.40\.\d+ and 1\.36\.4\n$/);
    const versions = (await readJson('get', 'listeners', '--project', 'both')).items;
    expect(versions.map(({ version }: { version: string }) => version)).toContain('1.36.4');
    expect(versions).toHaveLength(2);
    for (const wrong of ['new', '0.1']) {
      const refused = await run(['projects', 'create', 'wrong', '--starters', wrong]);
      expect([refused.code, (await run(['projects', 'get', 'wrong'])).code]).toEqual([EXIT.usage, EXIT.notFound]);
    }
    expect((await run(['projects', 'create', 'wrong', '--starters', '0.0.1'])).err).toContain('Known versions');
  });
});

describe('users', () => {
  it('get a password that is the only standard output, and can sign in with it', async () => {
    const created = await run(['users', 'create', 'bob', '--role', 'editor']);
    expect(await run(['users', 'create', 'bob'])).toMatchObject({
      code: EXIT.conflict,
      err: expect.stringContaining('flotilla users invite bob'),
    });
    expect(created).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('shown this once') });
    expect(created.out).toMatch(/^\S+\n$/);
    expect((await run(['users', 'list'])).out).toMatch(/^bob +editor +yes /m);
    expect(await readJson('users', 'get', 'BOB')).toMatchObject({ username: 'bob', memberships: [{ role: 'editor' }] });
    expect((await run(['users', 'get', 'nobody'])).code).toBe(EXIT.notFound);
    const bob = await signIn('bob', created.out.trim());
    expect((await bob.run(['users', 'list'])).code).toBe(EXIT.forbidden);
    expect((await bob.run(['projects', 'create', 'mine'])).code).toBe(EXIT.forbidden);
    expect((await bob.run(['tokens', 'create', 'mine', '--role', 'editor'])).code).toBe(EXIT.forbidden);
    await bob.close();
  });

  it('are deleted with the digest of a plan, unless the plan has changed', async () => {
    await run(['users', 'create', 'leaver', '--role', 'editor']);
    await run(['groups', 'create', 'left']);
    await run(['groups', 'add', 'left', 'leaver']);
    const shown = await run(['users', 'delete', 'leaver']);
    expect(shown).toMatchObject({ code: EXIT.ok });
    expect(shown.out).toMatch(
      /^With the account:\n {2}1 memberships deleted: default\n {2}\d+ groups deleted: .*\bleft\b/,
    );
    const [, digest = ''] =
      /flotilla users delete [0-9a-f-]{36} --project [0-9a-f-]{36} --plan ([0-9a-f]{64})\n/.exec(shown.out) ?? [];
    expect(await readJson('users', 'delete', 'leaver')).toMatchObject({ digest });
    await run(['groups', 'remove', 'left', 'leaver']);
    const stale = await run(['users', 'delete', 'leaver', '--plan', digest]);
    expect(stale).toMatchObject({
      code: EXIT.conflict,
      err: expect.stringContaining('The deletion plan of leaver has changed'),
    });
    const now = (await readJson('users', 'delete', 'leaver')).digest;
    expect((await run(['users', 'delete', 'leaver', '--plan', now])).out).toBe('User leaver deleted.\n');
    expect((await run(['users', 'get', 'leaver'])).code).toBe(EXIT.notFound);
  });

  it('are created with a password from standard input, which is not printed', async () => {
    const stdin = 'Correct-Horse-8-Battery\n';
    const created = await run(['users', 'create', 'carol', '--password-stdin', '--json'], { stdin });
    expect(created.out + created.err).not.toContain('Correct-Horse');
    expect(JSON.parse(created.out)).toMatchObject({ username: 'carol', memberships: [{ role: 'viewer' }] });
    await (await signIn('carol', stdin.trim())).close();
    const weak = await run(['users', 'create', 'dave', '--password-stdin'], { stdin: 'short' });
    expect(weak.code).toBe(EXIT.failed);
    expect(weak.out + weak.err).not.toContain('short\n');
  });

  it('must replace a password from an administrator before they are signed in', async () => {
    const { out } = await run(['users', 'create', 'dora', '--role', 'editor']);
    const given = out.trim();
    const dora = await createTestTerminal();
    const argv = ['login', '--url', url, '--username', 'dora', '--password-stdin'];
    const login = (...lines: string[]) => dora.run(argv, { stdin: `${lines.join('\n')}\n` });
    for (const [lines, code, message] of [
      [[given], EXIT.forbidden, 'An administrator chose your password'],
      [[given, given], EXIT.failed, 'it is the current one'],
      [[given, 'Password1234!'], EXIT.failed, 'one of the common passwords'],
    ] as const) {
      expect(await login(...lines)).toMatchObject({ code, err: expect.stringContaining(message) });
      expect(await dora.run(['whoami'])).toMatchObject({ code: EXIT.forbidden });
    }
    const live = await t.database.db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'user_id')
      .select('sessions.id')
      .where('username', '=', 'dora')
      .where('ended_at', 'is', null)
      .execute();
    expect(live).toEqual([]);
    const changed = await login(given, OWN);
    expect(changed).toMatchObject({ code: EXIT.ok, err: 'Your password is changed.\n' });
    expect(changed.out).toContain('as dora');
    expect(await login(OWN)).toMatchObject({ code: EXIT.ok, err: '' });
    await dora.close();
  });

  it('are listed by role and realm', async () => {
    const list = async (...more: string[]) =>
      (await readJson('users', 'list', ...more)).items.map(({ username }: { username: string }) => username);
    expect(await list('--role', 'editor')).toEqual(['bob', 'dora']);
    expect(await list('--role', 'editor', '--role', 'viewer')).toEqual(['bob', 'carol', 'dora']);
    expect(await list('--realm', 'local', '--query', 'carol')).toEqual(['carol']);
    expect(await list('--realm', 'ldap')).toEqual([]);
    expect((await run(['users', 'list', '--role', 'king'])).code).toBe(EXIT.usage);
  });

  it('of one project are not found in another', async () => {
    const other = await t.createProject('other');
    expect((await run(['users', 'get', 'bob', '--project', other])).code).toBe(EXIT.notFound);
    expect((await run(['users', 'list', '--project', other, '--json'])).out).not.toContain('bob');
  });
});

describe('a second factor', () => {
  it('is required at login, and a backup code works only once', async () => {
    const api = await t.createMember('viewer');
    const { username, password } = api;
    const { body: setUp } = await api.call('POST', '/api/v3/profile/otp/enable', { password });
    expect((await api.call('POST', '/api/v3/profile/otp/verify', { code: codeOf(setUp.secret) })).status).toBe(204);
    const erin = await createTestTerminal();
    const argv = ['login', '--url', url, '--username', username, '--password-stdin'];
    const login = (...more: string[]) => erin.run([...argv, ...more], { stdin: password });
    expect(await login()).toMatchObject({ code: EXIT.forbidden, err: expect.stringContaining('--otp CODE') });
    expect((await erin.run(['whoami'])).code).toBe(EXIT.forbidden);
    const [first, second] = setUp.backup_codes;
    expect(await login('--otp', `${first.slice(0, -1)}!`)).toMatchObject({ code: EXIT.forbidden });
    expect(await login('--otp', first)).toMatchObject({ code: EXIT.ok });
    expect((await erin.run(['whoami'])).out).toContain(`${username} (viewer in default)`);
    expect((await erin.run(['logout'])).code).toBe(EXIT.ok);
    expect(await login('--otp', first)).toMatchObject({ code: EXIT.forbidden });
    expect(await login('--otp', second)).toMatchObject({ code: EXIT.ok });
    await erin.close();
  });
});

/** Returns the current code of a base32 key (RFC 6238: SHA-1, 30 s, six digits). */
function codeOf(secret: string): string {
  const bits = [...secret].map((one) => BASE32.indexOf(one).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

describe('zones', () => {
  it('get a secret that is printed once with its key, an overlapping second secret, and are ended', async () => {
    const created = await run(['zones', 'create', 'lb.example.com']);
    expect(created.out).toMatch(/^[0-9a-f-]{36} fltz_[\w-]{43}\n$/);
    const [key = '', secret = ''] = created.out.trim().split(' ');
    const listed = await run(['zones', 'list']);
    expect(listed.out).toContain(`lb.example.com  ${key}`);
    expect(listed.out).not.toContain(secret);
    const rotated = await run(['zones', 'rotate', 'lb.example.com', '--overlap', '1h']);
    expect(rotated).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('The old one ends') });
    expect(rotated.out).not.toContain(key);
    expect((await run(['zones', 'rotate', 'lb.example.com'])).code).toBe(EXIT.conflict);
    expect((await run(['__complete', '--', 'zones', 'end', 'lb'])).out.trim()).toBe('lb.example.com');
    expect((await run(['zones', 'end', 'lb.example.com'])).code).toBe(EXIT.ok);
    expect((await run(['zones', 'end', 'lb.example.com'])).code).toBe(EXIT.notFound);
  });
});

describe('tokens', () => {
  it('are printed once, work until they are revoked, and have the given expiry time', async () => {
    const created = await run(['tokens', 'create', 'ci', '--role', 'viewer', '--expires', '90d']);
    const token = created.out.trim();
    const env = { SVC_TOKEN: token };
    expect((await run(['whoami'], { env })).out).toContain('API token ci (viewer in default)');
    expect((await run(['may', 'listPolicies'], { env })).out).toBe('You may use listPolicies\n');
    expect(await run(['may', 'createPolicy'], { env })).toMatchObject({
      code: EXIT.forbidden,
      err: 'flotilla: You may not use createPolicy. See what you may do with: flotilla may\n',
    });
    expect((await run(['may'], { env })).out).toMatch(/^As viewer:\n[\s\S]*\nlistPolicies\n/);
    const listed = await run(['tokens', 'list', '--json']);
    expect(listed.out).not.toContain(token);
    const [row] = JSON.parse(listed.out).items;
    const days = (Date.parse(row.expires_at) - Date.parse(row.created_at)) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    expect((await run(['tokens', 'revoke', 'ci'])).out).toBe('Token ci revoked.\n');
    expect((await run(['whoami'], { env })).code).toBe(EXIT.forbidden);
    expect((await run(['tokens', 'revoke', 'ci'])).code).toBe(EXIT.notFound);
  });

  it('get a new secret, with or without an overlap of the old one', async () => {
    const first = (await run(['tokens', 'create', 'turn', '--role', 'viewer'])).out.trim();
    const rotated = await run(['tokens', 'rotate', 'turn', '--overlap', '1h']);
    expect(rotated.err).not.toContain(rotated.out.trim());
    const second = rotated.out.trim();
    for (const token of [first, second])
      expect((await run(['whoami'], { env: { SVC_TOKEN: token } })).code).toBe(EXIT.ok);
    const third = (await run(['tokens', 'rotate', 'turn', '--overlap', '0s'])).out.trim();
    for (const token of [first, second])
      expect((await run(['whoami'], { env: { SVC_TOKEN: token } })).code).toBe(EXIT.forbidden);
    expect((await run(['whoami'], { env: { SVC_TOKEN: third } })).code).toBe(EXIT.ok);
    await run(['tokens', 'revoke', 'turn']);
  });

  it('with some scopes cannot call other routes', async () => {
    const argv = ['tokens', 'create', 'narrow', '--role', 'viewer', '--family', 'events', '--family', 'policies'];
    const env = { SVC_TOKEN: (await run(argv)).out.trim(), SVC_PROJECT: t.project };
    expect((await run(['policies'], { env })).code).toBe(EXIT.ok);
    expect((await run(['get', 'clusters'], { env })).code).toBe(EXIT.forbidden);
    expect((await run(['tokens', 'list'])).out).toMatch(/^narrow +viewer +policies events /m);
    await run(['tokens', 'revoke', 'narrow']);
  });

  it.each([
    [['tokens', 'rotate', 'ci', '--overlap', 'soon'], 'is not a duration'],
    [['tokens', 'create', 'x'], '--role'],
    [['tokens', 'create', 'x', '--role', 'king'], 'Allowed choices are owner, admin, editor, viewer'],
    [['tokens', 'create', 'x', '--role', 'viewer', '--expires', 'soon'], 'neither a time'],
  ])('%j is wrong usage', async (argv, text) => {
    expect(await run(argv)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(text) });
  });

  it('are completed by name, like projects and users', async () => {
    await run(['tokens', 'create', 'nightly', '--role', 'viewer']);
    const complete = async (...words: string[]) => (await run(['__complete', '--', ...words])).out.trim().split('\n');
    expect(await complete('tokens', 'revoke', 'ni')).toEqual(['nightly']);
    expect(await complete('projects', 'delete', 'ot')).toEqual(['other']);
    expect(await complete('users', 'get', 'ca')).toEqual(['carol']);
    expect(await complete('users', 'create', 'ca')).toEqual(['']);
    expect(await complete('tokens', 're')).toEqual(['revoke']);
  });
});

describe('the audit log', () => {
  it('lists filtered entries, and none of other projects', async () => {
    const list = await readJson('audit', 'list', '--action', 'user.create', '--since', '1h');
    expect(list.items.map(({ resource }: { resource: { name: string } }) => resource.name)).toEqual([
      'dora',
      'carol',
      'leaver',
      'bob',
    ]);
    expect((await run(['audit', 'list', '--action', 'user.create'])).out).toMatch(/admin +user\.create +done +carol/);
    const one = await readJson('audit', 'get', list.items[0].id);
    expect(one).toMatchObject({ action: 'user.create', actor: { name: 'admin' } });
    const other = await readJson('projects', 'get', 'other');
    expect((await run(['audit', 'get', one.id, '--project', other.id])).code).toBe(EXIT.notFound);
    expect((await readJson('audit', 'list', '--project', other.id, '--action', 'user.create')).items).toEqual([]);
  });

  it('is read up to a limit', async () => {
    expect((await readJson('audit', 'list', '--limit', '3')).items).toHaveLength(3);
    expect((await run(['audit', 'list', '--limit', '0'])).code).toBe(EXIT.usage);
    expect((await run(['audit', 'list', '--outcome', 'lost'])).code).toBe(EXIT.usage);
  });

  it('has statistics', async () => {
    const stats = await run(['audit', 'stats', '--action', 'api_token.create']);
    expect(stats.out).toMatch(/^\d+ entries: \d done, \d denied, 0 failed\n/);
    expect(stats.out).toMatch(/^admin +4$/m);
  });
});
