import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createId, createSilentLogger, ok } from '@flotilla/kit';
import { fleet, formatNodeId, TYPE_URL } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKeyring } from '../../../platform/keyring/index.ts';
import { openController } from '../../../testing/controller.ts';
import {
  createTestFleet,
  TEST_FLEET_ENV,
  type TestAgent,
  type TestFleet,
  TestStreams,
} from '../../../testing/fleet.ts';
import { DesiredStates } from './index.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

const on = (...ids: string[]) => ids.map((client_id) => ({ client_id }));
const send = (body: unknown, query = '') => t.owner.call('POST', `/api/op/clients?project=${t.project}${query}`, body);

async function deployed(more: Record<string, unknown> = {}) {
  const clientId = await t.createClient();
  const agent = await t.connect(clientId);
  const service = await t.createService(more);
  await send({ type: 'DEPLOY', clients: on(clientId), command: { name: service.name } });
  await agent.settled();
  const nodeId = formatNodeId({ service: service.name, project: t.project, clientId });
  return { clientId, agent, service, nodeId };
}

const detail = async (serviceId: string) =>
  (await t.owner.call('GET', `/api/op/services/proxies/${serviceId}?project=${t.project}`)).body;
const errorsOf = async (serviceId: string, query = '') =>
  (await t.owner.call('GET', `/api/op/services/${serviceId}/errors?project=${t.project}${query}`)).body.items;

function rollout(
  agent: TestAgent,
  nodeId: string,
  resources: Array<MessageInitShape<typeof fleet.ResourceReportSchema>>,
): Promise<void> {
  return agent.session.rolloutReport(
    create(fleet.RolloutReportSchema, {
      nodeId,
      snapshotVersion: 'v1',
      state: fleet.RolloutState.PARTIAL,
      resources: resources.map((resource) => ({ typeUrl: TYPE_URL.listener, name: 'web', version: 'b', ...resource })),
    }),
  );
}

describe('reports of agents', () => {
  it('set the per-node state of the service', async () => {
    const { agent, service, nodeId, clientId } = await deployed();
    const generation = agent.desired.at(-1)?.services[0]?.generation ?? 0n;
    const before = await detail(service.id);
    expect(before.nodes).toMatchObject([{ node_id: nodeId, phase: null, rollout: null }]);
    expect(before.service).toMatchObject({ id: service.id, version: '1.40.0', bootstrap: 'boot', listeners: ['web'] });
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, {
        serviceId: service.id,
        generation,
        phase: fleet.NodePhase.RUNNING,
        envoyVersion: '1.40.0',
        bootstrapDigest: 'bd',
        policyDigest: 'pd',
        shieldRunning: true,
        restarts: 2,
        sinceMs: 1_700_000_000_000n,
      }),
    );
    await rollout(agent, nodeId, [
      { state: fleet.ResourceState.WARMED, liveVersion: 'b' },
      { name: 'two', state: fleet.ResourceState.HELD, reason: 'waits for cluster x' },
    ]);
    const [node] = (await detail(service.id)).nodes;
    expect(node).toMatchObject({
      client_id: clientId,
      connected: true,
      applied_generation: Number(generation),
      generation: Number(generation),
      phase: 'running',
      envoy_version: '1.40.0',
      envoy_version_wanted: '1.40.0',
      policy_digest: 'pd',
      bootstrap_digest: 'bd',
      shield_running: true,
      restarts: 2,
      since: '2023-11-14T22:13:20.000Z',
      rollout: {
        state: 'partial',
        snapshot_version: 'v1',
        resources: [
          { type: 'envoy.config.listener.v3.Listener', name: 'web', state: 'warmed', live_version: 'b', reason: null },
          { name: 'two', state: 'held', reason: 'waits for cluster x', live_version: null },
        ],
      },
    });
  });

  it('only count for the reporting client and its own services', async () => {
    const { service, nodeId } = await deployed();
    const intruder = await t.connect(await t.createClient('intruder'));
    const lie = create(fleet.NodeReportSchema, {
      serviceId: service.id,
      generation: 99n,
      phase: fleet.NodePhase.FAILED,
      error: 'lie',
    });
    await intruder.session.nodeReport(lie);
    await intruder.session.nodeReport({ ...lie, removed: true });
    await intruder.session.nodeReport({ ...lie, serviceId: "'" });
    await rollout(intruder, nodeId, [{ state: fleet.ResourceState.REFUSED, reason: 'lie' }]);
    await rollout(intruder, 'no node id', [{ state: fleet.ResourceState.REFUSED }]);
    expect(await errorsOf(service.id)).toEqual([]);
    expect((await detail(service.id)).nodes).toMatchObject([{ phase: null, error: null }]);
    const states = await t.database.db
      .selectFrom('node_states')
      .selectAll()
      .where('client_id', '=', intruder.clientId)
      .execute();
    expect(states).toEqual([]);
  });

  it('survive anything that PostgreSQL cannot store', async () => {
    const { agent, service, nodeId } = await deployed();
    const nasty = 'nul \u0000 half \ud800 end';
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, {
        serviceId: service.id,
        phase: 99 as fleet.NodePhase,
        error: nasty,
        policyError: nasty,
        envoyVersion: nasty,
        sinceMs: 2n ** 62n,
        generation: 2n ** 64n - 1n,
      }),
    );
    await rollout(agent, nodeId, [{ name: nasty, state: 99 as fleet.ResourceState, reason: nasty }]);
    expect((await detail(service.id)).nodes[0].error).toBe('nul  half \ufffd end');
  });
});

