import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDeadSocket } from './listen-address.ts';
import { runShield } from './run.ts';

const GOOD = 'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: demo }\nspec: { domains: [] }\n';
const BAD = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec:
  domains:
    - hosts: ["*"]
      policy:
        engines:
          rate_limit:
            requests_per_second: 0
            key: header
`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-run-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function run(argv: string[], env: Record<string, string> = {}, signal = AbortSignal.abort()) {
  let stdout = '';
  let stderr = '';
  const code = await runShield(argv, {
    env,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal,
    logger: createSilentLogger(),
  });
  return { code, stdout, stderr };
}

describe('flotilla shield validate', () => {
  it('exits 0 and prints the digest of a good bundle', async () => {
    await writeFile(join(folder, 'p.yaml'), GOOD);
    const { code, stdout } = await run(['validate', folder]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/valid \(1 policy, 0 domains, digest [0-9a-f]{64}\)/);
  });

  it('exits 1 with file, line and field of every problem', async () => {
    const file = join(folder, 'p.yaml');
    await writeFile(file, BAD);
    for (const path of [file, folder]) {
      const { code, stderr } = await run(['validate', path]);
      expect(code).toBe(1);
      const field = 'spec.domains[0].policy.engines.rate_limit';
      expect(stderr.split('\n')).toEqual([
        `${file}:9:${field}.header: is required when key is header [rate_limit.header]`,
        `${file}:10:${field}.requests_per_second: must be greater than 0 [rate_limit.rate]`,
        '',
      ]);
    }
  });

  it('exits 1 for an empty directory and a missing path', async () => {
    expect((await run(['validate', folder])).code).toBe(1);
    const { code, stderr } = await run(['validate', join(folder, 'none')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not exist')]);
  });
});

describe('the command line', () => {
  it.each([
    [[]],
    [['validate']],
    [['validate', 'a', 'b']],
    [['validate', '--json']],
    [['envoy-config']],
    [['--policy', 'p', '--listen', '0.0.0.0:1']],
    [['serve', '--policy', 'p', '--listen', 'unix:/s']],
  ])('exits 2 with the usage for %j', async (argv) => {
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining('usage:')]);
  });

  it('exits 2 for a malformed variable', async () => {
    const { code, stderr } = await run(['--policy', 'p', '--listen', 'unix:/s'], {
      SVC_SHIELD_XFF_TRUSTED_HOPS: 'many',
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('SVC_SHIELD_XFF_TRUSTED_HOPS "many"')]);
  });

  it('prints its usage on request', async () => {
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('flotilla shield validate'),
    });
  });
});

describe('serving', () => {
  const serve = (signal?: AbortSignal, listen = join(folder, 's.sock')) =>
    run(['--policy', folder, '--listen', `unix:${listen}`, '--admin', `unix:${join(folder, 'a.sock')}`], {}, signal);

  it('does not start with a bad policy', async () => {
    await writeFile(join(folder, 'p.yaml'), BAD);
    const { code, stderr } = await serve();
    expect([code, stderr]).toEqual([1, expect.stringContaining('p.yaml:10:')]);
  });

  it('creates its sockets for owner and group only, and deletes them at its end', async () => {
    await writeFile(join(folder, 'p.yaml'), GOOD);
    const ending = new AbortController();
    const served = serve(ending.signal);
    const modeOf = (name: string) =>
      stat(join(folder, name)).then(
        (stats) => stats.mode & 0o777,
        () => undefined,
      );
    await expect.poll(() => modeOf('s.sock')).toBe(0o660);
    expect(await modeOf('a.sock')).toBe(0o660);
    ending.abort();
    expect(await served).toMatchObject({ code: 0, stderr: '' });
    expect([await modeOf('s.sock'), await modeOf('a.sock')]).toEqual([undefined, undefined]);
  });

  it('refuses a socket on which a running process answers', async () => {
    await writeFile(join(folder, 'p.yaml'), GOOD);
    const path = join(folder, 'taken.sock');
    const other = createServer().listen(path);
    await expect
      .poll(() =>
        stat(path).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await serve(undefined, path)).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
    expect((await stat(path)).isSocket()).toBe(true);
    other.close();
  });

  it('refuses to replace something that is not a socket', async () => {
    const path = join(folder, 'file');
    await writeFile(path, 'precious');
    await expect(removeDeadSocket(path)).rejects.toThrow('not a socket');
    await mkdir(join(folder, 'dir'));
    await chmod(join(folder, 'dir'), 0o755);
    await expect(removeDeadSocket(join(folder, 'dir'))).rejects.toThrow('not a socket');
  });
});
