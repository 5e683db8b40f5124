import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const stage = shareOwnersTerminal();

const run = (...argv: string[]) => stage.terminal.run(argv);
const readJson = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).out);

it('access tokens are signed with a new key, and previous tokens stay valid', async () => {
  const [before] = (await readJson('signing-keys', 'list')).items;
  const { kid } = await readJson('signing-keys', 'rotate');
  expect((await run('signing-keys', 'list')).out).toMatch(new RegExp(`^${kid} +yes .* -$`, 'm'));
  const { items } = await readJson('signing-keys', 'list');
  expect(items).toContainEqual(expect.objectContaining({ kid: before.kid, signs: false }));
});

it('the discovery token is created, shown without its value and ended', async () => {
  expect((await run('discovery-token', 'get')).code).toBe(EXIT.notFound);
  const created = await run('discovery-token', 'generate');
  expect(created).toMatchObject({ code: EXIT.ok, err: 'The discovery token, shown once.\n' });
  const again = await run('discovery-token', 'generate', '--overlap', '1h');
  expect(again.err).toContain('The old one ends 20');
  const shown = await run('discovery-token', 'get');
  expect(shown.out).toContain('created_by: admin\n');
  for (const { out } of [created, again]) expect(shown.out).not.toContain(out.trim());
  expect((await run('discovery-token', 'end')).out).toBe('The discovery token has ended.\n');
  expect((await run('discovery-token', 'end')).code).toBe(EXIT.notFound);
});

it('threat feeds are uploaded, read, switched off and deleted', async () => {
  const file = join(stage.terminal.folder, 'bad.txt');
  await writeFile(file, '192.0.2.1\n# of old\n198.51.100.0/24\nno address\n');
  expect((await run('threat-feeds', 'upload', 'bad', file)).out).toBe(
    'Feed bad has 2 entries; 1 lines are skipped: 4\n',
  );
  expect((await run('threat-feeds', 'get', 'bad')).out).toBe('192.0.2.1/32\n198.51.100.0/24\n');
  expect((await readJson('threat-feeds', 'get', 'bad')).entries).toHaveLength(2);
  expect((await run('threat-feeds', 'off', 'bad')).out).toBe('Feed bad is off.\n');
  expect((await run('threat-feeds', 'list')).out).toMatch(/^bad +no +2 /m);
  expect((await run('threat-feeds', 'on', 'bad')).out).toBe('Feed bad is on.\n');
  expect((await run('threat-feeds', 'on', 'good')).code).toBe(EXIT.notFound);
  expect((await run('__complete', '--', 'threat-feeds', 'delete', 'b')).out).toBe('bad\n');
  expect((await run('threat-feeds', 'delete', 'bad')).out).toBe('Feed bad deleted.\n');
  expect((await run('threat-feeds', 'get', 'bad')).code).toBe(EXIT.notFound);
  expect((await run('threat-feeds', 'upload', 'bad', join(stage.terminal.folder, 'none'))).code).toBe(EXIT.usage);
});

it('GeoIP databases are listed, and an invalid one is refused', async () => {
  expect((await run('geoip', 'list')).out).toMatch(/^city +- +- +- +- +-$/m);
  const file = join(stage.terminal.folder, 'city.mmdb');
  await writeFile(file, 'no database');
  expect((await run('geoip', 'upload', 'city', file)).code).toBe(EXIT.failed);
  expect((await run('geoip', 'upload', 'town', file)).code).toBe(EXIT.usage);
  const fetched = ['geoip', 'download', 'city', '--sha256', '0'.repeat(64)];
  expect((await stage.terminal.run(fetched, { stdin: 'ftp://example.com/city.mmdb?key=hush' })).err).not.toContain(
    'hush',
  );
  expect((await run('geoip', 'delete', 'asn')).code).toBe(EXIT.notFound);
});

it('settings are reset to their defaults and have a history', async () => {
  await run('settings', 'set', 'smtp', 'host=mail.example');
  expect((await run('settings', 'history', 'smtp')).out).toMatch(/^REVISION[^\n]*\n +1 +admin /);
  expect((await readJson('settings', 'history', 'smtp')).items[0].value).toMatchObject({ host: 'mail.example' });
  expect((await run('settings', 'reset', 'smtp')).out).toBe('smtp has its defaults again.\n');
  expect(JSON.parse((await run('settings', 'get', 'smtp')).out).value.host).not.toBe('mail.example');
  expect((await run('settings', 'reset', 'cloud')).code).toBe(EXIT.usage);
  expect((await run('settings', 'history', 'weather')).code).toBe(EXIT.notFound);
});

