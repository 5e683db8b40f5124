import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostFacts, registerClient, type TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';

const SHA = 'a'.repeat(64);
const binary = (arch: string) => ({ arch, download_url: `https://archive.example.com/${arch}`, sha256: SHA });
/** The archive has a version that no release of the controller knows. */
const INDEX = {
  releases: [
    { version: 'v1.99.0', binaries: [binary('linux-amd64'), binary('linux-arm64')] },
    { version: 'v1.98.0', binaries: [binary('linux-arm64')] },
  ],
  coroza_releases: [{ version: 'v0.6.0', binaries: [binary('wasm-amd64')] }],
};
let t: TestFleet;
let server: Server;
let index: unknown = INDEX;
const commands = new TestCommands();
const { connect, send, deploy } = commands;

const setArchive = async (archive_url: string | null) =>
  expect((await t.owner.call('PUT', '/api/v3/setting/documents/archive', { archive_url })).status).toBe(200);

beforeAll(async () => {
  t = await commands.open();
  server = createServer((_, response) => {
    if (index === undefined) response.writeHead(500).end();
    else response.end(JSON.stringify(index));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => setArchive(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
afterEach(async () => {
  index = INDEX;
  await commands.disconnect();
});
afterAll(async () => {
  server.close();
  await commands.close();
});

const set = (version: string, type = 'DATAPLANE_VERSION') => ({ type, command: { operation: 'SET_VERSION', version } });

describe('SET_VERSION', () => {
  it('carries address and digest for the architecture of each host, or why the archive has none', async () => {
    const x64 = await t.createClient('x64');
    const arm = await registerClient(t, hostFacts({ name: 'arm', arch: 'linux-arm64' }));
    const agents = [await connect(x64), await connect(arm)];
    for (const [type, version] of [
      ['DATAPLANE_VERSION', '1.99.0'],
      ['DATAPLANE_VERSION', '1.98.0'],
      ['DATAPLANE_VERSION', '1.2.3'],
      ['WAF_VERSION', '0.6.0'],
    ] as const)
      await send({ ...set(version, type), clients: on(x64, arm) });
    const offers = agents.map(({ commands: sent }) => sent.map((one) => payloadOf(one).archive));
    const offerOf = (arch: string) => ({ url: `https://archive.example.com/${arch}`, sha256: SHA });
    const missing = (text: string) => ({ missing: expect.stringContaining(text) });
    // A host may still have the version, so the agent refuses, and not the controller.
    expect(offers[0]).toEqual([
      offerOf('linux-amd64'),
      missing('only for linux-arm64'),
      missing('does not list the Envoy 1.2.3'),
      offerOf('wasm-amd64'),
    ]);
    expect(offers[1]?.[3]).toEqual(offerOf('wasm-amd64'));
  });

  it('carries the last known digest while the archive is down', async () => {
    const client = await t.createClient('outage');
    const agent = await connect(client);
    await send({ ...set('1.99.0'), clients: on(client) });
    index = undefined;
    await send({ ...set('1.99.0'), clients: on(client) });
    expect(agent.commands.map((one) => payloadOf(one).archive.sha256)).toEqual([SHA, SHA]);
    // Without any index, the reason goes to the host.
    await setArchive('http://127.0.0.1:1');
    await send({ ...set('1.99.0'), clients: on(client) });
    expect(payloadOf(agent.commands.at(-1)).archive).toEqual({ missing: expect.stringContaining('connection failed') });
  });

  it('lets a caller name neither address nor digest', async () => {
    const client = await t.createClient('names');
    for (const extra of [{ archive: { url: 'https://x.example.com', sha256: SHA } }, { url: 'x' }, { sha256: SHA }]) {
      const command = { ...set('1.99.0').command, ...extra };
      expect((await send({ ...set('1.99.0'), command, clients: on(client) })).body.code).toBe('command.invalid');
    }
  });

  it('names an exact version, in one spelling', async () => {
    const client = await t.createClient('spelling');
    for (const version of ['../../etc', 'v1.99.0', '1.99', '1.99.0-rc1', '1.99.0\n', ' 1.99.0', '١.٢.٣', 1.99, null]) {
      for (const type of ['DATAPLANE_VERSION', 'WAF_VERSION']) {
        for (const operation of ['SET_VERSION', 'REMOVE_VERSION']) {
          const { body } = await send({ type, command: { operation, version }, clients: on(client) });
          expect([version, body.code]).toEqual([version, 'command.invalid']);
        }
      }
    }
  });
});

describe('the desired state', () => {
  it('offers the Envoy of each service, and another index is no change of the service', async () => {
    const client = await t.createClient('deployed');
    const agent = await connect(client);
    const { service } = await deploy(client);
    const last = () => agent.desired.at(-1)?.services[0];
    expect(last()?.envoyOffer).toMatchObject({ url: '', missing: expect.stringContaining('does not list') });
    await send({ ...set('1.99.0'), command: { ...set('1.99.0').command, name: service.name }, clients: on(client) });
    expect(last()).toMatchObject({ envoyVersion: '1.99.0', envoyOffer: { sha256: SHA, missing: '' } });
    const generation = last()?.generation;
    await setArchive(null);
    await commands.disconnect();
    const again = await connect(client);
    await expect.poll(() => again.desired.at(-1)?.services[0]).toMatchObject({ generation, envoyVersion: '1.99.0' });
    expect(again.desired.at(-1)?.services[0]?.envoyOffer).toBeUndefined();
  });
});

describe('REMOVE_VERSION', () => {
  it('is for owners and admins, and acts on hosts', async () => {
    const client = await t.createClient('cleaned');
    const agent = await connect(client);
    const body = { type: 'DATAPLANE_VERSION', command: { operation: 'REMOVE_VERSION', version: '1.39.0' } };
    const editor = await t.createMember('editor');
    expect((await send({ ...body, clients: on(client) }, { by: editor })).body.code).toBe('command.forbidden');
    expect((await send({ ...body, clients: on(client) })).body.results[0].outcome).toBe('done');
    expect(payloadOf(agent.commands[0])).toEqual(body.command);
    const { service } = await deploy(client);
    const named = { ...body, command: { ...body.command, name: service.name } };
    expect((await send({ ...named, clients: on(client) })).body.code).toBe('command.invalid');
  });
});
