import { ADMIN_PORT_MAX, ADMIN_PORT_MIN } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
let client: string;
beforeAll(async () => {
  t = await createTestFleet();
  client = await t.createClient('edge-1');
});
afterAll(() => t.close());

const VERSION = '1.40.0';
const documentUrl = (name = '', query = '') =>
  `/api/v3/xds/listeners${name && `/${name}`}?project=${t.project}${name && `&version=${VERSION}`}${query}`;
const servicesUrl = (path = '', query = '') => `/api/op/services${path}?project=${t.project}${query}`;
const at = (address: string, port: number, more: object = {}) => ({
  address: { socket_address: { address, port_value: port } },
  ...more,
});

let counter = 0;
async function createListener(address: string, port: number, more: object = {}): Promise<string> {
  counter += 1;
  const name = `listener-${counter}`;
  const resource = at(address, port, more);
  expect((await t.owner.call('POST', documentUrl(), { name, version: VERSION, resource })).status).toBe(201);
  return name;
}

/** The listener's service on the client, or elsewhere. */
async function createService(listener: string, more: object = {}) {
  return t.createService({ listeners: [listener], clients: [{ client_id: client }], ...more });
}

async function adminPortOf(serviceId: string): Promise<number> {
  return (await t.owner.call('GET', servicesUrl(`/${serviceId}`))).body.targets[0].admin_port;
}

