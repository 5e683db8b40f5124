import { create } from '@bufbuild/protobuf';
import { overviewSchema } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { fleet, formatNodeId, TYPE_URL } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { explain, recordQueries } from '../../../testing/queries.ts';
import { readCertificates } from './certificate-views.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

async function read(by: TestCaller = t.owner, project = t.project) {
  const { status, body } = await by.call('GET', `/api/v3/overview?project=${project}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return overviewSchema.parse(body);
}

async function deploy(name: string, ...clientIds: string[]) {
  const service = await t.createService({ name });
  const clients = clientIds.map((client_id) => ({ client_id }));
  const command = { type: 'DEPLOY', clients, command: { name } };
  const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, command);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return service;
}

describe('the overview', () => {
  it('of an empty project shows no problem', async () => {
    const project = await t.createProject('empty');
    expect(await read(t.owner, project)).toEqual({
      at: expect.any(String),
      settled_at: null,
      services: {
        total: 0,
        live: 0,
        partial: 0,
        offline: 0,
        not_deployed: 0,
        failed: 0,
        degraded: 0,
        unreachable: 0,
        worst: [],
      },
      clients: { total: 0, live: 0, offline: 0, offline_clients: [] },
      config_errors: { active: 0, critical: 0, error: 0, warning: 0, newest: [] },
      certificates: { ended: 0, ends_soon: 0, first: [] },
      pending_changes: { nodes: 0, items: [] },
      running_commands: 0,
      recent: [],
    });
  });

  it('shows problems first, with the same words as the lists', async () => {
    const [up, down, never] = [await t.createClient('up'), await t.createClient('down'), await t.createClient('never')];
    const agent = await t.connect(up);
    const leaving = await t.connect(down);
    const live = await deploy('all-well', up);
    const partial = await deploy('half', up, down);
    const offline = await deploy('gone', down);
    const idle = await t.createService({ name: 'idle' });
    await agent.settled();
    await t.disconnect(leaving);
    const nodeId = formatNodeId({ service: 'half', project: t.project, clientId: up });
    await agent.session.nodeReport(create(fleet.NodeReportSchema, { serviceId: partial.id, generation: 2n ** 40n }));
    await agent.session.rolloutReport(
      create(fleet.RolloutReportSchema, {
        nodeId,
        snapshotVersion: 'v1',
        state: fleet.RolloutState.PARTIAL,
        resources: [
          {
            typeUrl: TYPE_URL.listener,
            name: 'web',
            version: 'b',
            state: fleet.ResourceState.REFUSED,
            reason: 'no port',
          },
          { typeUrl: TYPE_URL.route, name: 'site', version: 'b', state: fleet.ResourceState.HELD },
          { typeUrl: TYPE_URL.cluster, name: 'shop', version: 'b', state: fleet.ResourceState.WARMED },
        ],
      }),
    );
    const { services, clients, config_errors: errors, pending_changes: pending, ...rest } = await read();
    expect(services).toMatchObject({ total: 4, live: 1, partial: 1, offline: 1, not_deployed: 1 });
    expect(services?.worst).toEqual([
      {
        id: partial.id,
        name: 'half',
        status: 'Partial',
        health: 'degraded',
        reason: expect.stringContaining('no port'),
        active_errors: 1,
      },
      { id: offline.id, name: 'gone', status: 'Offline', health: 'unreachable', reason: null, active_errors: 0 },
    ]);
    const listed = await t.owner.call('GET', `/api/op/services?project=${t.project}`);
    const statusOf = new Map(listed.body.items.map((item: { id: string; status: string }) => [item.id, item.status]));
    for (const { id, status } of services?.worst ?? []) expect(statusOf.get(id)).toBe(status);
    expect(statusOf.get(live.id)).toBe('Live');
    expect(statusOf.get(idle.id)).toBe('Not Deployed');

    expect(clients).toMatchObject({ total: 3, live: 1, offline: 2 });
    expect(clients?.offline_clients).toEqual([
      {
        client_id: down,
        name: 'down',
        since: expect.any(String),
        reason: 'connection lost',
        renewable_until: null,
      },
      { client_id: never, name: 'never', since: null, reason: null, renewable_until: null },
    ]);
    expect(errors).toMatchObject({ active: 1, critical: 1, error: 0, warning: 0 });
    expect(errors?.newest).toMatchObject([
      { service_id: partial.id, service_name: 'half', client_id: up, resource: { name: 'web' }, severity: 'critical' },
    ]);
    expect(pending?.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ service_name: 'half', client_name: 'up', state: 'refused', reason: 'no port' }),
        expect.objectContaining({ service_name: 'half', client_id: up, state: 'held' }),
        expect.objectContaining({ service_name: 'gone', client_id: down, state: 'behind', resource: null }),
        expect.objectContaining({
          service_name: 'half',
          client_id: down,
          reason: 'the connection to its agent was lost',
        }),
      ]),
    );
    expect(pending?.items[0]).toMatchObject({ state: 'refused', resource: { name: 'web' } });
    expect(pending?.items.map(({ resource }) => resource?.name)).not.toContain('shop');
    const nodes = new Set(pending?.items.map(({ service_id, client_id }) => `${service_id} ${client_id}`));
    expect(pending?.nodes).toBe(nodes.size);
    expect(rest.recent[0]).toMatchObject({ kind: 'audit', actor: 'admin', outcome: 'done' });
    expect(rest.recent.length).toBeLessThanOrEqual(15);
  });

  it('shows until when an offline client may renew its certificate, and an expiring authority', async () => {
    const project = await t.createProject('away');
    const client = await t.createClient('asleep', project);
    const expiresAt = new Date('2026-01-01T00:00:00.000Z');
    await t.database.db
      .insertInto('client_certificates')
      .values({
        serial: createId(),
        client_id: client,
        project_id: project,
        key_digest: Buffer.alloc(32),
        issued_at: expiresAt,
        expires_at: expiresAt,
      })
      .execute();
    const { clients } = await read(t.owner, project);
    expect(clients?.offline_clients).toMatchObject([{ name: 'asleep', renewable_until: '2026-01-31T00:00:00.000Z' }]);

    const [now, later] = [new Date('2026-01-01T00:00:00.000Z'), new Date('2026-01-20T00:00:00.000Z')];
    expect(await readCertificates(t.database.db, project, { authorityEndsAt: later, now })).toEqual({
      ended: 0,
      ends_soon: 1,
      first: [{ state: 'ends_soon', ends_at: later.toISOString(), document: null }],
    });
    expect(await readCertificates(t.database.db, project, { authorityEndsAt: now, now: later })).toMatchObject({
      ended: 1,
      ends_soon: 0,
    });
  });

  it('shows waiting resources only if they have waited for long', async () => {
    const client = await t.createClient('waiting');
    const agent = await t.connect(client);
    const service = await deploy('patient', client);
    await agent.settled();
    await agent.session.nodeReport(create(fleet.NodeReportSchema, { serviceId: service.id, generation: 2n ** 40n }));
    await agent.session.rolloutReport(
      create(fleet.RolloutReportSchema, {
        nodeId: formatNodeId({ service: 'patient', project: t.project, clientId: client }),
        state: fleet.RolloutState.IN_PROGRESS,
        resources: [{ typeUrl: TYPE_URL.listener, name: 'slow', version: 'b', state: fleet.ResourceState.WAITING }],
      }),
    );
    const waiting = async () =>
      (await read()).pending_changes?.items.filter(({ service_name }) => service_name === 'patient');
    expect(await waiting()).toEqual([]);
    await t.database.db
      .updateTable('node_states')
      .set({ rollout_at: new Date(Date.now() - 11_000) })
      .where('service_id', '=', service.id)
      .execute();
    expect(await waiting()).toMatchObject([{ state: 'waiting', resource: { name: 'slow' } }]);
    await t.disconnect(agent);
  });

  it('shows when a problem was last resolved', async () => {
    const started = new Date().toISOString();
    const client = await t.createClient('returns');
    const first = await t.connect(client);
    const { settled_at: before } = await read(t.owner);
    await t.disconnect(first);
    const second = await t.connect(client);
    const { settled_at: after } = await read(t.owner);
    expect(Date.parse(before ?? '')).toBeGreaterThanOrEqual(Date.parse(started) - 1);
    expect(Date.parse(after ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
    await t.disconnect(second);
  });

  it('screen bug 10: shows editors and viewers the state of the fleet, and changed documents and policies', async () => {
    const admin = await read(await t.createMember('admin'));
    for (const role of ['editor', 'viewer'] as const) {
      const overview = await read(await t.createMember(role));
      const { services, config_errors, pending_changes, settled_at } = admin;
      expect(overview).toMatchObject({ services, config_errors, pending_changes, settled_at });
      expect(overview.clients.offline).toBe(admin.clients.offline);
      expect(overview.clients.offline_clients.length).toBeGreaterThan(0);
      for (const { renewable_until: until } of overview.clients.offline_clients) expect(until).toBeNull();
      expect(overview.running_commands).toEqual(expect.any(Number));
      expect(overview.recent.length).toBeGreaterThan(0);
      for (const change of overview.recent) {
        expect(change).toMatchObject({ kind: 'document', actor: 'admin', version: TEST_VERSION });
      }
    }
  });

  it('contains nothing of another project', async () => {
    const other = await t.createProject('other');
    const outsider = await t.createMember('owner', other);
    const overview = await read(outsider, other);
    expect(overview).toMatchObject({ services: { total: 0 }, clients: { total: 0 }, config_errors: { active: 0 } });
    expect(overview.pending_changes?.nodes).toBe(0);
    expect((await outsider.call('GET', `/api/v3/overview?project=${t.project}`)).body.code).toBe('project.forbidden');
  });

  it('needs as many queries for 10,000 clients and 2,000 services as for an empty project, and uses indexes', async () => {
    const { db } = t.database;
    const [project, empty] = [await t.createProject('huge'), await t.createProject('tiny')];
    await fill(project);
    // Only queries about the project; housekeeping continues in the background.
    const ask = async (id: string) =>
      (await recordQueries(db, () => read(t.owner, id))).filter(({ parameters }) => parameters.includes(id));
    const few = await ask(empty);
    const many = await ask(project);
    expect(few.length).toBeGreaterThan(5);
    expect(many.length).toBe(few.length);
    const overview = await read(t.owner, project);
    expect(overview.clients).toMatchObject({ total: 10_000, offline: 10_000 });
    expect(overview.clients?.offline_clients).toHaveLength(20);
    expect(overview.services).toMatchObject({ total: 2000, offline: 2000 });
    expect(overview.services?.worst).toHaveLength(20);
    expect(overview.pending_changes?.nodes).toBe(10_000);
    expect(overview.pending_changes?.items).toHaveLength(50);
    expect(overview.pending_changes?.items[0]?.state).toBe('refused');
    for (const query of many.filter(({ sql: text }) => /commands|config_errors|audit_log/.test(text))) {
      expect(await explain(db, query)).not.toMatch(/Seq Scan on (commands|config_errors|audit_log)/);
    }
  });
});

/** 2,000 services on five clients each, all offline and behind, a tenth with refused resources. */
async function fill(project: string): Promise<void> {
  const { db } = t.database;
  await sql`
    insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, cores,
      memory_bytes, runtime_dir, data_dir, created_at, updated_at)
    select gen_random_uuid(), ${project}, 'host-' || i, 'host', 'linux', 'amd64', '6', '1', 'other', '{}', 4, 1, '/r', '/d',
      now(), now() from generate_series(1, 10000) i`.execute(db);
  await sql`
    insert into services (id, project_id, name, version, bootstrap, listeners, policies, shield_threads,
      shield_xff_trusted_hops, created_at, updated_at, updated_by)
    select gen_random_uuid(), ${project}, 'service-' || i, ${TEST_VERSION}, 'boot', '{}', '{}', 1, 0, now(), now(), 'test'
    from generate_series(1, 2000) i`.execute(db);
  await sql`
    insert into service_targets (service_id, client_id, position, addresses, deployed, generation)
    select s.id, c.id, 0, '{}', true, 5
    from (select id, row_number() over () as n from services where project_id = ${project}) s
    join (select id, row_number() over () as n from clients where project_id = ${project}) c on c.n % 2000 = s.n % 2000
  `.execute(db);
  await sql`
    insert into node_states (client_id, service_id, generation, rollout_state, rollout_at, resources)
    select client_id, service_id, 4, case when random() < 0.1 then 'partial' else 'live' end, now(),
      jsonb_build_array(jsonb_build_object('type', 't', 'name', 'r', 'state', 'refused', 'reason', 'bad'))
    from service_targets where service_id in (select id from services where project_id = ${project})`.execute(db);
  await sql`
    insert into commands (id, project_id, client_id, client_name, type, sub_type, operation, fence, payload, status,
      timeout_ms, created_by, created_at, finished_at)
    select gen_random_uuid(), project_id, id, name, 'DEPLOY', '', '', 1, '{}', 'done', 1, 'test', now(), now()
    from clients where project_id = ${project}`.execute(db);
  await sql`
    insert into config_errors (id, project_id, service_id, node_id, source, severity, resource_type, resource_name, message,
      raw_message, status, first_seen, last_seen, occurrences)
    select gen_random_uuid(), project_id, id, 'n' || i, 'node', 'error', 't', 'r', 'm', 'm',
      case when i = 1 then 'active' else 'resolved' end, now(), now(), 1
    from services, generate_series(1, 5) i where project_id = ${project}`.execute(db);
  await sql`
    insert into audit_log (id, at, actor_kind, project_id, action, outcome, status)
    select gen_random_uuid(), now() - i * interval '1 second', 'user', ${createId()}, 'service.update', 'done', 200
    from generate_series(1, 10000) i`.execute(db);
  await sql`analyze`.execute(t.database.owner);
}
