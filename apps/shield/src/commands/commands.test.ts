import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createSilentLogger } from '@flotilla/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runShield } from '../run.ts';

const HEAD = 'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: shop }\n';
const KEYED = `${HEAD}spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          api_key: { keys: [{ sha256: ${'a'.repeat(64)}, subject: till }] }
          rate_limit: { requests_per_second: 1, burst: 1, key: ip, header: X-User }
      routes:
        - match: { path_prefix: /open/ }
          policy: { engines: { api_key: null } }
`;
const OPEN = `${HEAD}spec:\n  domains: [{ hosts: [api.example.com], policy: { engines: { rate_limit: { requests_per_second: 1000 } } } }]\n`;

let folder: string;
let keyed: string;
let open: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-commands-'));
  keyed = join(folder, 'keyed.yaml');
  open = join(folder, 'open.yaml');
  await writeFile(keyed, KEYED);
  await writeFile(open, OPEN);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function run(...argv: string[]) {
  let stdout = '';
  let stderr = '';
  const code = await runShield(argv, {
    env: {},
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal: AbortSignal.abort(),
    logger: createSilentLogger(),
  });
  return { code, stdout, stderr };
}

describe('validate', () => {
  it('reports warnings with their place and exits 0, or 1 if warnings count', async () => {
    const { code, stdout, stderr } = await run('validate', keyed);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${keyed}: valid (1 policy, 1 domain, digest `)]);
    expect(stderr).toBe(
      `${keyed}:10:spec.domains[0].policy.engines.rate_limit.header: warning: is ignored: the key is the address of the client [rate_limit.header_ignored]\n`,
    );
    expect((await run('validate', '--strict', keyed)).code).toBe(1);
    expect(await run('validate', '--strict', open)).toMatchObject({ code: 0, stderr: '' });
  });

  it('prints the numbers of policies and domains', async () => {
    const bundle = join(folder, 'several');
    await mkdir(bundle);
    await writeFile(join(bundle, 'a.yaml'), KEYED);
    await writeFile(join(bundle, 'b.yaml'), `${HEAD.replace('shop', 'none')}spec: { domains: [] }\n`);
    expect((await run('validate', bundle)).stdout).toContain('valid (2 policies, 1 domain, digest ');
  });

  it('prints problems and warnings as JSON', async () => {
    const good = await run('validate', '--json', keyed);
    expect([good.code, JSON.parse(good.stdout)]).toEqual([
      0,
      expect.objectContaining({
        valid: true,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        problems: [],
        warnings: [expect.objectContaining({ file: 'keyed.yaml', line: 10, rule: 'rate_limit.header_ignored' })],
      }),
    ]);
    await writeFile(keyed, KEYED.replace('requests_per_second: 1,', 'requests_per_second: 0,'));
    const bad = await run('validate', '--json', keyed);
    expect([bad.code, JSON.parse(bad.stdout)]).toEqual([
      1,
      expect.objectContaining({
        valid: false,
        digest: null,
        problems: [expect.objectContaining({ line: 10, rule: 'rate_limit.rate' })],
      }),
    ]);
  });

  it('reads the data files that a load would read', async () => {
    const bundle = join(folder, 'bundle');
    await mkdir(join(bundle, 'files'), { recursive: true });
    const jwt = `${HEAD}spec:\n  domains: [{ hosts: ['*'], policy: { engines: { jwt: { algorithms: [RS256], public_key_file: files/key.pem } } } }]\n`;
    await writeFile(join(bundle, 'p.yaml'), jwt);
    expect(await run('validate', bundle)).toMatchObject({ code: 1, stderr: expect.stringContaining('p.yaml:5:') });
    await writeFile(join(bundle, 'files/key.pem'), 'no key at all');
    expect((await run('validate', bundle)).code).toBe(1);
  });
});

describe('explain', () => {
  const explain = (...argv: string[]) => run('explain', '--policy', keyed, ...argv);

  it('prints the verdict, the match and every engine', async () => {
    const { code, stdout } = await explain('--url', 'https://api.example.com/v1?a=b', '--source-ip', '192.0.2.1');
    expect(code).toBe(0);
    expect(stdout).toBe(`BLOCKED
  Blocked with 403 by api_key of policy shop: apikey.missing.

REQUEST
  request  GET /v1?…
  host     api.example.com
  domain   api.example.com of policy shop
  route    the domain's own policy
  client   192.0.2.1 (given)
  body     none

ENGINES
     engine      phase    route  mode   verdict
  1  rate_limit  headers  *      block  allows                 bucket of ip 192.0.2.1: 1/s, burst 1, shared by 2 policies
  2  api_key     headers  *      block  BLOCKS apikey.missing

NOT MATCHED
  /open/  does not begin the path

THE CLIENT GETS
  status 403
  x-svc-shield: blocked
  Request blocked.
`);
  });

  it('reads method, headers and a body from a file', async () => {
    const body = join(folder, 'body');
    await writeFile(body, Buffer.from([0xff, 0x00, 0x01]));
    const { stdout } = await explain(
      '--method',
      'POST',
      '--url',
      '/open/x',
      '-H',
      'Host: api.example.com',
      '-H',
      'X-Forwarded-For: 198.51.100.1, 192.0.2.9',
      '--xff-trusted-hops',
      '1',
      '--body',
      `@${body}`,
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'allowed',
      request: { method: 'POST', source_ip: '198.51.100.1', source_ip_from: 'x-forwarded-for' },
      match: { readings: [{ route: '/open/' }] },
      body: { sent_bytes: 3, state: 'not_wanted' },
    });
  });

  it('prints nothing that controls a terminal', async () => {
    const { stdout } = await explain('--url', '/\u001b[2J\u202e', '-H', 'Host: a\u001b]0;x\u0007');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it.each([
    [['--method', 'GET']],
    [['--url', '/', 'more']],
    [['--url', '/', '-H', 'no colon']],
    [['--url', '/', '--source-ip', 'here']],
    [['--url', '/', '--xff-trusted-hops', 'x']],
    [['--url', '/', '--bogus']],
  ])('exits 2 with the usage for %j', async (argv) => {
    expect(await explain(...argv)).toMatchObject({ code: 2, stderr: expect.stringContaining('usage:') });
  });

  it.each(['api.example.com/v1', 'api.example.com:8443', 'localhost', 'https:/api.example.com', '?a=b'])(
    'refuses %j, which names neither a scheme nor a path, and says what to write',
    async (url) => {
      const refused = await explain('--url', url, '--host', 'api.example.com');
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(
        /^flotilla shield: --url needs .*: write https:\/\/api\.example\.com\/v1, or \/v1 with --host api\.example\.com\n/,
      );
    },
  );

  it.each(['https://api.example.com', 'HTTP://api.example.com/', '/v1', '//v1', '*'])('takes %j', async (url) => {
    expect((await explain('--url', url, '--host', 'api.example.com')).code).toBe(0);
  });

  it('exits 1 for an unreadable policy or body', async () => {
    await writeFile(keyed, 'kind: nonsense');
    expect(await explain('--url', '/')).toMatchObject({ code: 1, stderr: expect.stringContaining('keyed.yaml:1:') });
    await writeFile(keyed, KEYED);
    expect((await explain('--url', '/', '--body', `@${folder}/none`)).code).toBe(1);
  });
});

describe('replay', () => {
  const line = (second: number, status = 200) =>
    `[2026-04-01T10:00:${String(second).padStart(2, '0')}.000Z] "GET /open/x HTTP/1.1" ${status} - 0 2 1 1 "192.0.2.1" "agent" "r" "api.example.com" "u"\n`;

  it('prints what would change, as text and as JSON', async () => {
    const log = join(folder, 'access.log');
    await writeFile(log, `${line(0)}${line(0)}${line(5)}nonsense\n`);
    const words = await run('replay', '--policy', keyed, log);
    expect(words.code).toBe(0);
    expect(words.stdout).toContain('1 of 3 verdicts differ from what was answered then.');
    expect(words.stdout).toContain('allowed -> blocked (ratelimit.exceeded)');
    // Recorded responses do not show detections; a baseline policy does.
    expect(words.stdout).toMatch(/^ *before +3 +0 +unknown$/m);
    const compared = await run('replay', '--policy', keyed, '--baseline', open, log);
    expect(compared.stdout).toMatch(/^ *before +3 +0 +0$/m);
    expect(words.stdout).toContain(`${log}:4 is not in a format that is understood`);
    const json = await run('replay', '--policy', keyed, '--baseline', open, '--json', log);
    expect(JSON.parse(json.stdout)).toMatchObject({
      baseline: { kind: 'policy' },
      totals: { requests: 3, allow_to_block: 1, bad_records: 1 },
    });
  });

  it('fails on change only with the flag', async () => {
    const log = join(folder, 'access.log');
    await writeFile(log, `${line(0)}${line(0)}`);
    expect((await run('replay', '--policy', keyed, '--fail-on-change', log)).code).toBe(1);
    expect((await run('replay', '--policy', open, '--fail-on-change', log)).code).toBe(0);
  });

  it('reads rotated and compressed logs in order of their times', async () => {
    const newer = join(folder, 'access.log');
    const older = join(folder, 'access.log.1.gz');
    await writeFile(newer, line(30));
    await writeFile(older, gzipSync(line(10)));
    const { stdout } = await run('replay', '--policy', keyed, '--json', newer, older);
    expect(JSON.parse(stdout).totals).toMatchObject({ requests: 2, out_of_order: 0, candidate: { allowed: 2 } });
  });

  it('exits 1 for an unreadable log and 2 for a bad command line', async () => {
    expect((await run('replay', '--policy', keyed, join(folder, 'none'))).code).toBe(1);
    const broken = join(folder, 'broken.gz');
    await writeFile(broken, 'no gzip');
    expect((await run('replay', '--policy', keyed, broken)).code).toBe(1);
    expect((await run('replay', '--policy', keyed)).code).toBe(2);
    expect((await run('replay', 'x')).code).toBe(2);
    expect((await run('replay', '--policy', keyed, '--format', 'xml', 'x')).code).toBe(2);
  });
});
