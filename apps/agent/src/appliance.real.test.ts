import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { readProcess } from '@flotilla/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BundleStage } from './testing/bundle-stage.ts';
import { eventually } from './testing/test-host.ts';

const FLOTILLA = join(import.meta.dirname, '../../cli/src/entry.ts');
let t: TestController;
let port: number;
let address: string;
let dir: string;
const agents: ChildProcess[] = [];
beforeAll(async () => {
  t = await createTestController();
  port = await t.controller.streams.listen({ host: '127.0.0.1', port: 0 });
  address = await t.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => t?.close());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fa-'));
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map(kill));
  await rm(dir, { recursive: true, force: true });
});

async function kill(agent: ChildProcess): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return;
  const gone = once(agent, 'exit');
  agent.kill('SIGKILL');
  await gone;
}

/** Starts the program as an operator does. */
function start(vtysh: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const settings = ['--controller', `127.0.0.1:${port}`, '--mode', 'supervisor', '--cloud-detection', 'off'];
  settings.push('--data', join(dir, 'data'), '--runtime', join(dir, 'run'), '--frr-shell', vtysh, '--name', 'edge');
  const agent = spawn(process.execPath, [FLOTILLA, 'agent', ...settings], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  agents.push(agent);
  return agent;
}

async function enrolmentToken(): Promise<string> {
  const token = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
  return token.body.token;
}

/** Resolves when the agent answers. */
async function connected(): Promise<string> {
  return eventually(async () => {
    const identity = await readFile(join(dir, 'data', 'identity.json'), 'utf8').catch(() => undefined);
    if (identity === undefined) return undefined;
    const { clientId } = JSON.parse(identity) as { clientId: string };
    return (await send(clientId, 'SUB_BUNDLE_LIST'))?.outcome === 'done' ? clientId : undefined;
  });
}

async function send(client: string, sub_type: string, command: Record<string, unknown> = {}) {
  const body = { type: 'APPLIANCE', sub_type, clients: [{ client_id: client }], command };
  return (await t.owner.call('POST', `/api/op/clients?project=${t.project}`, body)).body.results[0];
}

const bundlesOf = async (client: string) => (await send(client, 'SUB_BUNDLE_LIST')).result?.artifacts ?? [];

describe('a real agent', () => {
  it('reports the capability and its status, and its bundle is downloaded through the controller', async () => {
    const stage = await BundleStage.create();
    start('/nowhere/vtysh', { SVC_AGENT_ENROL_TOKEN: await enrolmentToken() });
    const client = await connected();
    const { result } = await send(client, 'SUB_STATUS');
    expect(result.status.components).toContainEqual({ name: 'flotilla', version: '0.1.0', source: 'the agent' });
    expect(result.status.compliance).toContainEqual({
      check: 'agent_keys_private',
      ok: true,
      value: '0600',
      source: expect.stringContaining('identity.json'),
    });
    const created = await send(client, 'SUB_BUNDLE_CREATE');
    expect(created).toMatchObject({ outcome: 'done', result: { artifact: { state: 'RUNNING' } } });
    const { artifact_id: id } = created.result.artifact;
    expect(id).toBe(created.command_id.replaceAll('-', ''));
    await eventually(async () => (await bundlesOf(client))[0]?.state === 'READY');
    const url = `${address}/api/op/clients/${client}/support-bundles/${id}/file?project=${t.project}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${t.owner.token}` } });
    const files = stage.unpack(Buffer.from(await answer.arrayBuffer()));
    expect(files.get('agent/logs/agent.log')).toContain('agent.started');
    const key = JSON.parse(readFileSync(join(dir, 'data', 'identity.json'), 'utf8')).keyPem as string;
    const secrets = key.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
    const all = [...files.values()].join('\n');
    expect(secrets.filter((line) => all.includes(line))).toEqual([]);
    expect(await send(client, 'SUB_BUNDLE_DELETE', { artifact_id: id })).toMatchObject({ result: { deleted: true } });
    const gone = await fetch(url, { headers: { authorization: `Bearer ${t.owner.token}` } });
    expect([gone.status, await gone.json()]).toMatchObject([404, { code: 'support_bundle.unknown' }]);
  });

  it('that is killed while a bundle is created leaves a bundle that is READY, or FAILED if its process dies, too', async () => {
    const stage = await BundleStage.create();
    const vtysh = stage.program('vtysh', '', { isGated: true });
    const first = start(vtysh, { SVC_AGENT_ENROL_TOKEN: await enrolmentToken() });
    const client = await connected();
    const created = await send(client, 'SUB_BUNDLE_CREATE');
    const { artifact_id: id } = created.result.artifact;
    await stage.started('vtysh');
    await kill(first);
    start(vtysh);
    await eventually(async () => (await bundlesOf(client))[0]?.state === 'RUNNING');
    expect(await send(client, 'SUB_BUNDLE_CREATE')).toMatchObject({
      outcome: 'refused',
      error: { code: 'bundle.running' },
    });
    stage.release('vtysh');
    await eventually(async () => (await bundlesOf(client))[0]?.state === 'READY');

    await rm(join(stage.base, 'vtysh.go'));
    await rm(join(stage.base, 'vtysh.started'));
    const second = await send(client, 'SUB_BUNDLE_CREATE');
    await stage.started('vtysh');
    const lock = join(dir, 'data', 'support-bundles', second.result.artifact.artifact_id, 'bundle.lock');
    const { pid } = JSON.parse(readFileSync(lock, 'utf8'));
    await kill(agents.at(-1) as ChildProcess);
    process.kill(pid, 'SIGKILL');
    await eventually(() => readProcess(pid) === undefined);
    stage.release('vtysh');
    start(vtysh);
    await eventually(async () => (await bundlesOf(client)).length === 2);
    const states = (await bundlesOf(client)).map((one: { artifact_id: string; state: string }) => [
      one.artifact_id === id,
      one.state,
    ]);
    expect(states).toEqual([
      [false, 'FAILED'],
      [true, 'READY'],
    ]);
    expect(existsSync(join(dir, 'data', 'support-bundles', id, 'support-bundle.tar.gz'))).toBe(true);
  });
});
