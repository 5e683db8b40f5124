import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FrrHost } from '@flotilla/agent/testing/frr-lab';
import { NetworkStage, PEER, PORT } from '@flotilla/agent/testing/network-stage';
import { BUNDLE } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, type PageOptions, PROJECT, type Stage, type StagePage } from './stage.ts';

let stage: Stage;
let network: NetworkStage;
let frr: FrrHost;
let neighbour: FrrHost;
let bridge: ChildProcess;
let agent: ChildProcess;
let client: string;
let project: string;
let viewer: { username: string; password: string };
let opened: StagePage | undefined;
const dir = mkdtempSync(join(tmpdir(), 'fb-'));

/** An agent in a network of its own, whose FRR has a neighbour. */
beforeAll(async () => {
  const shared = await shareFurnishedStage();
  stage = shared.stage;
  viewer = { username: 'victor', password: shared.places.passwords.victor };
  const socket = join(dir, 'bridge');
  bridge = spawn('socat', [`UNIX-LISTEN:${socket},fork`, `TCP:127.0.0.1:${stage.fleet.ports.grpc}`], {
    stdio: 'ignore',
  });
  network = new NetworkStage(`UNIX-CONNECT:${socket}`);
  [frr, neighbour] = [await FrrHost.create(), await FrrHost.create()];
  frr.connect(neighbour);
  neighbour.configure(
    'router bgp 64501',
    'bgp router-id 192.0.2.2',
    'no bgp ebgp-requires-policy',
    'neighbor 192.0.2.1 remote-as 64500',
  );
  ({ project } = await stage.fleet.state());
  const { body } = await stage.fleet.api('POST', `/api/v3/setting/enrolment-tokens?project=${project}`, {});
  agent = startAgent(body.token);
  await stage.fleet.until(async () => {
    const { body: list } = await stage.fleet.api('GET', `/api/op/clients?project=${project}`);
    client = list.items.find((one: { name: string }) => one.name === 'router')?.client_id ?? '';
    return list.items.some((one: { name: string; connected: boolean }) => one.name === 'router' && one.connected);
  }, 'the agent is connected');
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
afterAll(async () => {
  agent?.kill('SIGKILL');
  bridge?.kill('SIGKILL');
  if (client) await stage.fleet.api('DELETE', `/api/op/clients/${client}?project=${project}`);
  network?.close();
  await frr?.destroy();
  await neighbour?.destroy();
  rmSync(dir, { recursive: true, force: true });
});

function startAgent(token: string): ChildProcess {
  const folders = ['--data', join(network.dir, 'agent'), '--runtime', join(network.dir, 'run')];
  const places = ['--network-root', network.settings.root, '--network-driver', 'ip'];
  const { vtysh, socketDir, configFile } = frr.paths;
  const routing = ['--frr-shell', vtysh, '--frr-sockets', socketDir, '--frr-config', configFile];
  const args = ['agent', '--controller', `${PEER}:${PORT}`, '--name', 'router', '--mode', 'supervisor'];
  const command = ['netns', 'exec', network.host, process.execPath, BUNDLE, ...args, ...folders, ...places, ...routing];
  const env = {
    ...process.env,
    SVC_AGENT_CLOUD_DETECTION: 'off',
    SVC_AGENT_ENROL_TOKEN: token,
    SVC_LOG_LEVEL: 'silent',
  };
  // `ip netns exec` becomes the program, so the process is the agent itself.
  return spawn('ip', command, { stdio: ['ignore', 'ignore', 'inherit'], env });
}

async function open(search: string, options: PageOptions = {}): Promise<Page> {
  opened = await stage.open(`/p/${PROJECT}/clients/${client}?${search}`, options);
  return opened.page;
}

describe('the network of a client', () => {
  it('is read from the kernel, and a route is added and deleted there', async () => {
    const page = await open('tab=network');
    await page.getByRole('table', { name: 'interfaces' }).getByText('192.0.2.2/24').waitFor();
    await page.getByRole('row').filter({ hasText: '127.0.0.1/8' }).getByText('loopback', { exact: true }).waitFor();
    await look(page, 'client-network-light');
    await page.getByRole('button', { name: 'Add route' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Destination' }).fill('198.51.100.0/24');
    await dialog.getByRole('textbox', { name: 'Next hop' }).fill('203.0.113.1');
    await dialog.getByRole('combobox', { name: 'Interface' }).click();
    await page.getByRole('option', { name: 'eth0' }).click();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(network.ip('route', 'show', '198.51.100.0/24')).toBe('');
    await dialog.getByRole('textbox', { name: 'Next hop' }).fill(PEER);
    await look(page, 'client-network-add-light');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    const routes = page.getByRole('table', { name: 'routes', exact: true });
    await routes.getByText('198.51.100.0/24').waitFor();
    expect(network.ip('route', 'show', '198.51.100.0/24')).toContain(`via ${PEER}`);
    await page.getByRole('button', { name: /^Delete the route to 198\.51\.100\.0\/24/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await routes.getByText('198.51.100.0/24').waitFor({ state: 'hidden' });
    expect(network.ip('route', 'show', '198.51.100.0/24')).toBe('');
  });

  it('has a netplan document, which is applied and rolled back', async () => {
    const page = await open('tab=network', { scheme: 'dark' });
    const document = page.getByRole('textbox', { name: 'Document' });
    const addresses = page.getByRole('table', { name: 'interfaces' });
    for (const [generation, list] of ['192.0.2.2/24', '192.0.2.2/24, 192.0.2.77/24'].entries()) {
      await document.fill(`network: {version: 2, ethernets: {eth0: {addresses: [${list}]}}}`);
      await page.getByRole('button', { name: 'Apply …' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('button', { name: `Roll back to generation ${generation}` }).waitFor();
    }
    await addresses.getByText('192.0.2.77/24').waitFor();
    expect(network.ip('addr', 'show', 'eth0')).toContain('192.0.2.77');
    await look(page, 'client-network-dark');
    await page.getByRole('button', { name: 'Roll back to generation 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await addresses.getByText('192.0.2.77/24').waitFor({ state: 'hidden' });
    expect(network.ip('addr', 'show', 'eth0')).not.toContain('192.0.2.77');
  });

  it('can only be read by a viewer, and fits a phone', async () => {
    const page = await open('tab=network', { user: viewer, width: 390 });
    await page.getByRole('table', { name: 'interfaces' }).waitFor();
    expect(await page.getByRole('button', { name: /Add|Delete|Apply|Roll back/ }).count()).toBe(0);
    await look(page, 'client-network-phone');
  });
});

const CONFIG = {
  autonomous_system: 64_500,
  router_id: '192.0.2.1',
  ebgp_requires_policy: false,
  networks: ['192.0.2.0/24'],
  neighbors: [{ peer_ip: '192.0.2.2', remote_as: 64_501, description: '<b>uplink</b>', families: ['ipv4'] }],
  prefix_lists: [{ name: 'OWN', sequence: 10, action: 'permit', prefix: '192.0.2.0/24' }],
  health_routes: [{ service: 'nobody', prefix: '203.0.113.9/32' }],
};

const part = (page: Page, name: string) =>
  page.getByRole('radiogroup', { name: 'Parts of routing' }).getByText(name, { exact: true });

async function setDraft(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'BGP configuration' });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

describe('the routing of a client', () => {
  it('is a document, whose changes are reviewed and applied to FRR', async () => {
    const page = await open('tab=routing&part=config');
    await page.getByText('Flotilla has not configured BGP on this client.').waitFor();
    await setDraft(page, '{');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByText('This is not JSON').waitFor();
    await setDraft(page, JSON.stringify({ ...CONFIG, router_id: '1.1' }));
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page
      .getByText(/router_id/)
      .last()
      .waitFor();
    await setDraft(page, JSON.stringify(CONFIG, null, 2));
    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('+ router bgp 64500 / neighbor 192.0.2.2 remote-as 64501').waitFor();
    await look(page, 'client-routing-review-light');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Revision 1', { exact: true }).waitFor();
    expect(frr.config()).toContain('neighbor 192.0.2.2 remote-as 64501');
    await look(page, 'client-routing-config-light');
  });

  it('shows sessions, routes, health routes and policies', async () => {
    const page = await open('tab=routing', { scheme: 'dark' });
    const sessions = page.getByRole('table', { name: 'BGP sessions' });
    await sessions.getByText('Established').waitFor();
    await sessions.getByText('<b>uplink</b>').waitFor();
    await look(page, 'client-routing-sessions-dark');
    await part(page, 'Routes').click();
    await page.getByRole('table', { name: 'BGP routes' }).getByText('192.0.2.0/24').waitFor();
    await look(page, 'client-routing-routes-dark');
    await part(page, 'Health routes').click();
    await page.getByRole('table', { name: 'Health routes' }).getByText('Withdrawn').waitFor();
    await look(page, 'client-routing-health-dark');
    await part(page, 'Policies').click();
    await page.getByRole('table', { name: 'Route maps and lists' }).getByText('OWN').waitFor();
    await look(page, 'client-routing-policies-dark');
  });

  it('warns of lines that somebody changed on the host, and asks before it replaces them', async () => {
    frr.configure('router bgp 64500', 'neighbor 192.0.2.2 description changed');
    frr.configure('ip prefix-list THEIRS seq 5 permit 10.0.0.0/8');
    const page = await open('tab=routing&part=config');
    await page.getByText('Somebody changed FRR on the host').waitFor();
    const prefix_lists = [{ name: 'THEIRS', sequence: 5, action: 'permit', prefix: '10.1.0.0/16' }];
    await setDraft(page, JSON.stringify({ ...CONFIG, prefix_lists }));
    await page.getByRole('button', { name: 'Review changes' }).click();
    const replace = page.getByRole('checkbox', { name: 'Replace what FRR has under the same names' });
    await replace.waitFor();
    await look(page, 'client-routing-foreign-light');
    await replace.check();
    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/- ip prefix-list THEIRS seq 5/).waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(frr.config()).toContain('ip prefix-list THEIRS seq 5 permit 10.1.0.0/16');
  });

  it('can only be read by a viewer, and fits a phone', async () => {
    const page = await open('tab=routing', { user: viewer, width: 390 });
    await page.getByRole('table', { name: 'BGP sessions' }).waitFor();
    expect(await page.getByRole('button', { name: 'Ask for routes again' }).count()).toBe(0);
    await look(page, 'client-routing-phone');
    await part(page, 'Configuration').click();
    await page.getByText(/^Revision \d+$/).waitFor();
    expect(await page.getByRole('button', { name: 'Review changes' }).count()).toBe(0);
  });
});