describe('configuration errors', () => {
  it('start with a refusal, count new attempts only, and end when the resource is acknowledged', async () => {
    const { agent, service, nodeId, clientId } = await deployed();
    const refused = {
      state: fleet.ResourceState.REFUSED,
      reason: "cannot bind '127.0.0.1:80': Address already in use",
      liveVersion: 'a',
    };
    await rollout(agent, nodeId, [refused]);
    await rollout(agent, nodeId, [refused]);
    const [error] = await errorsOf(service.id);
    expect(error).toMatchObject({
      service_id: service.id,
      client_id: clientId,
      severity: 'error',
      status: 'active',
      raw_message: refused.reason,
      message: expect.stringContaining('Envoy refused listener "web"'),
      resource: { name: 'web', type: 'envoy.config.listener.v3.Listener', node_id: nodeId },
      first_seen: expect.any(String),
      last_seen: expect.any(String),
      occurrence_count: 1,
      suggested_fix: expect.stringContaining('Another listener or program'),
    });
    // Another version, refused with the same message, counts as another occurrence.
    await rollout(agent, nodeId, [{ ...refused, version: 'c' }]);
    expect(await errorsOf(service.id)).toMatchObject([{ occurrence_count: 2, status: 'active' }]);
    await rollout(agent, nodeId, [{ state: fleet.ResourceState.SENT, version: 'd' }]);
    expect(await errorsOf(service.id)).toMatchObject([{ status: 'active' }]);
    await rollout(agent, nodeId, [{ state: fleet.ResourceState.ACKNOWLEDGED, version: 'd', liveVersion: 'd' }]);
    expect(await errorsOf(service.id)).toMatchObject([{ status: 'resolved', resolved_by: 'system' }]);
    await rollout(agent, nodeId, [{ ...refused, liveVersion: '' }]);
    expect(await errorsOf(service.id)).toMatchObject([{ status: 'active', occurrence_count: 3, severity: 'critical' }]);
  });

  it('are counted per service, resolved by people and cleared', async () => {
    const { agent, service, nodeId } = await deployed();
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, { serviceId: service.id, phase: fleet.NodePhase.FAILED, error: 'no such user' }),
    );
    await rollout(agent, nodeId, [{ state: fleet.ResourceState.REFUSED, reason: 'bad', liveVersion: 'x' }]);
    const summary = async () => {
      const { body } = await t.owner.call('GET', `/api/v3/custom/error_summary?project=${t.project}`);
      return body.services.find((one: { id: string }) => one.id === service.id);
    };
    expect(await summary()).toEqual({ id: service.id, name: service.name, status: 'Critical', count: 2 });
    const list = await t.owner.call('GET', `/api/op/services?project=${t.project}&name=${service.name}`);
    expect(list.body.items[0].active_errors).toBe(2);
    const critical = await errorsOf(service.id, '&severity=critical');
    expect(critical).toHaveLength(1);
    const path = `/api/op/services/${service.id}/errors`;
    const resolved = await t.owner.call('POST', `${path}/resolve?project=${t.project}`, { ids: [critical[0].id] });
    expect(resolved.body).toEqual({ changed: 1 });
    expect(await summary()).toMatchObject({ status: 'Error', count: 1 });
    expect(await errorsOf(service.id, '&status=resolved')).toMatchObject([{ resolved_by: 'admin' }]);
    const viewer = await t.createMember('viewer');
    const ids = (await errorsOf(service.id)).map(({ id }: { id: string }) => `ids=${id}`).join('&');
    expect((await viewer.call('DELETE', `${path}?project=${t.project}&${ids}`)).status).toBe(403);
    expect((await t.owner.call('DELETE', `${path}?project=${t.project}&${ids}`)).body).toEqual({ changed: 2 });
    expect(await errorsOf(service.id)).toEqual([]);
    const other = await t.createProject(`other-${createId()}`);
    expect((await t.owner.call('GET', `${path}?project=${other}`)).status).toBe(404);
  });

  it('stay limited, however many different ones an agent invents', async () => {
    const { agent, service, nodeId } = await deployed();
    for (let round = 0; round < 5; round += 1) {
      const resources = Array.from({ length: 300 }, (_, i) => ({
        name: `r${i}`,
        state: fleet.ResourceState.REFUSED,
        reason: `round ${round}: ${'x'.repeat(50)}`,
      }));
      await rollout(agent, nodeId, resources);
    }
    const rows = await t.database.db
      .selectFrom('config_errors')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('service_id', '=', service.id)
      .executeTakeFirstOrThrow();
    expect(Number(rows.count)).toBeLessThanOrEqual(800);
    expect((await errorsOf(service.id, '&status=active&limit=1000')).length).toBe(200);
  });

  it('report an admin port that another program uses, until it is free (fault M7)', async () => {
    const { agent, service } = await deployed();
    const report = { serviceId: service.id, phase: fleet.NodePhase.RUNNING };
    const adminError = 'the admin port 33100 is in use by a program of user 0 on this host';
    await agent.session.nodeReport(create(fleet.NodeReportSchema, { ...report, adminError }));
    const [found] = await errorsOf(service.id);
    expect(found).toMatchObject({ severity: 'error', resource: { type: 'service' }, status: 'active' });
    expect(found.message).toContain(adminError);
    const detail = `/api/op/services/proxies/${service.id}?project=${t.project}`;
    expect((await t.owner.call('GET', detail)).body.nodes).toMatchObject([{ admin_error: adminError, error: null }]);
    await agent.session.nodeReport(create(fleet.NodeReportSchema, report));
    expect(await errorsOf(service.id)).toMatchObject([{ status: 'resolved' }]);
    expect((await t.owner.call('GET', detail)).body.nodes).toMatchObject([{ admin_error: null }]);
  });

  it('about a refused policy end with the next good report', async () => {
    const { agent, service } = await deployed();
    const report = { serviceId: service.id, phase: fleet.NodePhase.RUNNING, policyDigest: 'old' };
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, { ...report, policyError: 'p.yaml:3: rate must be above 0' }),
    );
    expect(await errorsOf(service.id)).toMatchObject([
      { severity: 'error', resource: { type: 'policy' }, status: 'active' },
    ]);
    await agent.session.nodeReport(create(fleet.NodeReportSchema, report));
    expect(await errorsOf(service.id)).toMatchObject([{ status: 'resolved' }]);
  });
});

