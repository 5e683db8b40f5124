import { create } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet, formatNodeId, TYPE_URL } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, hostFacts, type TestFleet } from '../../../testing/fleet.ts';
import { deriveTargetState, type TargetReport } from './model.ts';

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

async function readCondition(id: string) {
  return (await t.owner.call('GET', url(`/${id}`))).body.condition;
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

describe('the condition of a service', () => {
  it('screen bug 3: has errors with the reason while Envoy refuses its listener, though its status is Live', async () => {
    const clientId = await t.createClient('refusing');
    const agent = await t.connect(clientId);
    const id = await deploy('refused', [clientId]);
    expect(await readCondition(id)).toEqual({ state: 'in_progress', last_known: null, reason: null });
    const rollout = await report(agent, { id, name: 'refused' });
    await rollout(fleet.RolloutState.PARTIAL, fleet.ResourceState.REFUSED);
    const { service, nodes, errors } = await readDetail(id);
    expect(service.status).toBe('Live');
    const reason = expect.stringContaining('Address already in use');
    expect(service.condition).toEqual({ state: 'with_errors', last_known: null, reason });
    expect(nodes[0]).toMatchObject({ state: 'with_errors', state_reason: reason, state_since: errors[0].last_seen });
    await rollout(fleet.RolloutState.LIVE, fleet.ResourceState.WARMED);
    expect(await readCondition(id)).toEqual({ state: 'up_to_date', last_known: null, reason: null });
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
    expect(service.condition).toEqual({ state: 'unreachable', last_known: 'up_to_date', reason: null });
    const client = await t.owner.call('GET', `/api/op/clients/${clientId}?project=${t.project}`);
    expect(nodes[0]).toMatchObject({ state: 'up_to_date', state_since: client.body.disconnect_time });
    const list = await t.owner.call('GET', url('', '&condition=unreachable'));
    expect(list.body.items.map(({ name }: { name: string }) => name)).toEqual(['away']);
  });

  it('can be filtered in the list with the value that the record shows', async () => {
    await t.createService({ name: 'idle' });
    const all = (await t.owner.call('GET', url())).body.items as { name: string; condition: { state: string } }[];
    const states = new Set(all.map(({ condition }) => condition.state));
    expect(states).toContain('not_deployed');
    for (const state of states) {
      const { items } = (await t.owner.call('GET', url('', `&condition=${state}`))).body;
      const expected = all.filter(({ condition }) => condition.state === state).map(({ name }) => name);
      expect(items.map(({ name }: { name: string }) => name)).toEqual(expected);
    }
    const unknown = await t.owner.call('GET', url('', '&condition=fine'));
    expect(unknown).toMatchObject({ status: 400, body: { details: [{ path: 'condition' }] } });
  });
});

const PHASES = [null, 'preparing', 'running', 'stopped', 'failed', 'removed'] as const;
const ROLLOUTS = [null, 'unspecified', 'in_progress', 'live', 'partial'] as const;

/** Every combination of facts about a target. */
function listReports(): TargetReport[] {
  const flags = [false, true];
  return (['running', 'stopped'] as const).flatMap((runState) =>
    PHASES.flatMap((phase) =>
      ROLLOUTS.flatMap((rolloutState) =>
        flags.flatMap((isBehind) => flags.map((hasErrors) => ({ runState, phase, rolloutState, isBehind, hasErrors }))),
      ),
    ),
  );
}

it('the state of a target is the same in SQL and in the model', async () => {
  const reports = listReports();
  const ids = reports.map(() => createId());
  await t.database.db.transaction().execute(async (tx) => {
    for (const id of ids) {
      const client = { id, projectId: t.project, facts: hostFacts({ name: id }), now: new Date() };
      await t.controller.fleet.clients.register(tx, client);
    }
  });
  const { id } = await t.createService({ name: 'every', clients: ids.map((client_id) => ({ client_id })) });
  await sql`update service_targets set deployed = true where service_id = ${id}`.execute(t.database.db);
  for (const [i, { runState, phase, rolloutState, isBehind, hasErrors }] of reports.entries()) {
    const key = ids[i] ?? '';
    await sql`update service_targets set run_state = ${runState}, generation = 5
      where service_id = ${id} and client_id = ${key}`.execute(t.database.db);
    await sql`insert into node_states (client_id, service_id, generation, phase, rollout_state)
      values (${key}, ${id}, ${isBehind ? 4 : 5}, ${phase}, ${rolloutState})`.execute(t.database.db);
    if (hasErrors)
      await sql`insert into config_errors (id, project_id, service_id, client_id, node_id, source, severity, resource_type,
          resource_name, message, raw_message, status, first_seen, last_seen, occurrences)
        values (${createId()}, ${t.project}, ${id}, ${key}, ${key}, 'node', 'error', '', '', '', '', 'active', now(), now(), 1)`.execute(
        t.database.db,
      );
  }
  const { body } = await t.owner.call('GET', url(`/${id}`));
  expect(body.targets.map(({ state }: { state: string }) => state)).toEqual(reports.map(deriveTargetState));
});
