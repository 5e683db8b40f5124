import { spawn } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FleetOfOne } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const BUNDLE = fileURLToPath(new URL('../../dist/flotilla.mjs', import.meta.url));
const PASSPHRASE = 'what lies in the safe';
const BACKUPS = '/api/v3/setting/maintenance';

let fleet: FleetOfOne;
beforeAll(async () => {
  fleet = await FleetOfOne.start();
});
afterAll(() => fleet?.close());

/** Signs in as the owner of the installation: only owners may back all of it up. */
async function signIn(): Promise<string> {
  const { password } = await fleet.state();
  const response = await fetch(`http://127.0.0.1:${fleet.ports.rest}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function fetchBackup(): Promise<{ file: Buffer; signer: string }> {
  const headers = { authorization: `Bearer ${await signIn()}`, 'content-type': 'application/json' };
  const at = `http://127.0.0.1:${fleet.ports.rest}${BACKUPS}`;
  const asked = await fetch(`${at}/backup/export`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ passphrase: PASSPHRASE }),
  });
  expect(asked.status).toBe(202);
  const { backup } = (await asked.json()) as { backup: { id: string } };
  let signer = '';
  await fleet.until(async () => {
    const view = (await (await fetch(`${at}/backups/${backup.id}`, { headers })).json()) as {
      status: string;
      content: { signer: string } | null;
    };
    signer = view.content?.signer ?? '';
    return view.status === 'ready';
  }, 'the backup is made');
  const answer = await fetch(`${at}/backups/${backup.id}/file`, { headers });
  return { file: Buffer.from(await answer.arrayBuffer()), signer };
}

/** Changes the answer of the service, and waits until it is live. */
async function changeRound(value: string): Promise<void> {
  const routes = '/api/v3/xds/routes/demo-routes?version=1.40.0';
  const { body } = await fleet.api('GET', routes);
  const resource = { ...body.resource, response_headers_to_add: [{ header: { key: 'x-round', value } }] };
  const changed = await fleet.api('PUT', routes, { resource });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  await fleet.until(
    async () => (await fleet.request('/open')).headers.get('x-round') === value,
    `the change to ${value} arrives`,
  );
}

async function restart(name: string): Promise<void> {
  const order = { type: 'SERVICE', sub_type: 'SUB_RESTART', command: { name } };
  const { body } = await fleet.api('POST', '/api/op/clients?wait_ms=60000', order);
  expect(body.results, JSON.stringify(body)).toMatchObject([{ outcome: 'done' }]);
}

function restore(args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [BUNDLE, 'controller', '--log-level', 'silent', ...args], {
    env: { ...process.env, SVC_RESTORE_PASSPHRASE: PASSPHRASE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, said })));
}

it('another data folder with another master key continues with the same agent and its service', async () => {
  const before = await fleet.state();
  await fleet.until(async () => (await fleet.request('/open')).status === 200, 'the service answers');
  const { file, signer } = await fetchBackup();
  const { body: services } = await fleet.api('GET', '/api/op/services');
  // The backup is older than this change, so the agent has seen newer state than the restored one.
  await changeRound('lost');
  await restart(services.items[0].name);
  expect(await fleet.interrupt()).toBe(0);

  const lost = join(fleet.dataDir, 'lost');
  const folder = join(fleet.dataDir, 'controller');
  await rename(folder, lost);
  const path = join(fleet.dataDir, 'installation.flotbk');
  await writeFile(path, file, { mode: 0o600 });
  const untrusted = await restore(['--data', folder, '--restore', path]);
  expect([untrusted.code, untrusted.said]).toEqual([1, expect.stringContaining(signer)]);
  const restored = await restore(['--data', folder, '--restore', path, '--trust-key', signer]);
  expect([restored.code, restored.said]).toEqual([0, expect.stringContaining('Now start the controller')]);
  const [keyBefore, keyNow] = await Promise.all([lost, folder].map((dir) => readFile(join(dir, 'master.key'), 'utf8')));
  expect(keyNow).not.toBe(keyBefore);

  await fleet.up();
  const { body: now } = await fleet.api('GET', '/api/op/services');
  expect(now.items.map((one: { id: string }) => one.id)).toEqual(services.items.map((one: { id: string }) => one.id));
  await fleet.until(async () => {
    const { body } = await fleet.api('GET', '/api/op/clients');
    const [client] = body.items;
    return client?.client_id === before.clientId && client.status === 'Live';
  }, 'the agent is back with its previous certificate');
  await fleet.until(async () => {
    const { status, headers } = await fleet.request('/open');
    return status === 200 && headers.get('x-round') === null;
  }, 'the service answers as it did when the backup was made');
  // The service accepts changes: generations continue above those that the agent knows.
  await changeRound('rebuilt');
  // It also accepts commands: the agent refuses commands that are older than the last one.
  await restart(services.items[0].name);
});
