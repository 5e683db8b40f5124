import { create } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, type TestAgent, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
let agent: TestAgent;
let edge: string;
let away: string;
let shop: { id: string; name: string };

const NODES = '/api/v3/shield/nodes';

beforeAll(async () => {
  t = await createTestFleet();
  for (const name of ['guard', 'second']) {
    const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec: { domains: [{ hosts: [${name}.example.com] }] }
`;
    await t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, { name, text });
  }
  edge = await t.createClient('edge');
  away = await t.createClient('away');
  const clients = [edge, away].map((client_id) => ({ client_id, addresses: [] }));
  shop = await t.createService({ name: 'shop', clients, policies: ['guard', 'second'] });
  await t.createService({ name: 'open', clients: clients.slice(0, 1) });
  for (const name of ['shop', 'open'])
    await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, { type: 'DEPLOY', command: { name } });
  agent = await t.connect(edge);
  await agent.settled();
});
afterAll(() => t?.close());

const list = async (query = '', caller: TestCaller = t.owner, project = t.project) =>
  caller.call('GET', `${NODES}?project=${project}${query}`);
const resync = (body: object = {}, caller: TestCaller = t.owner, project = t.project) =>
  caller.call('POST', `/api/v3/shield/resync?project=${project}`, body);
const report = (policyDigest: string, policyError = '') =>
  agent.session.nodeReport(
    create(fleet.NodeReportSchema, {
      serviceId: shop.id,
      generation: 1n,
      phase: fleet.NodePhase.RUNNING,
      policyDigest,
      policyError,
      shieldRunning: policyDigest !== '',
    }),
  );
const listUpdates = () => agent.commands.filter(({ subType }) => subType === 'UPDATE_SHIELD_CONFIG');

describe('the filters of a project', () => {
  it('are listed for services with policies, with what each client reports', async () => {
    const { body } = await list();
    expect(body.items.map((one: { client_name: string }) => one.client_name)).toEqual(['away', 'edge']);
    expect(body.items[0]).toMatchObject({
      service_name: 'shop',
      policies: ['guard', 'second'],
      connected: false,
      current: null,
    });
    const wanted = body.items[1].wanted_digest;
    expect(wanted).toMatch(/^[0-9a-f]{64}$/);
    await report(wanted);
    expect((await list(`&client_id=${edge}`)).body.items).toMatchObject([
      { client_name: 'edge', connected: true, current: true, live_digest: wanted, shield_running: true },
    ]);
    await report('f'.repeat(64), 'guard.yaml:3: refused');
    expect((await list(`&client_id=${edge}`)).body.items).toMatchObject([
      { current: false, policy_error: 'guard.yaml:3: refused' },
    ]);
  });

  it('can be narrowed to a client and to a service, and read page by page', async () => {
    expect((await list(`&client_id=${away}`)).body.items).toHaveLength(1);
    expect((await list(`&service_id=${shop.id}`)).body.items).toHaveLength(2);
    expect((await list(`&service_id=${createId()}`)).body.items).toEqual([]);
    const first = await list('&limit=1');
    const second = await list(`&limit=1&cursor=${encodeURIComponent(first.body.next_cursor)}`);
    expect([first, second].map(({ body }) => body.items[0].client_name)).toEqual(['away', 'edge']);
    expect(second.body.next_cursor).toBeNull();
  });

  it('are hidden from other projects', async () => {
    const other = await t.createProject('elsewhere');
    const outsider = await t.createMember('owner', other);
    expect((await list('', outsider)).status).toBe(403);
    expect((await list(`&client_id=${edge}`, outsider, other)).body.items).toEqual([]);
    expect((await resync({ clients: [edge] }, outsider, other)).body).toEqual({ services: 0, nodes: 0, offline: 0 });
    expect((await resync({}, outsider)).status).toBe(403);
    expect(listUpdates()).toEqual([]);
  });
});

describe('a resync', () => {
  it('gives each filter a command, also those whose client is not connected', async () => {
    const { status, body } = await resync();
    expect([status, body]).toEqual([200, { services: 1, nodes: 2, offline: 1 }]);
    await agent.settled();
    expect(listUpdates().map(({ serviceId }) => serviceId)).toEqual([shop.id]);
    const history = await t.owner.call('GET', `/api/op/commands?project=${t.project}&type=SHIELD`);
    const outcomes = history.body.items.map((one: { client_name: string; outcome: string }) => [
      one.client_name,
      one.outcome,
    ]);
    expect(outcomes.sort()).toEqual([
      ['away', 'pending'],
      ['edge', 'done'],
    ]);
  });

  it('reaches only the clients that it names', async () => {
    const before = listUpdates().length;
    expect((await resync({ clients: [away.toUpperCase()] })).body).toEqual({ services: 1, nodes: 1, offline: 1 });
    expect((await resync({ clients: [createId()] })).body).toEqual({ services: 0, nodes: 0, offline: 0 });
    await agent.settled();
    expect(listUpdates()).toHaveLength(before);
  });

  it('only counts in a dry run', async () => {
    const before = listUpdates().length;
    const url = `/api/v3/shield/resync?project=${t.project}&dry_run=true`;
    expect((await t.owner.call('POST', url, {})).body).toMatchObject({ services: 1, nodes: 2, offline: 1 });
    await agent.settled();
    expect(listUpdates()).toHaveLength(before);
  });

  it('refuses members without the right, and a body that it does not know', async () => {
    for (const role of ['viewer', 'editor'] as const) {
      const member = await t.createMember(role);
      expect((await list('', member)).status).toBe(200);
      expect((await resync({}, member)).status).toBe(403);
    }
    for (const body of [{ clients: [] }, { clients: ['x'] }, { client: edge }])
      expect((await resync(body)).status).toBe(400);
  });

  it('is in the audit log with its counts', async () => {
    await resync({ clients: [edge] });
    const { body } = await t.owner.call('GET', `/api/v3/audit/logs?project=${t.project}&action=shield.resync&limit=1`);
    expect(body.items[0]).toMatchObject({ action: 'shield.resync', changes: { services: 1, nodes: 1, offline: 0 } });
  });
});
