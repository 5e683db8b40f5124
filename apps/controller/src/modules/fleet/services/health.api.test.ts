import { create } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet, formatNodeId, TYPE_URL } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';
import { deriveHealthState, deriveNodeHealth, type KnownTarget, type TargetReport } from './health.ts';
import { healthState, targetHealth } from './health-views.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t?.close());

const url = (path = '', query = '') => `/api/op/services${path}?project=${t.project}${query}`;

async function readDetail(id: string) {
  const { body } = await t.owner.call('GET', url(`/proxies/${id}`));
  return body;
}

async function readHealth(id: string) {
  return (await t.owner.call('GET', url(`/${id}`))).body.health;
}

async function deploy(name: string, clientIds: readonly string[]): Promise<string> {
  const service = await t.createService({ name, clients: clientIds.map((client_id) => ({ client_id })) });
  const command = { type: 'DEPLOY', clients: [], command: { name } };
  const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, command);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return service.id;
}

const listRefusing = (resourceState: fleet.ResourceState) => [
  { typeUrl: TYPE_URL.listener, name: 'web', version: 'b', state: resourceState, reason: 'Address already in use' },
];

async function report(agent: Awaited<ReturnType<TestFleet['connect']>>, service: { id: string; name: string }) {
  await agent.session.nodeReport(
    create(fleet.NodeReportSchema, { serviceId: service.id, generation: 2n ** 40n, phase: fleet.NodePhase.RUNNING }),
  );
  return (state: fleet.RolloutState, resourceState: fleet.ResourceState) =>
    agent.session.rolloutReport(
      create(fleet.RolloutReportSchema, {
        nodeId: formatNodeId({ service: service.name, project: t.project, clientId: agent.clientId }),
        snapshotVersion: 'v1',
        state,
        resources: listRefusing(resourceState),
      }),
    );
}

describe('the health of a service', () => {
  it('screen bug 3: is degraded with the reason while Envoy refuses its listener, though its status is Live', async () => {
    const clientId = await t.createClient('refusing');
    const agent = await t.connect(clientId);
    const id = await deploy('refused', [clientId]);
    expect(await readHealth(id)).toEqual({ state: 'in_progress', last_known: null, reasons: [] });
    const rollout = await report(agent, { id, name: 'refused' });
    await rollout(fleet.RolloutState.PARTIAL, fleet.ResourceState.REFUSED);
    const { service, nodes, errors } = await readDetail(id);
    expect(service.status).toBe('Live');
    const message = expect.stringContaining('Address already in use');
    const reason = { code: 'configuration_error', message, client_id: clientId, name: 'web', endpoints: [] };
    expect(service.health).toEqual({ state: 'degraded', last_known: null, reasons: [reason] });
    expect(nodes[0]).toMatchObject({ state: 'degraded', reasons: [reason], state_since: errors[0].last_seen });
    await rollout(fleet.RolloutState.LIVE, fleet.ResourceState.WARMED);
    expect(await readHealth(id)).toEqual({ state: 'live', last_known: null, reasons: [] });
  });

  it('screen bug 6: starts with the refusal, not with the phase, and with the first of consecutive refusals', async () => {
    const clientId = await t.createClient('timed');
    const agent = await t.connect(clientId);
    const id = await deploy('timed', [clientId]);
    const rollout = await report(agent, { id, name: 'timed' });
    await rollout(fleet.RolloutState.PARTIAL, fleet.ResourceState.REFUSED);
    const first = (await readDetail(id)).nodes[0].state_since;
    await rollout(fleet.RolloutState.LIVE, fleet.ResourceState.WARMED);
    await rollout(fleet.RolloutState.PARTIAL, fleet.ResourceState.REFUSED);
    const { nodes, errors } = await readDetail(id);
    expect(errors).toMatchObject([{ occurrence_count: 2, first_seen: first }]);
    expect(nodes[0].state_since > first).toBe(true);
    expect(nodes[0].state_since).toBe(errors[0].last_seen);
  });

  it('screen bug 5: is unreachable with its last known state, since the agent lost its connection', async () => {
    const clientId = await t.createClient('away');
    const agent = await t.connect(clientId);
    const id = await deploy('away', [clientId]);
    const rollout = await report(agent, { id, name: 'away' });
    await rollout(fleet.RolloutState.LIVE, fleet.ResourceState.WARMED);
    await t.disconnect(agent);
    const { service, nodes } = await readDetail(id);
    expect(service.status).toBe('Offline');
    expect(service.health).toEqual({ state: 'unreachable', last_known: 'live', reasons: [] });
    const client = await t.owner.call('GET', `/api/op/clients/${clientId}?project=${t.project}`);
    expect(nodes[0]).toMatchObject({ state: 'live', state_since: client.body.disconnect_time });
    const list = await t.owner.call('GET', url('', '&health=unreachable'));
    expect(list.body.items.map(({ name }: { name: string }) => name)).toEqual(['away']);
  });

  it('can be filtered in the list with the value that the record shows', async () => {
    await t.createService({ name: 'idle' });
    const all = (await t.owner.call('GET', url())).body.items as { name: string; health: { state: string } }[];
    const states = new Set(all.map(({ health }) => health.state));
    expect(states).toContain('not_deployed');
    for (const state of states) {
      const { items } = (await t.owner.call('GET', url('', `&health=${state}`))).body;
      const expected = all.filter(({ health }) => health.state === state).map(({ name }) => name);
      expect(items.map(({ name }: { name: string }) => name)).toEqual(expected);
    }
    const unknown = await t.owner.call('GET', url('', '&health=fine'));
    expect(unknown).toMatchObject({ status: 400, body: { details: [{ path: 'health' }] } });
  });
});

