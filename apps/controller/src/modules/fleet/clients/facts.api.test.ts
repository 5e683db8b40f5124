import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, hostFacts, registerClient, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

const read = async (id: string) => (await t.owner.call('GET', `/api/op/clients/${id}?project=${t.project}`)).body;

const CLOUD = {
  detection: fleet.CloudDetection.FOUND,
  provider: { value: 'openstack', source: 'DMI product_name "OpenStack Nova", metadata service' },
  serverId: { value: '1b4e28ba-2fa1-11d2-883f-0016d3cca427', source: 'metadata service' },
  project: { value: 'a'.repeat(32), source: 'metadata service' },
};

describe('facts of a host', () => {
  it('are shown with where they come from, and are searchable', async () => {
    const facts = hostFacts({
      name: 'cloudy',
      cloud: CLOUD,
      hypervisor: { value: 'kvm', source: 'DMI sys_vendor "QEMU"' },
      bgp: { known: true, running: true, source: 'process bgpd (PID 7)' },
      capabilities: [{ name: 'proxy', available: true, detail: 'Envoy 1.40.0' }],
    });
    const id = await registerClient(t, facts);
    expect(await read(id)).toMatchObject({
      provider: 'openstack',
      cloud: {
        detection: 'found',
        provider: CLOUD.provider,
        server_id: CLOUD.serverId,
        project: CLOUD.project,
        reason: null,
      },
      hypervisor: { value: 'kvm', source: 'DMI sys_vendor "QEMU"' },
      bgp: true,
      bgp_source: 'process bgpd (PID 7)',
      capabilities: [{ name: 'proxy', available: true, detail: 'Envoy 1.40.0' }],
    });
    for (const q of ['openstack', '1b4e28ba', 'a'.repeat(32)]) {
      const { body } = await t.owner.call('GET', `/api/op/clients?project=${t.project}&q=${q}`);
      expect(body.items, q).toMatchObject([{ client_id: id, provider: 'openstack' }]);
    }
  });

  it('that nobody has reported are unknown, never a constant', async () => {
    expect(await read(await registerClient(t, hostFacts({ metadata: { provider: 'aws' } })))).toMatchObject({
      provider: null,
      cloud: { detection: 'unreported', provider: null, server_id: null, project: null, reason: null },
      hypervisor: null,
      bgp: null,
      bgp_source: null,
      capabilities: null,
    });
  });

  it.each([
    ['off', fleet.CloudDetection.OFF],
    ['none', fleet.CloudDetection.NONE],
    ['contradicting', fleet.CloudDetection.CONTRADICTING],
  ])('name no provider if the detection is %s', async (detection, reported) => {
    const cloud = { ...CLOUD, detection: reported, reason: 'because' };
    const bgp = { known: false, running: true, source: 'hidden' };
    expect(await read(await registerClient(t, hostFacts({ cloud, bgp })))).toMatchObject({
      provider: null,
      cloud: { detection, provider: null, reason: 'because' },
      bgp: null,
      bgp_source: 'hidden',
    });
  });

  it('keep the addresses of heartbeats while the agent reports none, and never invent them', async () => {
    const addressesOf = async (id: string) => {
      const { facts } = await t.database.db
        .selectFrom('clients')
        .select('facts')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return facts.ha;
    };
    const ha = { dataAddress: '192.0.2.1', dataPrefix: '192.0.2.0/24', mgmtAddress: '198.51.100.1' };
    const stored = { data: { address: '192.0.2.1', prefix: '192.0.2.0/24' }, mgmt: { address: '198.51.100.1' } };
    const older = await t.createClient('older-agent');
    expect(await addressesOf(older)).toBeUndefined();
    const id = await registerClient(t, hostFacts({ name: 'paired', ha }));
    expect(await addressesOf(id)).toEqual(stored);
    // The agent of the test says nothing of them when it connects, as an older one.
    const [agent, other] = [await t.connect(id), await t.connect(older)];
    expect([await addressesOf(id), await addressesOf(older)]).toEqual([stored, undefined]);
    const bgp = { known: true, running: true, source: 'x' };
    await agent.session.facts(hostFacts({ name: 'paired', bgp }));
    expect(await addressesOf(id)).toEqual(stored);
    expect(await read(id)).toMatchObject({ bgp: true });
    await agent.session.facts(hostFacts({ name: 'paired', ha: { ...ha, dataAddress: '192.0.2.9', mgmtAddress: '' } }));
    expect(await addressesOf(id)).toEqual({ data: { address: '192.0.2.9', prefix: '192.0.2.0/24' } });
    await t.disconnect(agent);
    await t.disconnect(other);
  });

  it.each([
    { dataAddress: '2001:db8::1', dataPrefix: '2001:db8::/64' },
    { dataAddress: '192.0.2.1', dataPrefix: '198.51.100.0/24' },
    { dataAddress: '192.0.2.1', dataPrefix: '192.0.2.1/24' },
    { dataAddress: '192.0.2.1', dataPrefix: '' },
    { dataAddress: '192.0.2.1\u0000', dataPrefix: '192.0.2.0/24' },
    { dataAddress: 'x'.repeat(100_000), dataPrefix: '0.0.0.0/0' },
  ])('with the addresses %o of a hostile agent have none', async (ha) => {
    const id = await registerClient(t, hostFacts({ ha: { ...ha, mgmtAddress: '198.51.100.1' } }));
    const row = await t.database.db
      .selectFrom('clients')
      .select('facts')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.facts.ha).toBeUndefined();
  });

  it('change while the client is connected, and others learn it', async () => {
    const id = await t.createClient('changing');
    const agent = await t.connect(id);
    await agent.session.facts(hostFacts({ name: 'changing', bgp: { known: true, running: true, source: 'x' } }));
    expect(await read(id)).toMatchObject({ name: 'changing', bgp: true, connected: true });
    await agent.session.facts(hostFacts({ name: 'changing', bgp: { known: true, running: false, source: 'y' } }));
    expect(await read(id)).toMatchObject({ bgp: false, bgp_source: 'y' });
    await t.disconnect(agent);
  });

  it('of a hostile agent are bounded', async () => {
    const text = `\u0000<b>${'x'.repeat(100_000)}\ud800`;
    const fact = { value: text, source: text };
    const facts = hostFacts({
      cloud: { detection: fleet.CloudDetection.FOUND, provider: fact, serverId: fact, project: fact, reason: text },
      hypervisor: fact,
      bgp: { known: true, running: true, source: text },
      capabilities: Array.from({ length: 1000 }, () => ({ name: text, available: true, detail: text })),
    });
    const { cloud, capabilities, ...shown } = await read(await registerClient(t, facts));
    expect(shown.provider).toHaveLength(256);
    expect(shown.provider).toMatch(/^<b>x+$/);
    expect(JSON.stringify(cloud).length).toBeLessThan(4096);
    expect(capabilities).toHaveLength(32);
    expect(JSON.stringify(capabilities).length).toBeLessThan(64_000);
    const unknown = hostFacts({ cloud: { detection: 99 as fleet.CloudDetection, provider: { value: 'x' } } });
    expect(await read(await registerClient(t, unknown))).toMatchObject({
      provider: null,
      cloud: { detection: 'unreported' },
    });
  });
});
