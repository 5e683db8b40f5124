import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { FleetOfOne, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start();
});
afterAll(() => fleet?.close());

/** Parses the printed commands: lines that begin with curl or a loop, each under its `# title: status`. */
function readCommands(output: string): Array<{ status: string; command: string }> {
  const lines = output.split('\n');
  return lines.flatMap((line, index) => {
    const status = /^ {2}# .*: (\d{3})$/.exec(line)?.[1];
    const command = lines[index + 1]?.trim();
    return status && command ? [{ status, command }] : [];
  });
}

describe('a first start', () => {
  it('prints the address, the login and three commands, each of which prints its status', async () => {
    expect(fleet.output).toContain(`http://127.0.0.1:${fleet.ports.rest}`);
    const { password } = await fleet.state();
    expect(fleet.output).toContain(password);
    const commands = readCommands(fleet.output);
    expect(commands.map(({ status }) => status)).toEqual(['200', '403', '429']);
    for (const { status, command } of commands) {
      const { stdout } = await run('bash', ['-c', command]);
      expect(stdout.trim().split('\n').at(-1), command).toBe(status);
    }
  });

  it('marks what the filter blocked', async () => {
    const blocked = await fleet.request('/api/hello', { 'x-api-key': 'wrong' });
    expect(blocked.status).toBe(403);
    expect(blocked.headers.get('x-svc-shield')).toBe('blocked');
    const limited = await fleet.request('/limited/');
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it('lets a policy be changed over REST while traffic flows', async () => {
    const url = '/api/v3/shield/policies/demo-policy';
    const before = await fleet.api('GET', url);
    const text = before.body.text.replace('/limited/', '/elsewhere/');
    const saved = await fleet.api('PUT', url, { text }, { 'if-match': before.etag ?? '' });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    await fleet.until(async () => (await fleet.request('/limited/')).status === 200, 'the changed policy is live');
  });

  it('shows what is live in the service, per node and resource', async () => {
    const list = await fleet.api('GET', '/api/op/services');
    expect(list.body.items).toHaveLength(1);
    expect(list.body.items[0]).toMatchObject({ name: 'demo', status: 'Live', deployed: 1 });
    const detail = await fleet.api('GET', `/api/op/services/proxies/${list.body.items[0].id}`);
    expect(detail.status).toBe(200);
    const states = detail.body.nodes[0].rollout.resources.map((resource: { state: string }) => resource.state);
    expect(states.length).toBeGreaterThanOrEqual(3);
    expect(states.every((state: string) => state === 'warmed' || state === 'acknowledged')).toBe(true);
  });

  it('refuses a second start in the same folder and a busy port by name', async ({ onTestFinished }) => {
    const bundle = new URL('../../dist/flotilla.mjs', import.meta.url).pathname;
    const second = await run(process.execPath, [bundle, 'up', '--data', fleet.dataDir]).catch(
      (error: unknown) => error,
    );
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('already runs in') });
    const other = `${fleet.dataDir}-2`;
    onTestFinished(() => rm(other, { recursive: true, force: true }));
    const ofBusyPort = ['up', '--data', other, '--port', String(fleet.ports.rest)];
    const busy = await run(process.execPath, [bundle, ...ofBusyPort]).catch((error: unknown) => error);
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${fleet.ports.rest} is in use`) });
  });

  it('stops everything at Ctrl-C and resumes at the next start', async () => {
    expect(await fleet.interrupt()).toBe(0);
    for (const program of ['controller', 'agent', 'envoy', 'shield'] as const) {
      expect(await fleet.pids(program), program).toEqual([]);
    }
    const before = await fleet.state();
    await fleet.up();
    expect(await fleet.state()).toMatchObject({ clientId: before.clientId, project: before.project });
    const allowed = await fleet.request('/api/hello', { 'x-api-key': 'demo-key-for-loopback-only' });
    expect(allowed.status).toBe(200);
  });

  it('resumes with its first version of Envoy, even if the next start would choose another that is not available', async () => {
    await fleet.interrupt();
    await fleet.up(['--envoy', '1.0.1']);
    expect(fleet.output).not.toMatch(/does not run|could not be had/);
    const { body } = await fleet.api('GET', '/api/op/services');
    expect(body.items[0]).toMatchObject({ name: 'demo', version: TEST_ENVOY_VERSIONS.newest });
    const allowed = await fleet.request('/api/hello', { 'x-api-key': 'demo-key-for-loopback-only' });
    expect(allowed.status).toBe(200);
  });

  it('starts from scratch with --reset', async () => {
    const before = await fleet.state();
    await fleet.interrupt();
    await fleet.up(['--reset']);
    expect((await fleet.state()).clientId).not.toBe(before.clientId);
    expect((await fleet.request('/api/hello', { 'x-api-key': 'wrong' })).status).toBe(403);
  });
});