describe('with reports of listeners', () => {
  it.each([
    ['failed', [false, false]],
    ['degraded', [true, false]],
    ['live', [true, true]],
  ] as const)('is %s if those that serve are %j, and names the others', async (state, serving) => {
    const clientId = await t.createClient(`listening-${state}`);
    const agent = await t.connect(clientId);
    const id = await deploy(`listening-${state}`, [clientId]);
    const listeners = serving.map((one, i) => ({
      name: `web-${i}`,
      serving: one,
      address: one ? `127.0.0.1:${18_000 + i}` : '',
      error: one ? '' : 'Permission denied',
    }));
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, {
        serviceId: id,
        generation: 2n ** 40n,
        phase: fleet.NodePhase.RUNNING,
        listeners,
      }),
    );
    const { service, nodes } = await readDetail(id);
    expect(service.health.state).toBe(state);
    expect(nodes[0].listeners).toHaveLength(2);
    expect(service.health.reasons).toEqual(
      listeners
        .filter((one) => !one.serving)
        .map(({ name }) => ({
          code: 'listener_not_serving',
          message: `Listener "${name}" accepts no connections: Permission denied`,
          client_id: clientId,
          name,
          endpoints: [],
        })),
    );
  });

  it('screen bug 3: is failed if its only listener could not be generated', async () => {
    const clientId = await t.createClient('empty');
    const agent = await t.connect(clientId);
    const id = await deploy('empty', [clientId]);
    await report(agent, { id, name: 'empty' });
    await agent.session.rolloutReport(
      create(fleet.RolloutReportSchema, {
        nodeId: formatNodeId({ service: 'empty', project: t.project, clientId }),
        snapshotVersion: 'v1',
        state: fleet.RolloutState.LIVE,
        resources: [],
      }),
    );
    expect((await readHealth(id)).state).toBe('failed');
  });
});

const PHASES = [null, 'preparing', 'running', 'stopped', 'failed', 'removed'] as const;
const ROLLOUTS = [null, 'unspecified', 'in_progress', 'live', 'partial'] as const;

const [UP, DOWN, SLOW] = [
  { serving: true, error: null },
  { serving: false, error: 'Address already in use' },
  { serving: false, error: null },
];
const LISTENERS = { unknown: [], none: [DOWN], some: [UP, DOWN], waiting: [DOWN, SLOW, UP], all: [UP] } as const;

