import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FakeHost } from './testing/fake-host.ts';
import { TestAgent, waitFor } from './testing/test-agent.ts';
import { createTestHost } from './testing/test-host.ts';

let t: TestController;
let port: number;
let agent: TestAgent | undefined;
beforeAll(async () => {
  t = await createTestController();
  port = await t.controller.streams.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => agent?.close());
afterAll(() => t?.close());

async function enrol(facts: FakeHost['facts'], labels: Record<string, string> = {}): Promise<TestAgent> {
  agent = await TestAgent.create({ port });
  agent.host.facts = facts;
  const url = `/api/v3/setting/enrolment-tokens?project=${t.project}`;
  const created = await t.owner.call('POST', url, { labels });
  expect((await agent.enrol(created.body.token)).ok).toBe(true);
  return agent;
}

async function start(enrolled: TestAgent, options: Parameters<TestAgent['start']>[0] = {}): Promise<void> {
  const running = await enrolled.start(options);
  await waitFor('connected', () => running.isConnected);
}

async function read(enrolled: TestAgent) {
  return (await t.owner.call('GET', `/api/op/clients/${await enrolled.clientId()}?project=${t.project}`)).body;
}

describe('registration', () => {
  it('stores facts with their sources, and the labels of the token before those of the host', async () => {
    const enrolled = await enrol(
      {
        cloud: { detection: fleet.CloudDetection.FOUND, provider: { value: 'hetzner', source: 'DMI' } },
        capabilities: [{ name: 'proxy', available: true, detail: 'Envoy 1.40.0' }],
        labels: { env: 'host', rack: '7' },
      },
      { env: 'token' },
    );
    expect(await read(enrolled)).toMatchObject({
      provider: 'hetzner',
      capabilities: [{ name: 'proxy', available: true }],
      labels: [
        { key: 'env', value: 'token', origin: 'token' },
        { key: 'rack', value: '7', origin: 'host' },
      ],
    });
  });

  it('is followed by changed facts while the agent is connected', async () => {
    const enrolled = await enrol({});
    await start(enrolled);
    expect((await read(enrolled)).bgp).toBeNull();
    enrolled.host.changeFacts({ bgp: { known: true, running: true, source: 'process bgpd (PID 7)' } });
    await expect.poll(async () => (await read(enrolled)).bgp).toBe(true);
    enrolled.host.changeFacts({ bgp: { known: true, running: false, source: 'none' } });
    await expect.poll(async () => (await read(enrolled)).bgp).toBe(false);
  });

  it('of a real host reports what is there, and nothing that the agent cannot do', async () => {
    const folders = await createTestHost();
    try {
      const host = folders.open();
      await host.factsKnown();
      const enrolled = await enrol({});
      await start(enrolled, { host });
      const record = await read(enrolled);
      expect(record).toMatchObject({ provider: null, cloud: { detection: 'off' } });
      expect(typeof record.bgp_source).toBe('string');
      expect(record.capabilities.map(({ name }: { name: string }) => name)).toEqual([
        'proxy',
        'shield',
        'routing',
        'syslog',
        'logshipper',
        'network',
        'waf',
        'appliance',
        'ha',
      ]);
      await enrolled.close();
    } finally {
      await folders.destroy();
    }
  });
});

describe('a command that needs a missing capability', () => {
  it('is refused by the agent, too, if the controller does not know yet', async () => {
    const enrolled = await enrol({});
    enrolled.host.lacking.set('proxy', 'Install an Envoy.');
    await start(enrolled);
    const body = {
      type: 'DATAPLANE_VERSION',
      clients: [{ client_id: await enrolled.clientId() }],
      command: { operation: 'SET_VERSION', version: '1.39.3' },
    };
    const { body: answer } = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=60000`, body);
    expect(answer.results).toMatchObject([
      {
        outcome: 'refused',
        error: { code: 'client.incapable', message: expect.stringContaining('Install an Envoy.') },
      },
    ]);
    expect(enrolled.host.done).toEqual([]);
  });
});
