import { ADMIN_PORT_MAX, ADMIN_PORT_MIN } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDocuments, createTestFleet, hostFacts, type TestFleet } from '../../../testing/fleet.ts';
import { listServiceNodes } from './index.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

let counter = 0;
function document(more: Record<string, unknown> = {}) {
  counter += 1;
  return { name: `doc-${counter}`, version: '1.40.0', bootstrap: 'boot', listeners: ['web'], ...more };
}

const url = (path = '', query = '') => `/api/op/services${path}?project=${t.project}${query}`;

async function create(more: Record<string, unknown> = {}) {
  const answer = await t.owner.call('POST', url(), document(more));
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

async function markDeployed(serviceId: string): Promise<void> {
  await t.database.db
    .updateTable('service_targets')
    .set({ deployed: true })
    .where('service_id', '=', serviceId)
    .execute();
}

async function registerMany(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => createId());
  await t.database.db.transaction().execute(async (tx) => {
    for (const id of ids) {
      const client = { id, projectId: t.project, facts: hostFacts({ name: `mass-${id.slice(-6)}` }), now: new Date() };
      await t.controller.fleet.clients.register(tx, client);
    }
  });
  return ids;
}

describe('services', () => {
  it('are created with defaults, an ETag and a Location, and read back', async () => {
    const answer = await t.owner.call('POST', url(), document({ name: 'shop' }));
    expect(answer.status).toBe(201);
    expect(answer.headers.etag).toBe('"1"');
    expect(answer.headers.location).toBe(`/api/op/services/${answer.body.id}?project=${t.project}`);
    expect(answer.body).toMatchObject({
      name: 'shop',
      policies: [],
      shield: { threads: 1, xff_trusted_hops: 0 },
      clients: [],
      status: 'Not Deployed',
      revision: 1,
    });
    const read = await t.owner.call('GET', url(`/${answer.body.id}`));
    expect(read.body).toEqual(answer.body);
    expect((await t.owner.call('POST', url(), document({ name: 'shop' }))).body.code).toBe('record.exists');
  });

  it('can only be managed by owners and admins', async () => {
    const { id } = await create();
    for (const role of ['editor', 'viewer'] as const) {
      const member = await t.createMember(role);
      expect((await member.call('GET', url())).body.code).toBe('role.forbidden');
      expect((await member.call('DELETE', url(`/${id}`))).body.code).toBe('role.forbidden');
    }
    const admin = await t.createMember('admin');
    expect((await admin.call('GET', url(`/${id}`))).status).toBe(200);
  });

  it('of another project are not found', async () => {
    const other = await t.createProject(`other-${createId()}`);
    const { id } = await create();
    expect((await t.owner.call('GET', `/api/op/services/${id}?project=${other}`)).status).toBe(404);
    expect((await t.owner.call('DELETE', `/api/op/services/${id}?project=${other}`)).status).toBe(404);
    const foreign = await t.createClient('foreign', other);
    const answer = await t.owner.call('POST', url(), document({ clients: [{ client_id: foreign }] }));
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe('clients[0].client_id');
  });

  it('reserve an admin port per client, the same on every client where it is free', async () => {
    const [a, b] = [await t.createClient('a'), await t.createClient('b')];
    const first = await create({ clients: [{ client_id: a }] });
    const { admin_port: begin } = first.targets[0];
    const second = await create({ clients: [{ client_id: a }, { client_id: b }] });
    const next = begin === ADMIN_PORT_MAX ? ADMIN_PORT_MIN : begin + 1;
    expect(second.targets.map((target: { admin_port: number }) => target.admin_port)).toEqual([next, next]);
    const third = await create({ clients: [{ client_id: b }, { client_id: a }] });
    const kept = third.targets.find((target: { client_id: string }) => target.client_id === a);
    const changed = await t.owner.call('PATCH', url(`/${third.id}`), {
      clients: [{ client_id: a, addresses: ['192.0.2.9'] }],
    });
    expect(changed.body.targets).toHaveLength(1);
    expect(changed.body.targets[0].admin_port).toBe(kept.admin_port);
    const removed = await t.owner.call('PATCH', url(`/${first.id}`), { clients: null });
    expect(removed.body.clients).toEqual([]);
    expect((await create({ clients: [{ client_id: a }] })).targets[0].admin_port).toBe(begin);
  });

  it('fault M7: search for an admin port from a different start for each client, and wrap around at the end', async () => {
    const ports: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const client = await t.createClient(`apart-${n}`);
      ports.push((await create({ clients: [{ client_id: client }] })).targets[0].admin_port);
    }
    // Six clients and 6,900 ports: two may get the same port, but not all of them.
    expect(new Set(ports).size).toBeGreaterThan(3);
    const client = await t.createClient('only-first-free');
    await sql`insert into admin_ports (client_id, port, service_id)
      select ${client}, port, gen_random_uuid() from generate_series(33101, 39999) port`.execute(t.database.db);
    expect((await create({ clients: [{ client_id: client }] })).targets[0].admin_port).toBe(33_100);
  });

  it('never get the same admin port if many are written at once', async () => {
    const client = await t.createClient('busy');
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => t.owner.call('POST', url(), document({ clients: [{ client_id: client }] }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
    const ports = answers.map(({ body }) => body.targets[0].admin_port);
    expect(new Set(ports).size).toBe(12);
  });

  it('are refused if no admin port is left, and nothing of them stays', async () => {
    const client = await t.createClient('full');
    await sql`insert into admin_ports (client_id, port, service_id)
      select ${client}, port, gen_random_uuid() from generate_series(33100, 39998) port`.execute(t.database.db);
    const last = await create({ clients: [{ client_id: client }] });
    expect(last.targets[0].admin_port).toBe(39_999);
    const refused = await t.owner.call('POST', url(), document({ name: 'no-room', clients: [{ client_id: client }] }));
    expect(refused.body.code).toBe('service.ports_exhausted');
    const list = await t.owner.call('GET', url('', '&name=no-room'));
    expect(list.body.items).toEqual([]);
  });

  it('for a thousand clients are written and deployed by one request', async () => {
    const project = t.project;
    const ids = await registerMany(1000);
    const service = await create();
    const answer = await t.owner.call('POST', `/api/op/clients?project=${project}`, {
      type: 'DEPLOY',
      clients: ids.map((client_id) => ({ client_id })),
      command: { name: service.name },
    });
    const outcomes = new Set(answer.body.results.map(({ outcome }: { outcome: string }) => outcome));
    expect([answer.body.results.length, ...outcomes]).toEqual([1000, 'pending']);
    const again = await t.owner.call('POST', `/api/op/clients?project=${project}`, {
      type: 'UNDEPLOY',
      command: { name: service.name },
    });
    expect(again.body.results).toHaveLength(1000);
  });

  it('accept 1,000 clients with 64 addresses each, when created, replaced and patched', async () => {
    const ids = await registerMany(1000);
    const addresses = Array.from(
      { length: 64 },
      (_, n) => `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${(n + 4096).toString(16)}`,
    );
    const clients = ids.map((client_id) => ({ client_id, addresses }));
    const created = await t.owner.call('POST', url(), document({ clients }));
    expect(created.status, JSON.stringify(created.body).slice(0, 300)).toBe(201);
    expect(created.body.clients).toHaveLength(1000);
    const path = url(`/${created.body.id}`);
    const replaced = await t.owner.call('PUT', path, document({ name: created.body.name, clients }));
    expect(replaced.status).toBe(200);
    const patched = await t.owner.call('PATCH', path, { clients: clients.slice(1) });
    expect(patched.body.clients).toHaveLength(999);
  }, 120_000);

  it('refuse a stale If-Match, a repeated name, a foreign project in the body and unknown fields', async () => {
    const service = await create();
    const path = url(`/${service.id}`);
    const put = document({ name: service.name, listeners: ['web', 'admin'] });
    expect((await t.owner.call('PUT', path, put, { 'if-match': '"9"' })).status).toBe(412);
    const changed = await t.owner.call('PUT', path, put, { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({ revision: 2, listeners: ['web', 'admin'] });
    expect((await t.owner.call('PATCH', path, { listeners: ['one', 'one'] })).body.details[0].path).toBe('listeners');
    expect((await t.owner.call('PATCH', path, { project: createId() })).body.details[0].path).toBe('project');
    expect((await t.owner.call('PATCH', path, { nonsense: 1 })).body.details[0].path).toBe('nonsense');
    expect((await t.owner.call('PATCH', path, { shield: { threads: 0 } })).body.details[0].path).toBe('shield.threads');
  });

  it('have a history and can be restored from it', async () => {
    const service = await create({ listeners: ['one'] });
    await t.owner.call('PATCH', url(`/${service.id}`), { listeners: ['two'] });
    const history = await t.owner.call('GET', url(`/${service.id}/revisions`));
    expect(history.body.items.map((item: { revision: number }) => item.revision)).toEqual([2, 1]);
    const restored = await t.owner.call('POST', url(`/${service.id}/restore`), { revision: 1 });
    expect(restored.body).toMatchObject({ revision: 3, listeners: ['one'] });
    expect((await t.owner.call('GET', url(`/${service.id}/revisions/2`))).body.document.listeners).toEqual(['two']);
    expect((await t.owner.call('POST', url(`/${service.id}/restore`), { revision: 9 })).status).toBe(404);
  });

  it('show the differences in a dry run', async () => {
    const service = await create();
    const path = url(`/${service.id}`, '&dry_run=true');
    const dry = await t.owner.call('PATCH', path, { shield: { threads: 3 } });
    const diff = [{ path: 'shield.threads', change: 'changed', before: 1, after: 3 }];
    expect(dry.body).toMatchObject({ dry_run: true, revision: 2, diff, nodes: [] });
    const real = await t.owner.call('PATCH', url(`/${service.id}`), { shield: { threads: 3 } });
    expect(real.body.diff).toBeUndefined();
    const restored = await t.owner.call('POST', url(`/${service.id}/restore`, '&dry_run=true'), { revision: 1 });
    expect(restored.body.diff).toEqual([{ path: 'shield.threads', change: 'changed', before: 3, after: 1 }]);
  });

  it('change nothing in a dry run', async () => {
    const client = await t.createClient('dry');
    const answer = await t.owner.call('POST', url('', '&dry_run=true'), document({ clients: [{ client_id: client }] }));
    expect(answer.body).toMatchObject({ dry_run: true, targets: [{ admin_port: expect.any(Number) }] });
    expect((await t.owner.call('GET', url(`/${answer.body.id}`))).status).toBe(404);
  });

  it('show in a dry run which proxies a change would affect', async () => {
    const runs = await t.createClient('reached');
    const listed = await t.createClient('only-listed');
    const service = await create({ clients: [{ client_id: runs }] });
    await markDeployed(service.id);
    const clients = [{ client_id: runs }, { client_id: listed }];
    expect((await t.owner.call('PATCH', url(`/${service.id}`), { clients })).status).toBe(200);
    const dry = await t.owner.call('PATCH', url(`/${service.id}`, '&dry_run=true'), { shield: { threads: 2 } });
    expect(dry.body.nodes).toEqual([`${service.name}::${t.project}::${runs}`]);
  });

  it('cannot be deleted, renamed or removed from a client while deployed there', async () => {
    const client = await t.createClient('runner');
    const service = await create({ clients: [{ client_id: client }] });
    await markDeployed(service.id);
    const path = url(`/${service.id}`);
    const refused = await t.owner.call('DELETE', path);
    expect(refused.status).toBe(409);
    expect(refused.body.clients).toEqual([{ client_id: client, client_name: 'runner' }]);
    expect((await t.owner.call('PATCH', path, { clients: [] })).body.code).toBe('service.client_deployed');
    expect((await t.owner.call('PATCH', path, { name: 'renamed' })).body.code).toBe('service.deployed');
    const nodes = await listServiceNodes(t.database.db, { serviceId: service.id });
    expect(nodes).toMatchObject([
      {
        name: service.name,
        adminPort: service.targets[0].admin_port,
        client: { id: client, runtimeDir: '/run/flotilla' },
        version: '1.40.0',
      },
    ]);
    await t.database.db
      .updateTable('service_targets')
      .set({ deployed: false })
      .where('service_id', '=', service.id)
      .execute();
    expect(await listServiceNodes(t.database.db, { serviceId: service.id })).toEqual([]);
    expect((await t.owner.call('DELETE', path)).status).toBe(204);
    expect((await t.owner.call('GET', path)).status).toBe(404);
  });
});

describe('the list of services', () => {
  it('shows and filters by the status that results from its clients', async () => {
    const project = await t.createProject(`list-${createId()}`);
    const clients = await Promise.all(['on', 'off'].map((name) => t.createClient(name, project)));
    const [on = '', off = ''] = clients;
    await t.connect(on);
    await addDocuments(t, project, ['1.40.0', '1.36.4']);
    const make = async (name: string, targets: string[], deployed: boolean, version = '1.40.0') => {
      const body = document({
        name,
        version,
        clients: targets.map((client_id, i) => ({
          client_id,
          addresses: [`192.0.2.${i + 1}`, `2001:db8::${name.length}`],
        })),
      });
      const { body: service } = await t.owner.call('POST', `/api/op/services?project=${project}`, body);
      if (deployed) await markDeployed(service.id);
    };
    await make('alpha', [on], true);
    await make('beta', [on, off], true);
    await make('gamma', [off], true, '1.36.4');
    await make('delta', [on], false);
    await make('epsilon', [], false);
    const list = async (query: string) => {
      const { body, status } = await t.owner.call('GET', `/api/op/services?project=${project}${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return body;
    };
    const statuses = (await list('')).items.map((item: { name: string; status: string }) => [item.name, item.status]);
    expect(Object.fromEntries(statuses)).toEqual({
      alpha: 'Live',
      beta: 'Partial',
      gamma: 'Offline',
      delta: 'Not Deployed',
      epsilon: 'Not Deployed',
    });
    const names = async (query: string) => (await list(query)).items.map((item: { name: string }) => item.name);
    // The SQL condition and the pure function agree on every status.
    for (const status of ['Live', 'Partial', 'Offline', 'Not Deployed']) {
      const expected = statuses.filter(([, s]: string[]) => s === status).map(([name]: string[]) => name);
      expect(await names(`&status=${encodeURIComponent(status)}`)).toEqual(expected);
    }
    expect(await names('&status=Not_Deployed&status=Live')).toEqual(['alpha', 'delta', 'epsilon']);
    expect(await names('&name=AMM')).toEqual(['gamma']);
    expect(await names('&version=1.36.4')).toEqual(['gamma']);
    expect(await names('&ip_address=192.0.2.2')).toEqual(['beta']);
    expect(await names(`&client_id=${off}`)).toEqual(['beta', 'gamma']);
    const page = await list('&limit=2&with_total=true&sort=-name');
    expect(page.total).toBe(5);
    expect(page.items.map((item: { name: string }) => item.name)).toEqual(['gamma', 'epsilon']);
    expect(await names(`&limit=2&sort=-name&cursor=${page.next_cursor}`)).toEqual(['delta', 'beta']);
    expect((await list('&name=beta')).items[0]).toMatchObject({
      name: 'beta',
      version: '1.40.0',
      admin_port: expect.any(Number),
      deployed: 2,
      ip_addresses: ['192.0.2.1', '2001:db8::4', '192.0.2.2'],
      active_errors: 0,
    });
  });
});