describe('a port of another service on the client', () => {
  it('is refused when a service is created, changed or tried, with the name of its user', async () => {
    await createService(await createListener('0.0.0.0', 20_001), { name: 'first' });
    const listener = await createListener('127.0.0.1', 20_001);
    const body = { name: 'second', version: VERSION, bootstrap: 'boot', listeners: [listener] };
    const clients = [{ client_id: client }];
    for (const dry of ['', '&dry_run=true']) {
      const refused = await t.owner.call('POST', servicesUrl('', dry), { ...body, clients });
      expect(refused.status).toBe(409);
      expect(refused.body).toMatchObject({
        code: 'port.in_use',
        details: [{ path: 'listeners[0]', rule: 'port.in_use' }],
      });
      expect(refused.body.message).toContain('Port 20001');
      expect(refused.body.message).toContain('listener listener-1 of service first');
      expect(refused.body.message).toContain('edge-1');
    }
    const created = await t.owner.call('POST', servicesUrl(), body);
    expect(created.status).toBe(201);
    const patched = await t.owner.call('PATCH', servicesUrl(`/${created.body.id}`), { clients });
    expect(patched.body.code).toBe('port.in_use');
    const elsewhere = [{ client_id: await t.createClient('elsewhere') }];
    expect((await t.owner.call('PATCH', servicesUrl(`/${created.body.id}`), { clients: elsewhere })).status).toBe(200);
  });

  it('is refused by DEPLOY, which then changes nothing', async () => {
    await createService(await createListener('0.0.0.0', 20_002));
    const other = await createService(await createListener('0.0.0.0', 20_002), { clients: [] });
    const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
      type: 'DEPLOY',
      clients: [{ client_id: client }],
      command: { name: other.name },
    });
    expect(answer.body.code).toBe('port.in_use');
    expect((await t.owner.call('GET', servicesUrl(`/${other.id}`))).body.clients).toEqual([]);
  });

  it('is refused when a listener moves to it, alone or in a batch, and in a dry run', async () => {
    await createService(await createListener('0.0.0.0', 20_003), { name: 'there' });
    const moving = await createListener('0.0.0.0', 20_004);
    await createService(moving);
    const resource = at('::', 20_003, {});
    const compatible = { address: { socket_address: { ...resource.address.socket_address, ipv4_compat: true } } };
    expect((await t.owner.call('PUT', documentUrl(moving), { resource })).status).toBe(200);
    for (const dry of ['', '&dry_run=true']) {
      const refused = await t.owner.call('PUT', documentUrl(moving, dry), { resource: compatible });
      expect(refused.body).toMatchObject({ code: 'port.in_use', details: [{ path: 'resource.address' }] });
      expect(refused.body.message).toContain('service there');
    }
    const batch = await t.owner.call('POST', '/api/v3/xds/apply', {
      project: t.project,
      documents: [{ collection: 'listeners', name: moving, version: VERSION, resource: compatible }],
    });
    expect(batch.body.code).toBe('port.in_use');
    expect(batch.body.details[0].path).toBe('documents[0].resource.address');
  });

  it('is free again when the other service has left the client', async () => {
    const first = await createService(await createListener('0.0.0.0', 20_005));
    const listener = await createListener('0.0.0.0', 20_005);
    expect((await t.owner.call('PATCH', servicesUrl(`/${first.id}`), { clients: null })).status).toBe(200);
    await createService(listener);
  });

  it('goes to one of two services that ask for it at the same time', async () => {
    const [one, two] = [await createListener('0.0.0.0', 20_006), await createListener('0.0.0.0', 20_006)];
    const answers = await Promise.all(
      [one, two].map((listener) =>
        t.owner.call('POST', servicesUrl(), {
          name: `race-${listener}`,
          version: VERSION,
          bootstrap: 'boot',
          listeners: [listener],
          clients: [{ client_id: client }],
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });
});

describe('an admin port', () => {
  it('is refused for a listener that would cover it', async () => {
    const own = await t.createClient('with-admin');
    const service = await createService('web', { clients: [{ client_id: own }] });
    const listener = await createListener('0.0.0.0', await adminPortOf(service.id));
    const refused = await t.owner.call('POST', servicesUrl(), {
      name: 'on-admin',
      version: VERSION,
      bootstrap: 'boot',
      listeners: [listener],
      clients: [{ client_id: own }],
    });
    expect(refused.body.code).toBe('port.in_use');
    expect(refused.body.message).toContain(`the admin endpoint of service ${service.name}`);
  });

  it('is never one at which a service on the client listens', async () => {
    const own = await t.createClient('with-listener');
    const first = await createService('web', { clients: [{ client_id: own }] });
    const port = await adminPortOf(first.id);
    const next = port === ADMIN_PORT_MAX ? ADMIN_PORT_MIN : port + 1;
    expect((await t.owner.call('PATCH', servicesUrl(`/${first.id}`), { clients: null })).status).toBe(200);
    // Without its service, the port would be the first choice of the next one.
    const listening = await createListener('127.0.0.1', port);
    await createService(listening, { clients: [{ client_id: own }] });
    const third = await createService('web', { clients: [{ client_id: own }] });
    expect(await adminPortOf(third.id)).not.toBe(port);
    expect([next, next + 1]).toContain(await adminPortOf(third.id));
  });
});

describe('a member who may not see the other service', () => {
  it('learns that the port is in use, but not by whom', async () => {
    await createService(await createListener('0.0.0.0', 20_010), { name: 'secret-name' });
    const moving = await createListener('0.0.0.0', 20_011);
    await createService(moving, { name: 'seen' });
    const editor = await t.createMember('editor');
    const { id } = (await t.owner.call('GET', documentUrl(moving))).body;
    const access = `/api/v3/setting/resource-access?project=${t.project}`;
    const granted = await t.owner.call('POST', `/api/v3/setting/permissions?project=${t.project}`, {
      subject: { kind: 'user', id: editor.userId },
      resource: { kind: 'document', id },
      level: 'change',
    });
    expect(granted.status).toBe(201);
    expect((await t.owner.call('PUT', access, { resource_access: 'listed' })).status).toBe(200);
    const refused = await editor.call('PUT', documentUrl(moving), { resource: at('0.0.0.0', 20_010) });
    expect(refused.body.code).toBe('port.in_use');
    expect(refused.body.message).toContain('another service');
    expect(JSON.stringify(refused.body)).not.toContain('secret-name');
    expect(JSON.stringify(refused.body)).not.toContain('edge-1');
  });
});
