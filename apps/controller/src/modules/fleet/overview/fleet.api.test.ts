import { create } from '@bufbuild/protobuf';
import { fleetRoutes, fleetSchema, fleetServiceDetailSchema, ROLES, type RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { fleet, formatNodeId, TYPE_URL } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';

/** An address of the service's client, so that the test finds a leak in any answer. */
const ADDRESS = '192.0.2.77';
const REFUSAL = 'cannot bind: Address already in use';

let t: TestFleet;
let up: string;
let down: string;
let service: string;
let idle: string;
const members = {} as Record<(typeof ROLES)[number], TestCaller>;

beforeAll(async () => {
  t = await createTestFleet();
  [up, down] = [await t.createClient('up'), await t.createClient('down')];
  const agent = await t.connect(up);
  const clients = [
    { client_id: up, addresses: [ADDRESS] },
    { client_id: down, addresses: [] },
  ];
  service = (await t.createService({ name: 'shop', clients })).id;
  idle = (await t.createService({ name: 'idle' })).id;
  const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, {
    type: 'DEPLOY',
    clients: [{ client_id: up }, { client_id: down }],
    command: { name: 'shop' },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  await agent.settled();
  await agent.session.nodeReport(create(fleet.NodeReportSchema, { serviceId: service, generation: 2n ** 40n }));
  const nodeId = formatNodeId({ service: 'shop', project: t.project, clientId: up });
  const refused = { typeUrl: TYPE_URL.listener, name: 'web', version: 'b', state: fleet.ResourceState.REFUSED };
  await agent.session.rolloutReport(
    create(fleet.RolloutReportSchema, {
      nodeId,
      snapshotVersion: 'v1',
      state: fleet.RolloutState.PARTIAL,
      resources: [{ ...refused, reason: REFUSAL }],
    }),
  );
  for (const role of ROLES) members[role] = await t.createMember(role);
}, 120_000);
afterAll(() => t?.close());

const get = (by: TestCaller, path: string, project = t.project) =>
  by.call('GET', `/api/v3/fleet${path}${path.includes('?') ? '&' : '?'}project=${project}`);

async function read(by: TestCaller, path: string) {
  const { status, body } = await get(by, path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

describe.each(ROLES)('screen bug 10 and fault L19: with the role %s', (role) => {
  it('the fleet lists services with status and errors, clients with services, and open errors', async () => {
    const body = fleetSchema.parse(await read(members[role], ''));
    expect(body.services).toMatchObject({ total: 2, items: [{ id: idle }, { id: service }] });
    expect(body.services.items[1]).toMatchObject({
      name: 'shop',
      status: 'Partial',
      connected: 1,
      deployed: 2,
      active_errors: 1,
      listeners: ['web'],
      targets: [
        { client_id: up, client_name: 'up', connected: true },
        { client_id: down, client_name: 'down', connected: false },
      ],
    });
    expect(body.services.items[0]).toMatchObject({ name: 'idle', status: 'Not Deployed', connected: 0, deployed: 0 });
    expect(body.clients).toMatchObject({
      total: 2,
      items: [
        { name: 'down', status: 'Offline', services: [{ id: service, name: 'shop', deployed: true }] },
        { name: 'up', status: 'Live', services: [{ id: service }] },
      ],
    });
    expect(body.errors).toMatchObject({
      total: 1,
      items: [{ service_id: service, client_id: up, resource: { name: 'web' }, raw_message: REFUSAL }],
    });
  });

  it('a service shows its nodes with the refusal of the listener, and its errors', async () => {
    const body = fleetServiceDetailSchema.parse(await read(members[role], `/services/${service}`));
    expect(body.service).toMatchObject({ name: 'shop', status: 'Partial', listeners: ['web'], bootstrap: 'boot' });
    expect(body.nodes).toMatchObject([
      {
        client_name: 'up',
        connected: true,
        rollout: { resources: [{ name: 'web', state: 'refused', reason: REFUSAL }] },
      },
      { client_name: 'down', connected: false },
    ]);
    expect(body.errors).toMatchObject([{ severity: 'critical', status: 'active', suggested_fix: expect.any(String) }]);
  });

  it('a client shows its connection and the services on it', async () => {
    expect(await read(members[role], `/clients/${up}`)).toMatchObject({
      name: 'up',
      status: 'Live',
      connect_time: expect.any(String),
      services: [{ id: service, name: 'shop', status: 'Partial', deployed: true }],
    });
  });

  it('no answer contains ports of admin endpoints, addresses or facts of hosts', async () => {
    const paths = ['', '/services', `/services/${service}`, '/clients', `/clients/${up}`, '/errors'];
    for (const path of paths) {
      const text = JSON.stringify(await read(members[role], path));
      for (const secret of ['admin_port', 'addresses', ADDRESS, 'edge-1.example.com', 'hostname', '/var/lib/flotilla'])
        expect(text, `${path} ${secret}`).not.toContain(secret);
    }
    // The owners' routes contain all of this, so the search above could find it.
    const { body } = await t.owner.call('GET', `/api/op/services/proxies/${service}?project=${t.project}`);
    for (const there of ['admin_port', ADDRESS]) expect(JSON.stringify(body)).toContain(there);
  });
});

describe('the lists of the fleet', () => {
  it('are filtered, sorted and read page by page', async () => {
    const names = async (path: string) =>
      (await read(members.viewer, path)).items.map((item: { name: string }) => item.name);
    expect(await names('/services?status=Partial')).toEqual(['shop']);
    expect(await names('/services?status=Not_Deployed')).toEqual(['idle']);
    expect(await names('/services?name=SHO')).toEqual(['shop']);
    expect(await names(`/services?client_id=${up}`)).toEqual(['shop']);
    expect(await names('/services?sort=-name')).toEqual(['shop', 'idle']);
    expect(await names('/clients?status=Offline')).toEqual(['down']);
    expect(await names(`/clients?q=${up}`)).toEqual(['up']);
    const first = await read(members.viewer, '/clients?limit=1&with_total=true');
    expect(first).toMatchObject({ items: [{ name: 'down' }], total: 2, next_cursor: expect.any(String) });
    expect(await names(`/clients?limit=1&cursor=${encodeURIComponent(first.next_cursor)}`)).toEqual(['up']);
    const errors = async (query: string) => (await read(members.viewer, `/errors?${query}`)).items.length;
    expect(await errors(`service_id=${service}&status=active`)).toBe(1);
    expect(await errors(`service_id=${idle}`)).toBe(0);
    expect(await errors('severity=warning')).toBe(0);
    expect(await errors(`client_id=${up}&severity=critical`)).toBe(1);
  });

  it('do not find a client by what its viewers may not read', async () => {
    for (const text of [ADDRESS, 'edge-1.example.com', 'linux'])
      expect((await read(members.viewer, `/clients?q=${text}`)).items).toEqual([]);
    const refused = await get(members.viewer, '/services?ip_address=192');
    expect([refused.status, refused.body.code]).toEqual([400, 'request.invalid']);
    expect((await get(members.viewer, '/clients?sort=hostname')).status).toBe(400);
  });

  it('belong to one project', async () => {
    const other = await t.createProject('other');
    const outsider = await t.createMember('viewer', other);
    expect((await get(outsider, '', other)).body).toMatchObject({
      services: { total: 0, items: [] },
      clients: { total: 0, items: [] },
      errors: { total: 0, items: [] },
    });
    for (const path of ['', '/services', `/services/${service}`, '/clients', `/clients/${up}`, '/errors'])
      expect((await get(outsider, path)).body.code).toBe('project.forbidden');
    for (const path of [`/services/${service}`, `/clients/${up}`]) {
      const { status, body } = await get(outsider, path, other);
      expect([status, body.code]).toEqual([404, 'record.not_found']);
    }
    expect((await get(outsider, `/errors?service_id=${service}`, other)).body.items).toEqual([]);
  });

  it('can be read with an API token of a viewer, within its scopes', async () => {
    const ask = async (families: string[] | undefined, route: RouteContract) => {
      const body = { name: createId(), role: 'viewer', ...(families && { families }) };
      const made = await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, body);
      const url = `${route.path.replace(/:\w+/, service)}?project=${t.project}`;
      const headers = { authorization: `Bearer ${made.body.token}` };
      return (await t.app.inject({ method: 'GET', url, headers })).statusCode;
    };
    expect(await ask(undefined, fleetRoutes.read)).toBe(200);
    expect(await ask(['services'], fleetRoutes.services)).toBe(200);
    expect(await ask(['services'], fleetRoutes.service)).toBe(200);
    expect(await ask(['clients'], fleetRoutes.clients)).toBe(200);
    expect(await ask(['configuration'], fleetRoutes.errors)).toBe(200);
    expect(await ask(['services'], fleetRoutes.read)).toBe(403);
    expect(await ask(['clients'], fleetRoutes.service)).toBe(403);
  });
});

describe('in a restricted project', () => {
  it('a member sees the services that it may access, each with all of its nodes, and the clients that it may access', async () => {
    const admin = members.admin;
    const by = await t.createMember('editor');
    const access = async (resource_access: string) =>
      admin.call('PUT', `/api/v3/setting/resource-access?project=${t.project}`, { resource_access });
    const give = async (kind: string, id: string) => {
      const body = { subject: { kind: 'user', id: by.userId }, resource: { kind, id }, level: 'view' };
      expect((await admin.call('POST', `/api/v3/setting/permissions?project=${t.project}`, body)).status).toBe(201);
    };
    const overview = async () => (await by.call('GET', `/api/v3/overview?project=${t.project}`)).body;
    await access('listed');
    try {
      expect(await read(by, '')).toMatchObject({
        services: { total: 0, items: [] },
        clients: { total: 0, items: [] },
        errors: { total: 0, items: [] },
      });
      expect(await overview()).toMatchObject({
        settled_at: null,
        services: { total: 0 },
        clients: { total: 0 },
        config_errors: { active: 0, newest: [] },
        pending_changes: { nodes: 0, items: [] },
      });
      for (const path of [`/services/${service}`, `/clients/${up}`]) expect((await get(by, path)).status).toBe(404);

      // A client without a visible service reveals nothing about it.
      await give('client', down);
      expect(await read(by, '')).toMatchObject({
        services: { total: 0 },
        clients: { total: 1, items: [{ name: 'down', services: [] }] },
        errors: { total: 0 },
      });
      expect(await read(by, `/clients/${down}`)).toMatchObject({ services: [] });

      await give('service', service);
      const { services, clients, errors } = await read(by, '');
      expect(services).toMatchObject({
        total: 1,
        items: [{ name: 'shop', status: 'Partial', connected: 1, deployed: 2 }],
      });
      expect(clients).toMatchObject({ total: 1, items: [{ name: 'down', services: [{ name: 'shop' }] }] });
      expect(errors).toMatchObject({ total: 1, items: [{ client_id: up }] });
      expect(await read(by, '/services?status=Partial')).toMatchObject({ items: [{ name: 'shop' }] });
      expect((await read(by, `/services/${service}`)).nodes).toMatchObject([
        { client_name: 'up' },
        { client_name: 'down' },
      ]);
      expect(await overview()).toMatchObject({
        services: { total: 1, partial: 1 },
        clients: { total: 1, offline: 1 },
        config_errors: { active: 1 },
      });
      expect((await get(by, `/services/${idle}`)).status).toBe(404);
    } finally {
      await access('open');
    }
  });
});