it('a named settings document is created once, changed and deleted', async () => {
  const auth = ['auth.auth_url=https://cloud.example.com/v3', 'auth.application_credential_id=x'];
  const create = ['settings', 'create', 'cloud/main', 'region_name=north', ...auth];
  const secret = { stdin: 'hush-hush' };
  const created = await stage.terminal.run([...create, '--secret-stdin', 'auth.application_credential_secret'], secret);
  expect(created).toMatchObject({ code: EXIT.ok, out: 'cloud/main created.\n' });
  expect((await run('settings', 'get', 'cloud', 'main')).out).not.toContain('hush');
  expect((await run(...create)).code).toBe(EXIT.conflict);
  expect((await run('settings', 'set', 'cloud/main', 'region_name=south')).code).toBe(EXIT.ok);
  expect((await run('settings', 'create', 'cloud', 'region_name=north')).code).toBe(EXIT.usage);
  expect((await run('settings', 'create', 'smtp', 'host=mail.example')).code).toBe(EXIT.usage);
  expect((await run('settings', 'get', 'cloud/main')).out).toContain('south');
  expect((await run('settings', 'history', 'cloud/main')).code).toBe(EXIT.ok);
  for (const place of [['cloud/main/more'], ['cloud/main', 'other'], ['cloud/']]) {
    expect((await run('settings', 'reset', ...place)).code, place.join(' ')).toBe(EXIT.usage);
  }
  expect((await run('settings', 'reset', 'cloud/main')).out).toBe('cloud/main deleted.\n');
  expect((await run('settings', 'get', 'cloud', 'main')).code).toBe(EXIT.notFound);
});

it('settings that projects can have are those of the project, or with --installation of the installation (contradiction: collector settings)', async () => {
  const file = join(stage.terminal.folder, 'feed.txt');
  await writeFile(file, '192.0.2.1\n');
  const here = ['--installation'];
  expect((await run('threat-feeds', 'upload', 'shared', file, ...here)).code).toBe(EXIT.ok);
  expect((await run('threat-feeds', 'off', 'shared')).code).toBe(EXIT.notFound);
  expect((await run('threat-feeds', 'off', 'shared', ...here)).out).toBe('Feed shared is off.\n');

  expect((await run('threat-feeds', 'upload', 'own', file)).code).toBe(EXIT.ok);
  const namesOf = async (...argv: string[]) =>
    (await readJson('threat-feeds', 'list', ...argv)).items.map(({ name }: { name: string }) => name);
  expect([await namesOf(), await namesOf(...here)]).toEqual([['own'], ['shared']]);
  expect((await readJson('threat-feeds', 'get', 'shared', ...here)).entries).toEqual(['192.0.2.1/32']);
  expect((await run('threat-feeds', 'delete', 'own')).code).toBe(EXIT.ok);
  expect((await run('threat-feeds', 'delete', 'shared', ...here)).code).toBe(EXIT.ok);

  const set = ['settings', 'set', 'api_discovery'];
  expect((await run(...set, 'policy.raw_sample_rate=0.25', ...here)).code).toBe(EXIT.ok);
  expect((await run(...set, 'policy.raw_sample_rate=0.5')).code).toBe(EXIT.ok);
  const rateOf = async (...argv: string[]) =>
    JSON.parse((await run('settings', 'get', 'api_discovery', ...argv)).out).value.policy.raw_sample_rate;
  expect([await rateOf(), await rateOf(...here)]).toEqual([0.5, 0.25]);
  expect((await run('settings', 'reset', 'api_discovery')).code).toBe(EXIT.ok);
  expect(await rateOf()).toBe(0.25);
  expect((await run('settings', 'get', 'cloud/main', ...here)).code).toBe(EXIT.usage);
  expect((await run('geoip', 'delete', 'city', ...here)).code).toBe(EXIT.notFound);
});

it.each(['threat-feeds list', 'geoip list', 'settings get api_discovery'])(
  'flotilla %s refuses a project together with the installation (contradiction: collector settings)',
  async (command) => {
    const both = await run(...command.split(' '), '--project', 'default', '--installation');
    expect(both).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--project or --installation') });
  },
);
