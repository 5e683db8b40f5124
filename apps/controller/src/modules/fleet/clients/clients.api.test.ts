import { create } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, hostFacts, registerClient, type TestFleet } from '../../../testing/fleet.ts';
import { recordQueries } from '../../../testing/queries.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

const url = (path = '', query = '') => `/api/op/clients${path}?project=${t.project}${query}`;
const client = (id: string) => t.owner.call('GET', url(`/${id}`));

describe('clients', () => {
  it('show all facts of the host and when they connected and disconnected', async () => {
    const id = await t.createClient('fact');
    expect((await client(id)).body).toMatchObject({
      client_id: id,
      name: 'fact',
      status: 'Offline',
      connected: false,
      hostname: 'edge-1.example.com',
      os: 'linux',
      arch: 'linux-amd64',
      kernel: '6.1.0',
      version: '0.1.0',
      provider: null,
      bgp: null,
      capabilities: null,
      labels: [],
      metadata: {},
      last_seen: null,
      connect_time: null,
      usage: null,
      services: [],
    });
    const agent = await t.connect(id);
    const stats = create(fleet.HostStatsSchema, {
      atMs: BigInt(Date.now()),
      load5: 3,
      cores: 4,
      memoryTotalBytes: 1000n,
      memoryUsedBytes: 250n,
    });
    await agent.session.hostStats(stats);
    const live = (await client(id)).body;
    expect(live).toMatchObject({
      status: 'Live',
      last_seen: expect.any(String),
      connect_time: expect.any(String),
      connect_reason: 'stream_opened',
      usage: { cpu_percent: 75, memory_percent: 25 },
      stats: { memory: { total_bytes: 1000 } },
    });
    // Newer samples stay in memory until the next row is due.
    await agent.session.hostStats(create(fleet.HostStatsSchema, { ...stats, load5: 4 }));
    expect((await client(id)).body.usage.cpu_percent).toBe(75);
    expect(t.controller.fleet.clients.latestStats(id)?.load5).toBe(4);
    await t.disconnect(agent);
    expect((await client(id)).body).toMatchObject({
      status: 'Offline',
      disconnect_time: expect.any(String),
      disconnect_reason: 'connection lost',
    });
  });

  it('limit what a hostile agent reports about itself', async () => {
    const facts = hostFacts({
      name: `a\u0000\n${'x'.repeat(10_000)}`,
      metadata: { 'k\u0000': 'v\u0000', half: '\ud800' },
    });
    const id = await registerClient(t, facts);
    const { name, metadata } = (await client(id)).body;
    expect(name).toHaveLength(256);
    expect(metadata).toEqual({ k: 'v', half: '\ufffd' });
    const agent = await t.connect(id);
    const worst = { load5: Number.NaN, cores: 2, memoryTotalBytes: 2n ** 64n - 1n, memoryUsedBytes: 2n ** 64n - 1n };
    await agent.session.hostStats(create(fleet.HostStatsSchema, { atMs: 2n ** 62n, cpuPercent: Infinity, ...worst }));
    expect((await client(id)).body.usage).toMatchObject({ cpu_percent: 0, memory_percent: 100 });
    await t.disconnect(agent);
  });

  it('are offline when the controller that held their stream is gone', async () => {
    const id = await t.createClient('orphan');
    const dead = createId();
    const seen = new Date(Date.now() - 16_000);
    await t.database.db.insertInto('controllers').values({ id: dead, started_at: seen, seen_at: seen }).execute();
    await t.database.db.updateTable('clients').set({ connected_to: dead }).where('id', '=', id).execute();
    expect((await client(id)).body.status).toBe('Offline');
    await t.database.db.updateTable('controllers').set({ seen_at: new Date() }).where('id', '=', dead).execute();
    expect((await client(id)).body.status).toBe('Live');
  });

  it('are deleted for good, which is refused while services target them, unless forced', async () => {
    const id = await t.createClient('doomed');
    const service = await t.createService({ clients: [{ client_id: id }] });
    await t.owner.call('POST', url(), {
      type: 'DEPLOY',
      clients: [{ client_id: id }],
      command: { name: service.name },
    });
    const refused = await t.owner.call('DELETE', `/api/op/clients/${id}`);
    expect(refused.body).toMatchObject({ code: 'client.targeted', services: [{ id: service.id, name: service.name }] });
    const dry = await t.owner.call('DELETE', `/api/op/clients/${id}?force=true&dry_run=true`);
    expect(dry.status).toBe(200);
    expect((await client(id)).status).toBe(200);
    const agent = await t.connect(id);
    await agent.settled();
    await t.database.db
      .insertInto('client_certificates')
      .values({
        serial: createId(),
        client_id: id,
        project_id: t.project,
        key_digest: Buffer.alloc(32),
        issued_at: new Date(),
        expires_at: new Date(Date.now() + 60_000),
      })
      .execute();
    expect((await t.owner.call('DELETE', `/api/op/clients/${id}?force=true`)).status).toBe(204);
    expect((await client(id)).status).toBe(404);
    const certificate = await t.database.db
      .selectFrom('client_certificates')
      .select('revoked_at')
      .where('client_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(certificate.revoked_at).not.toBeNull();
    await expect.poll(() => t.streams.displaced).toContain(id);
    const after = await t.owner.call('GET', `/api/op/services/${service.id}?project=${t.project}`);
    expect(after.body).toMatchObject({ status: 'Not Deployed', clients: [] });
    // Late messages of a removed client do no harm, and its stream is refused.
    await agent.session.hostStats(create(fleet.HostStatsSchema, { cores: 1 }));
    await agent.session.nodeReport(create(fleet.NodeReportSchema, { serviceId: service.id, generation: 1n }));
    await expect(
      t.controller.fleet.sessions.opened({ clientId: id }, create(fleet.HelloSchema, {})),
    ).rejects.toMatchObject({
      code: 'client.not_found',
    });
  });

  it('of another project are not found, and only owners and admins may read them', async () => {
    const other = await t.createProject(`other-${createId()}`);
    const foreign = await t.createClient('foreign', other);
    expect((await client(foreign)).status).toBe(404);
    const admin = await t.createMember('admin');
    expect((await admin.call('DELETE', `/api/op/clients/${foreign}?force=true`)).status).toBe(404);
    expect((await t.owner.call('DELETE', `/api/op/clients/${foreign}?project=${t.project}`)).status).toBe(404);
    const editor = await t.createMember('editor');
    expect((await editor.call('GET', url())).body.code).toBe('role.forbidden');
    expect((await editor.call('DELETE', `/api/op/clients/${await t.createClient('mine')}`)).body.code).toBe(
      'role.forbidden',
    );
  });
});

describe('the list of clients', () => {
  it('searches names, ids, hosts, systems, versions and service addresses', async () => {
    const id = await t.createClient('needle');
    await t.createService({ clients: [{ client_id: id, addresses: ['203.0.113.77', '203.0.113.78'] }] });
    const find = async (q: string) => (await t.owner.call('GET', url('', `&q=${encodeURIComponent(q)}`))).body.items;
    for (const q of ['NEEDLE', id, id.slice(9, 20), '203.0.113.77']) {
      expect(
        (await find(q)).map((item: { client_id: string }) => item.client_id),
        q,
      ).toEqual([id]);
    }
    for (const q of ['edge-1.example', 'linux', 'amd64', '0.1.0']) {
      const ids = (await find(q)).map((item: { client_id: string }) => item.client_id);
      expect(ids, q).toContain(id);
    }
    expect(await find('100%')).toEqual([]);
    const [plain] = await find('needle');
    expect(plain).toMatchObject({ service_ip_count: 2 });
    expect(plain).not.toHaveProperty('service_ips');
    const [full] = (await t.owner.call('GET', url('', '&q=needle&with_service_ips=true'))).body.items;
    expect(full.service_ips).toEqual(['203.0.113.77', '203.0.113.78']);
  });

  it('has the columns of the specification', async () => {
    const id = await t.createClient('columns');
    const agent = await t.connect(id);
    const sample = { atMs: BigInt(Date.now()), load5: 1, cores: 4, memoryTotalBytes: 1000n, memoryUsedBytes: 400n };
    await agent.session.hostStats(create(fleet.HostStatsSchema, sample));
    const service = await t.createService({ clients: [{ client_id: id, addresses: ['203.0.113.79'] }] });
    const { body } = await t.owner.call('GET', url('', '&q=columns&with_service_ips=true'));
    expect(body.items).toEqual([
      expect.objectContaining({
        client_id: id,
        name: 'columns',
        service_ip_count: 1,
        service_ips: ['203.0.113.79'],
        version: '0.1.0',
        status: 'Live',
        cpu_percent: 25,
        memory_percent: 40,
        last_seen: expect.any(String),
      }),
    ]);
    expect((await client(id)).body.services).toMatchObject([
      { id: service.id, name: service.name, status: 'Not Deployed', addresses: ['203.0.113.79'] },
    ]);
    await t.disconnect(agent);
  });

  it('needs as many queries for 1,000 clients with services as for one', async () => {
    const project = await t.createProject(`many-${createId()}`);
    const now = new Date();
    const ids = Array.from({ length: 1000 }, () => createId());
    await t.database.db.transaction().execute(async (tx) => {
      for (const [i, id] of ids.entries()) {
        const facts = hostFacts({
          cores: 2 ** 32 - 1,
          memoryBytes: 2n ** 64n - 1n,
          runtimeDir: '/run/\u0000x',
          name: `host-${String(i).padStart(4, '0')}`,
        });
        await t.controller.fleet.clients.register(tx, { id, projectId: project, facts, now });
      }
    });
    const list = async (limit: number) => {
      const queries = await recordQueries(t.database.db, async () => {
        const answer = await t.owner.call('GET', `/api/op/clients?project=${project}&limit=${limit}`);
        expect(answer.body.items).toHaveLength(limit);
      });
      // Others read the caller's identity, which happens now and then.
      return queries.filter(({ sql }) => /\b(clients|service_targets)\b/.test(sql)).length;
    };
    const one = await list(1);
    expect(one).toBeGreaterThan(0);
    expect(await list(1000)).toBe(one);
    const page = await t.owner.call('GET', `/api/op/clients?project=${project}&limit=400&sort=-name&with_total=true`);
    expect(page.body).toMatchObject({ total: 1000, items: { 0: { name: 'host-0999' } } });
    expect(page.body.next_cursor).toEqual(expect.any(String));
  });
});