describe('the desired state', () => {
  it('follows an edit of the bootstrap with a new generation, and ignores an unchanged one', async () => {
    const name = `boot-${createId().slice(-6)}`;
    const documents = `/api/v3/xds/bootstrap`;
    const created = await t.owner.call('POST', `${documents}?project=${t.project}`, {
      name,
      version: '1.40.0',
      resource: {},
    });
    expect(created.status).toBe(201);
    const { agent } = await deployed({ bootstrap: name });
    const before = agent.desired.at(-1);
    const edit = (resource: unknown) =>
      t.owner.call('PUT', `${documents}/${name}?project=${t.project}&version=1.40.0`, { resource });
    const edited = await edit({ stats_flush_interval: '7s' });
    expect(edited.status, JSON.stringify(edited.body)).toBe(200);
    await expect.poll(() => agent.desired.at(-1)?.revision).toBeGreaterThan(before?.revision ?? 0n);
    const after = agent.desired.at(-1)?.services[0];
    expect(after?.generation).toBeGreaterThan(before?.services[0]?.generation ?? 0n);
    expect(JSON.parse(Buffer.from(after?.bootstrapJson ?? []).toString()).stats_flush_interval).toBe('7s');
    const count = agent.desired.length;
    agent.readDesired();
    await agent.settled();
    expect(agent.desired).toHaveLength(count);
  });

  it('says how many proxies share a limit, and follows their number', async () => {
    const name = `shared-${createId().slice(-6)}`;
    const limited = (limit: object) => ({
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name },
      spec: {
        domains: [
          {
            hosts: [`${name}.example.com`],
            policy: { engines: { rate_limit: { requests_per_second: 10, ...limit } } },
          },
        ],
      },
    });
    const url = (item = '') => `/api/v3/shield/policies${item}?project=${t.project}`;
    const created = await t.owner.call('POST', url(), { name, document: limited({ share: 'fleet' }) });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const first = await deployed({ policies: [name] });
    const files = (agent: TestAgent) =>
      Object.fromEntries(
        (agent.desired.at(-1)?.services[0]?.shield?.bundle?.files ?? []).map(({ path, content }) => [
          path,
          Buffer.from(content).toString(),
        ]),
      );
    const edges = (agent: TestAgent) => files(agent)['flotilla/edges.json'];
    const said = (count: number) => `{"edges":{"${name}":${count}}}\n`;
    expect(edges(first.agent)).toBe(said(1));

    // Another service with the same policy on another client.
    const second = await deployed({ policies: [name] });
    expect(edges(second.agent)).toBe(said(2));
    await expect.poll(() => edges(first.agent)).toBe(said(2));
    await send({ type: 'UNDEPLOY', clients: on(second.clientId), command: { name: second.service.name } });
    await expect.poll(() => edges(first.agent)).toBe(said(1));

    // Without a shared limit no proxies are counted.
    const edited = await t.owner.call('PUT', url(`/${name}`), { document: limited({}) });
    expect(edited.status, JSON.stringify(edited.body)).toBe(200);
    await expect.poll(() => Object.keys(files(first.agent))).toEqual([`${name}.yaml`]);
  });

  it('contains the policies of the service, and follows their edits', async () => {
    const name = `guard-${createId().slice(-6)}`;
    const policy = (burst: number) => ({
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name },
      spec: {
        domains: [
          {
            hosts: ['shop.example.com'],
            policy: { engines: { rate_limit: { key: 'ip', requests_per_second: 10, burst } } },
          },
        ],
      },
    });
    const url = (item = '') => `/api/v3/shield/policies${item}?project=${t.project}`;
    const created = await t.owner.call('POST', url(), { name, document: policy(20) });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const { agent } = await deployed({ policies: [name], shield: { threads: 2, xff_trusted_hops: 1 } });
    const shield = () => agent.desired.at(-1)?.services[0]?.shield;
    expect(shield()).toMatchObject({ threads: 2, xffTrustedHops: 1, bundle: { digest: expect.any(String) } });
    const before = shield()?.bundle?.digest;
    const edited = await t.owner.call('PUT', url(`/${name}`), { document: policy(30) });
    expect(edited.status, JSON.stringify(edited.body)).toBe(200);
    await expect.poll(() => shield()?.bundle?.digest).not.toBe(before);
    // The database alone does not reveal the content.
    const rows = await t.database.db.selectFrom('service_targets').select('sealed_content').execute();
    expect(rows.some((row) => row.sealed_content?.includes('shop.example.com'))).toBe(false);
  });

  it('keeps the last sent content if newer content cannot be built, and reports why', async () => {
    const { agent, service, clientId } = await deployed();
    const good = agent.desired.at(-1)?.services[0];
    await t.database.db.updateTable('services').set({ bootstrap: 'gone' }).where('id', '=', service.id).execute();
    const { body } = await send({ type: 'UPDATE_BOOTSTRAP', clients: on(clientId), command: { name: service.name } });
    expect(body.results[0]).toMatchObject({ outcome: 'failed', error: { code: 'service.invalid' } });
    const kept = agent.desired.at(-1)?.services[0];
    expect(kept?.bootstrapJson).toEqual(good?.bootstrapJson);
    expect(await errorsOf(service.id)).toMatchObject([{ status: 'active', resource: { name: 'gone' } }]);
    // Stopping needs no new content.
    const stop = await send({
      type: 'SERVICE',
      sub_type: 'SUB_STOP',
      clients: on(clientId),
      command: { name: service.name },
    });
    expect(stop.body.results[0].outcome).toBe('done');
    await t.database.db.updateTable('services').set({ bootstrap: 'boot' }).where('id', '=', service.id).execute();
    agent.readDesired();
    await agent.settled();
    expect(await errorsOf(service.id)).toMatchObject([{ status: 'resolved' }]);
  });

  it('is sent before its commands, even if the stream asks in between', async () => {
    const clientId = await t.createClient('between');
    const agent = await t.connect(clientId);
    await agent.settled();
    const service = await t.createService();
    // Simulates a controller that dies before it notifies the others.
    t.streams.agents.delete(clientId);
    await send({ type: 'DEPLOY', clients: on(clientId), command: { name: service.name } }, '&wait_ms=0');
    expect(await agent.session.unfinishedCommands()).toEqual([]);
    t.streams.agents.set(clientId, agent);
    agent.readDesired();
    await expect.poll(() => agent.commands.map(({ type }) => type)).toEqual(['DEPLOY']);
    expect(agent.desired.at(-1)?.services.map(({ serviceId }) => serviceId)).toEqual([service.id]);
  });

  it('is never marked as newer than a change that was made while it was built', async () => {
    const { clientId, service } = await deployed();
    const { db } = t.database;
    const revision = async () =>
      (await db.selectFrom('clients').select('desired_revision').where('id', '=', clientId).executeTakeFirstOrThrow())
        .desired_revision;
    const cipher = await openKeyring({ db, masterKey: TEST_FLEET_ENV.SVC_MASTER_KEY, keyFile: '' });
    let rounds = 0;
    const desired = new DesiredStates({
      db,
      logger: createSilentLogger(),
      cipher,
      failDesired: async () => undefined,
      archive: { offer: async () => undefined },
      pairs: { desiredFor: async () => undefined },
      contents: {
        async bootstrapFor() {
          rounds += 1;
          if (rounds === 1) {
            await t.owner.call('PATCH', `/api/op/services/${service.id}?project=${t.project}`, {
              shield: { threads: 5 },
            });
          }
          return ok({ bootstrapJson: Buffer.from(`{"round":${rounds}}`), listenerPorts: [] });
        },
        policyBundleFor: async () => ok(undefined),
      },
    });
    const stale = await desired.desiredStateFor(clientId, new Date());
    expect(Number(stale.revision)).toBeLessThan(await revision());
    const fresh = await desired.desiredStateFor(clientId, new Date());
    expect(Number(fresh.revision)).toBe(await revision());
    expect(fresh.revision).toBeGreaterThan(stale.revision);
    expect(fresh.services[0]?.generation).toBeGreaterThan(stale.services[0]?.generation ?? 0n);
  });

  it('is empty for a client without services, and never contains that of another client', async () => {
    await deployed();
    const agent = await t.connect(await t.createClient('idle'));
    await agent.settled();
    expect(agent.desired.at(-1)?.services).toEqual([]);
  });
});

describe('two controllers on one database', () => {
  it('send a command to a client of the other, and receive its outcome', async () => {
    const { controller: second, close } = await openController(t.database, TEST_FLEET_ENV);
    try {
      const streams = new TestStreams();
      second.fleet.attach(streams);
      const clientId = await t.createClient('elsewhere');
      const agent = await t.connect(clientId, [], { controller: second, streams });
      const service = await t.createService();
      const { body } = await send({ type: 'DEPLOY', clients: on(clientId), command: { name: service.name } });
      expect(body.results[0]).toMatchObject({ outcome: 'done' });
      expect(agent.desired.at(-1)?.services.map(({ serviceId }) => serviceId)).toEqual([service.id]);
      // The client connects to this controller: the other one drops its stream.
      const here = await t.connect(clientId);
      await expect.poll(() => streams.displaced).toEqual([clientId]);
      await agent.session.closed('displaced');
      const read = await t.owner.call('GET', `/api/op/clients/${clientId}?project=${t.project}`);
      expect(read.body.status).toBe('Live');
      await t.disconnect(here);
    } finally {
      await close();
    }
  });
});
