import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FleetOfOne } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BUNDLE = new URL('../../dist/flotilla.mjs', import.meta.url).pathname;
let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start();
});
afterAll(() => fleet?.close());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the shipped command line with its own settings. */
function flotilla(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [BUNDLE, ...args], {
    env: { ...process.env, FLOTILLA_CONFIG: join(fleet.dataDir, 'cli.json') },
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })));
}

describe('the command line', () => {
  it('asks the user to sign in first', async () => {
    expect(await flotilla(['services'])).toMatchObject({ code: 3 });
  });

  it('signs in and shows the fleet', async () => {
    const { password } = await fleet.state();
    const url = `http://127.0.0.1:${fleet.ports.rest}`;
    const login = await flotilla(['login', '--url', url, '--username', 'admin', '--password-stdin'], password);
    expect(login, login.error).toMatchObject({ code: 0 });
    for (const args of [
      ['services'],
      ['services', 'demo'],
      ['clients'],
      ['clients', 'this-machine'],
      ['policies'],
      ['whoami'],
    ]) {
      const ended = await flotilla(args);
      expect(ended, `${args.join(' ')}: ${ended.error}`).toMatchObject({ code: 0 });
    }
    const { out } = await flotilla(['services', '--json']);
    expect(JSON.parse(out)).toMatchObject({ items: [{ name: 'demo', status: 'Live' }] });
  });

  it('prints a document that can be applied again, and says that this would change nothing', async () => {
    const got = await flotilla(['get', 'routes', 'demo-routes']);
    expect(got, got.error).toMatchObject({ code: 0 });
    const file = join(fleet.dataDir, 'routes.yaml');
    await writeFile(file, got.out);
    expect(await flotilla(['diff', '-f', file])).toMatchObject({ code: 0 });
    await writeFile(file, got.out.replace('timeout: 15s', 'timeout: 16s'));
    const differs = await flotilla(['diff', '-f', file]);
    expect(differs, differs.error).toMatchObject({ code: 10 });
    expect(await flotilla(['apply', '-f', file])).toMatchObject({ code: 0 });
    expect(await flotilla(['diff', '-f', file])).toMatchObject({ code: 0 });
  });

  it('applies a changed policy, and names file, line and field of a bad one', async () => {
    const { out } = await flotilla(['policies', 'demo-policy']);
    const file = join(fleet.dataDir, 'policy.yaml');
    await writeFile(file, out.replace('/limited/', '/slow/'));
    expect(await flotilla(['apply', '-f', file])).toMatchObject({ code: 0 });
    await fleet.until(async () => {
      const statuses = [];
      for (let n = 0; n < 5; n += 1) statuses.push((await fleet.request('/slow/')).status);
      return statuses.includes(429);
    }, 'the changed policy is live');
    await writeFile(file, (await readFile(file, 'utf8')).replace('burst:', 'brust:'));
    const refused = await flotilla(['apply', '-f', file]);
    expect(refused.code).toBe(1);
    expect(refused.error).toMatch(/policy\.yaml:\d+:\d+: .*rate_limit\.brust/);
  });

  it('fails a deployment whose configuration Envoy refuses (fault M1)', async () => {
    const { out } = await flotilla(['get', 'routes', 'demo-routes']);
    const file = join(fleet.dataDir, 'poisoned.yaml');
    // The controller does not compile regular expressions; Envoy does.
    await writeFile(
      file,
      out.replace(/routes:\n(\s+)- /, "routes:\n$1- { match: { safe_regex: { regex: '(' } }, redirect: {} }\n$1- "),
    );
    expect(await flotilla(['apply', '-f', file])).toMatchObject({ code: 0 });
    const refused = await flotilla(['deploy', 'demo', '--wait', '30']);
    expect(refused, refused.error).toMatchObject({ code: 1, out: expect.stringMatching(/this-machine +done/) });
    expect(refused.error).toMatch(/^Revision \d+ is refused/);
    await writeFile(file, out);
    expect(await flotilla(['apply', '-f', file])).toMatchObject({ code: 0 });
    const live = await flotilla(['deploy', 'demo', '--wait', '30']);
    expect(live, live.error).toMatchObject({ code: 0, error: '' });
  });

  it('has different exit codes for unknown names, unknown commands and an unreachable controller', async () => {
    expect(await flotilla(['get', 'routes', 'no-such-routes'])).toMatchObject({ code: 4 });
    expect(await flotilla(['no-such-command'])).toMatchObject({ code: 2 });
    expect(await flotilla(['services', '--url', 'http://127.0.0.1:1'])).toMatchObject({ code: expect.any(Number) });
  });

  it('lists and runs the programs', async () => {
    const list = await flotilla(['envoy', 'list']);
    expect(list, list.error).toMatchObject({ code: 0 });
    const policy = join(fleet.dataDir, 'bad.yaml');
    await writeFile(
      policy,
      'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: x }\nspec: { domains: [ { hosts: [] } ] }\n',
    );
    const refused = await flotilla(['shield', 'validate', policy]);
    expect(refused.code).toBe(1);
    expect(`${refused.out}${refused.error}`).toMatch(/bad\.yaml:4:spec\.domains/);
    expect((await flotilla(['shield', 'envoy-config', '--listen', 'unix:/run/shield.sock'])).out).toContain('ext_proc');
  });
});