/** Every combination of facts about a target. */
function listReports(): TargetReport[] {
  const flags = [false, true];
  return (['running', 'stopped'] as const).flatMap((runState) =>
    PHASES.flatMap((phase) =>
      ROLLOUTS.flatMap((rolloutState) =>
        (['unknown', 'none', 'some', 'waiting', 'all'] as const).flatMap((listeners) =>
          flags.flatMap((isBehind) =>
            flags.flatMap((hasErrors) =>
              flags.map((hasTrafficReasons) => ({
                ...{ runState, phase, rolloutState, listeners },
                ...{ isBehind, hasErrors, hasTrafficReasons },
              })),
            ),
          ),
        ),
      ),
    ),
  );
}

it('the health of a node is the same in SQL and in the model', async () => {
  const { db } = t.database;
  const reports = listReports();
  const rows = reports.map((one) => ({ ...one, id: createId() }));
  const { id } = await t.createService({ name: 'every' });
  const values = JSON.stringify(
    rows.map(({ listeners, ...row }) => ({ ...row, report: { listeners: LISTENERS[listeners] } })),
  );
  const given = sql`jsonb_to_recordset(${values}::jsonb) as g(id uuid, "runState" text, phase text, "rolloutState" text,
    "isBehind" boolean, "hasErrors" boolean, "hasTrafficReasons" boolean, report jsonb)`;
  await sql`
    insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, cores,
      memory_bytes, runtime_dir, data_dir, created_at, updated_at)
    select id, ${t.project}, id::text, '', '', '', '', '', '', '{}', 1, 1, '', '', now(), now() from ${given}`.execute(
    db,
  );
  await sql`
    insert into service_targets (service_id, client_id, deployed, run_state, generation, addresses, position)
    select ${id}, id, true, "runState", 5, '{}', row_number() over () from ${given}`.execute(db);
  await sql`
    insert into node_states (client_id, service_id, generation, phase, rollout_state, report)
    select id, ${id}, case when "isBehind" then 4 else 5 end, phase, "rolloutState", report from ${given}`.execute(db);
  await sql`
    insert into config_errors (id, project_id, service_id, client_id, node_id, source, severity, resource_type,
      resource_name, message, raw_message, status, first_seen, last_seen, occurrences)
    select gen_random_uuid(), ${t.project}, ${id}, id, id::text, 'node', 'error', '', '', '', '', 'active', now(), now(), 1
    from ${given} where "hasErrors"`.execute(db);
  await sql`
    insert into traffic_nodes (project_id, service_id, client_id, first_at, reported_at, received_at, clock_offset_ms,
      problems, problems_omitted, names_omitted, reasons, newest_id)
    select ${t.project}, ${id}, id, now(), now(), now(), 0, '[]', 0, 0, '[{}]', 0 from ${given}
    where "hasTrafficReasons"`.execute(db);
  const { rows: found } = await sql<{ client_id: string; state: string }>`
    select service_targets.client_id, ${targetHealth()} as state from service_targets
      join clients on clients.id = service_targets.client_id
      left join node_states
        on node_states.service_id = service_targets.service_id and node_states.client_id = service_targets.client_id
    where service_targets.service_id = ${id}`.execute(db);
  const stateOf = new Map(found.map((one) => [one.client_id, one.state]));
  expect(stateOf.size).toBe(rows.length);
  expect(rows.map((row) => stateOf.get(row.id))).toEqual(rows.map(deriveNodeHealth));
});

it('the health of a service is the same in SQL and in the model', async () => {
  const states = ['failed', 'degraded', 'in_progress', 'live', 'stopped'] as const;
  const nodes = states.flatMap((state) => [true, false].map((connected) => ({ state, connected })));
  const sets: KnownTarget[][] = [[]];
  for (const a of nodes) for (const b of nodes) sets.push([a, b].map((node) => ({ ...node, deployed: true })));
  for (const set of sets) {
    const { rows } = await sql<{ health: string }>`
      select ${healthState()} as health from jsonb_to_recordset(${JSON.stringify(set)}::jsonb)
        as targets(connected boolean, state text)`.execute(t.database.db);
    expect(rows[0]?.health, JSON.stringify(set)).toBe(deriveHealthState(set).state);
  }
});
