import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHaFleet, type HaFleet, rank } from './testing/ha-fleet.ts';

let t: HaFleet;
beforeAll(async () => {
  t = await createHaFleet();
});
afterAll(() => t.close());

const newName = () => `pair-${createId().slice(-8)}`;
const expectRefused = (
  { status, body }: { status: number; body: { message: string } },
  wanted: number,
  message: string,
) => expect([status, body.message], JSON.stringify(body)).toEqual([wanted, message]);

describe('an HA pair', () => {
  it('of two clients is created with defaults, and listed and read as it was answered', async () => {
    const [first, second] = [await t.createAppliance(), await t.createAppliance()];
    const name = newName();
    const made = await t.ha('POST', '', { name, members: rank([first, second]) });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect((await t.owner.call('GET', String(made.headers.location))).body).toEqual(made.body);
    expect(made.body).toMatchObject({
      name,
      project: t.project,
      members: [
        {
          slot: 0,
          client_id: first.clientId,
          name: first.name,
          priority: 200,
          hb_addrs: { data: { auto: first.data, prefix: '192.0.2.0/24' }, mgmt: { auto: expect.any(String) } },
        },
        { slot: 1, client_id: second.clientId, priority: 100 },
      ],
      hb: { port: 8650, interval_ms: 200, misses: 5 },
      fence_targets: [],
      preempt: false,
      config_rev: 1,
      state: 'ok',
      status: 'unknown',
      members_ha: {},
      connected: { [first.clientId]: true, [second.clientId]: true },
      sync: { pending: [] },
      service_count: 0,
      updated_by: 'admin',
    });
    for (const empty of ['vacancy', 'next_hops', 'alarms']) expect(made.body).not.toHaveProperty(empty);
    expect(JSON.stringify(made.body)).not.toMatch(/key|secret/i);
    expect((await t.ha('GET', `/${made.body.id}`)).body).toEqual(made.body);
    expect((await t.ha('GET')).body.items).toContainEqual(made.body);
  });

  it('of one client waits for its peer in the other slot', async () => {
    const only = await t.createAppliance();
    const made = await t.ha('POST', '', { name: newName(), members: rank([only]) });
    expect(made.body).toMatchObject({
      status: 'awaiting_peer',
      vacancy: { slot: 1, priority: 100, since: expect.any(String) },
    });
    expect(made.body.vacancy).not.toHaveProperty('reason');
  });

  it('takes what the request says', async () => {
    const { pair } = await t.createPair({
      hb: { port: 8650, interval_ms: 100, misses: 10 },
      fence_targets: ['192.0.2.254'],
      next_hops: ['192.0.2.253'],
      preempt: true,
    });
    expect(pair).toMatchObject({
      hb: { port: 8650, interval_ms: 100, misses: 10 },
      fence_targets: ['192.0.2.254'],
      next_hops: ['192.0.2.253'],
      preempt: true,
    });
  });

  it('is not created by a dry run', async () => {
    const members = rank([await t.createAppliance(), await t.createAppliance()]);
    const name = newName();
    const tried = await t.ha('POST', '?dry_run=true', { name, members });
    expect(tried).toMatchObject({ status: 200, body: { name, dry_run: true } });
    expect((await t.ha('POST', '', { name, members })).status).toBe(201);
  });

  it('is created once for one Idempotency-Key', async () => {
    const members = rank([await t.createAppliance(), await t.createAppliance()]);
    const name = newName();
    const key = createId();
    const send = () =>
      t.owner.call('POST', `/api/v3/ha/pairs?project=${t.project}`, { name, members }, { 'idempotency-key': key });
    const [first, again] = [await send(), await send()];
    expect(first.status).toBe(201);
    expect([again.status, again.body]).toEqual([201, first.body]);
  });
});

describe('the creation of an HA pair is refused', () => {
  const members = async () => rank([await t.createAppliance(), await t.createAppliance()]);

  it.each([
    [{ hb: { port: 8651 } }, 'invalid request: the heartbeat port is fixed at 8650'],
    [{ hb: { interval_ms: 99 } }, 'invalid request: hb interval 100-1000 ms, misses 2-10'],
    [{ hb: { interval_ms: 1001 } }, 'invalid request: hb interval 100-1000 ms, misses 2-10'],
    [{ hb: { misses: 1 } }, 'invalid request: hb interval 100-1000 ms, misses 2-10'],
    [{ hb: { misses: 11 } }, 'invalid request: hb interval 100-1000 ms, misses 2-10'],
    [{ fence_targets: ['192.0.2.254', '192.0.2.254'] }, 'invalid request: fence_targets contains 192.0.2.254 twice'],
    [
      { fence_targets: ['127.0.0.1'] },
      'invalid request: fence_targets contains 127.0.0.1, which is not the address of a host',
    ],
    [{ next_hops: ['224.0.0.1'] }, 'invalid request: next_hops contains 224.0.0.1, which is not the address of a host'],
  ])('for what the body says: %j', async (more, message) => {
    expectRefused(await t.ha('POST', '', { name: newName(), members: await members(), ...more }), 400, message);
  });

  it.each([0, 1001, -5])('for the priority %i', async (priority) => {
    const [first, second] = await members();
    const answer = await t.ha('POST', '', { name: newName(), members: [first, { ...second, priority }] });
    expectRefused(answer, 400, `invalid request: priority ${priority} is outside 1-1000`);
  });

  it('for no member, or for three', async () => {
    const many = [...(await members()), { client_id: createId(), priority: 1 }];
    for (const wrong of [[], many]) {
      const answer = await t.ha('POST', '', { name: newName(), members: wrong });
      expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid', message: expect.any(String) } });
    }
  });

  it('for equal priorities', async () => {
    const equal = (await members()).map((member) => ({ ...member, priority: 7 }));
    expectRefused(
      await t.ha('POST', '', { name: newName(), members: equal }),
      400,
      "invalid request: the members' priorities must differ",
    );
  });

  it('for a client in both slots, in whatever spelling', async () => {
    const { clientId } = await t.createAppliance();
    const both = rank([{ clientId }, { clientId: clientId.toUpperCase() }]);
    expectRefused(
      await t.ha('POST', '', { name: newName(), members: both }),
      400,
      'invalid request: the members must be different clients',
    );
  });

  it('for a client that does not exist, or belongs to another project', async () => {
    const other = await t.createProject(newName());
    const foreign = await t.createAppliance({ project: other });
    for (const clientId of [createId(), foreign.clientId])
      expectRefused(
        await t.ha('POST', '', { name: newName(), members: rank([{ clientId }]) }),
        404,
        'client not found in the project',
      );
  });

  it('for a client that is no appliance', async () => {
    const plain = await t.createAppliance({ isAppliance: false });
    expectRefused(
      await t.ha('POST', '', { name: newName(), members: rank([plain]) }),
      400,
      'HA pairs need appliance clients; this client is not one',
    );
  });

  it('for a client without an address, unless the request names one', async () => {
    const nowhere = await t.createAppliance({ hasAddress: false });
    const [member] = rank([nowhere]);
    expectRefused(
      await t.ha('POST', '', { name: newName(), members: [member] }),
      400,
      'the client has not reported its HA addresses (agent too old, or no usable IPv4 address)',
    );
    const named = await t.ha('POST', '', { name: newName(), members: [{ ...member, data_override: '192.0.2.200' }] });
    expect(named.status).toBe(201);
    expect(named.body.members).toMatchObject([{ hb_addrs: {}, data_override: '192.0.2.200' }]);
  });

  it('for a client that is not connected', async () => {
    const away = await t.createAppliance({ connected: false });
    expectRefused(
      await t.ha('POST', '', { name: newName(), members: rank([away]) }),
      409,
      'the client is not connected',
    );
  });

  it('for a client that is a member already', async () => {
    const { members: taken } = await t.createPair();
    expectRefused(
      await t.ha('POST', '', { name: newName(), members: rank([taken[0]]) }),
      409,
      'the client is already a member of an HA pair',
    );
  });

  it('for a name that the project has', async () => {
    const { pair } = await t.createPair();
    expectRefused(
      await t.ha('POST', '', { name: pair.name, members: await members() }),
      409,
      'an HA pair with this name already exists in the project',
    );
  });

  it('for two clients that have services, but not for one', async () => {
    const [first, second] = [await t.createAppliance(), await t.createAppliance()];
    await t.load(first);
    await t.load(second);
    expectRefused(
      await t.ha('POST', '', { name: newName(), members: rank([first, second]) }),
      409,
      'both clients have services; pair an empty client with a loaded one',
    );
    const made = await t.ha('POST', '', { name: newName(), members: rank([first, await t.createAppliance()]) });
    expect(made).toMatchObject({ status: 201, body: { service_count: 1 } });
  });

  it('for an address that both members would have', async () => {
    const [first, second] = [await t.createAppliance(), await t.createAppliance()];
    const [one, two] = rank([first, second]);
    const answer = await t.ha('POST', '', { name: newName(), members: [one, { ...two, data_override: first.data }] });
    expectRefused(answer, 400, 'invalid request: the members have the same address');
  });

  it('for a fence target that is a member itself', async () => {
    const [first, second] = [await t.createAppliance(), await t.createAppliance()];
    const body = { name: newName(), members: rank([first, second]), fence_targets: [second.data] };
    expectRefused(
      await t.ha('POST', '', body),
      400,
      `invalid request: fence_targets contains ${second.data}, an address of the pair itself`,
    );
  });

  it.each(['editor', 'viewer'] as const)('for a member with the role %s', async (role) => {
    const by = await t.createMember(role);
    expect((await t.ha('POST', '', { name: newName(), members: await members() }, by)).status).toBe(403);
    expect((await t.ha('GET', '', undefined, by)).status).toBe(403);
  });
});

describe('an update of an HA pair', () => {
  it('changes what it names, raises config_rev by one and keeps the rest', async () => {
    const { pair, members } = await t.createPair({ fence_targets: ['192.0.2.254'], next_hops: ['192.0.2.253'] });
    const name = newName();
    const body = {
      name,
      members: [{ client_id: members[0].clientId, priority: 50, mgmt_override: '198.51.100.250' }],
      hb: { misses: 3 },
      fence_targets: null,
      next_hops: [],
      preempt: true,
    };
    const changed = await t.ha('PUT', `/${pair.id}`, body);
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect(changed.body).toMatchObject({
      name,
      config_rev: 2,
      hb: { port: 8650, interval_ms: 200, misses: 3 },
      fence_targets: ['192.0.2.254'],
      preempt: true,
      members: [{ priority: 50, mgmt_override: '198.51.100.250' }, { priority: 100 }],
    });
    expect(changed.body).not.toHaveProperty('next_hops');
    expect(changed.body.members[0]).not.toHaveProperty('data_override');
  });

  it('exchanges priorities in one step', async () => {
    const { pair, members } = await t.createPair();
    const swapped = rank([members[1], members[0]]);
    const changed = await t.ha('PUT', `/${pair.id}`, { members: swapped });
    expect(changed.body.members).toMatchObject([{ priority: 100 }, { priority: 200 }]);
  });

  it('removes an override with the empty text', async () => {
    const { pair, members } = await t.createPair();
    const set = (data_override: string) =>
      t.ha('PUT', `/${pair.id}`, { members: [{ client_id: members[1].clientId, data_override }] });
    expect((await set('192.0.2.201')).body.members[1]).toMatchObject({ data_override: '192.0.2.201' });
    const { body } = await set('');
    expect(body).toMatchObject({ config_rev: 3 });
    expect(body.members[1]).not.toHaveProperty('data_override');
  });

  it.each([
    [{}],
    [{ name: null, members: null, hb: null, fence_targets: null, next_hops: null, rotate_secret: null }],
    [{ fence_targets: [], next_hops: [] }],
    [{ hb: { interval_ms: 200 } }],
    [{ rotate_secret: false, preempt: false }],
  ])('is refused if it changes nothing: %j', async (body) => {
    const { pair } = await t.createPair();
    expectRefused(
      await t.ha('PUT', `/${pair.id}`, body),
      400,
      'invalid request: nothing to change (to clear next_hops or fence_targets send [], not null)',
    );
    expect((await t.ha('GET', `/${pair.id}`)).body.config_rev).toBe(1);
  });

  it('is refused like a creation', async () => {
    const { pair, members } = await t.createPair();
    const { pair: other } = await t.createPair();
    const [first, second] = members;
    const stranger = createId();
    const put = (body: unknown) => t.ha('PUT', `/${pair.id}`, body);
    expectRefused(await put({ hb: { port: 1 } }), 400, 'invalid request: the heartbeat port is fixed at 8650');
    expectRefused(await put({ hb: { misses: 11 } }), 400, 'invalid request: hb interval 100-1000 ms, misses 2-10');
    expectRefused(
      await put({ members: [{ client_id: first.clientId, priority: 1001 }] }),
      400,
      'invalid request: priority 1001 is outside 1-1000',
    );
    expectRefused(
      await put({ members: [{ client_id: first.clientId, priority: 100 }] }),
      400,
      "invalid request: the members' priorities must differ",
    );
    expectRefused(
      await put({ members: [{ client_id: stranger, priority: 3 }] }),
      400,
      `invalid request: client ${stranger} is not a member of the pair`,
    );
    expectRefused(
      await put({ members: [{ client_id: first.clientId, data_override: second.data }] }),
      400,
      'invalid request: the members have the same address',
    );
    expectRefused(await put({ name: other.name }), 409, 'an HA pair with this name already exists in the project');
    expectRefused(await t.ha('PUT', `/${createId()}`, { name: newName() }), 404, 'HA pair not found');
  });

  it('takes the whole record as it was read, with a change', async () => {
    const { pair } = await t.createPair({ next_hops: ['192.0.2.253'] });
    const put = (more: object) => t.ha('PUT', `/${pair.id}`, { ...pair, ...more });
    expect((await put({})).body.code).toBe('ha.invalid');
    for (const wrong of [{ slot: 1 }, { name: 'another' }]) {
      const refused = await put({ members: [{ ...pair.members[0], ...wrong }] });
      expect(refused.body.message, JSON.stringify(refused.body)).toContain(`members[0].${Object.keys(wrong)[0]}`);
    }
    const changed = await put({ preempt: true, status: 'live', service_count: 9 });
    expect(changed).toMatchObject({ status: 200, body: { preempt: true, config_rev: 2, next_hops: ['192.0.2.253'] } });
    const late = await put({ preempt: false });
    expect(late.body.details.map(({ path }: { path: string }) => path)).toContain('config_rev');
  });

  it('changes nothing as a dry run', async () => {
    const { pair } = await t.createPair();
    const tried = await t.ha('PUT', `/${pair.id}?dry_run=true`, { preempt: true });
    expect(tried.body).toMatchObject({ preempt: true, config_rev: 2, dry_run: true });
    expect((await t.ha('GET', `/${pair.id}`)).body).toMatchObject({ preempt: false, config_rev: 1 });
  });
});

describe('the clients that can join a pair', () => {
  const reasonOf = async (clientId: string, query = '') => {
    const { body } = await t.ha('GET', `/eligible${query}`);
    const found = body.items.find((one: { client_id: string }) => one.client_id === clientId);
    expect(found.selectable).toBe(found.disabled_reason === undefined);
    return found.disabled_reason;
  };

  it('are all of the project, with the reason why one cannot', async () => {
    const { pair, members } = await t.createPair();
    const free = await t.createAppliance();
    const loaded = await t.createAppliance();
    await t.load(loaded);
    const single = (await t.ha('POST', '', { name: newName(), members: rank([await t.createAppliance()]) })).body;
    expect(await reasonOf(free.clientId)).toBeUndefined();
    expect(await reasonOf((await t.createAppliance({ isAppliance: false })).clientId)).toBe('not_appliance');
    expect(await reasonOf((await t.createAppliance({ hasAddress: false })).clientId)).toBe('no_ha_address');
    expect(await reasonOf((await t.createAppliance({ connected: false })).clientId)).toBe('not_connected');
    expect(await reasonOf(members[0].clientId)).toBe('already_member');
    expect(await reasonOf(loaded.clientId)).toBeUndefined();
    expect(await reasonOf(loaded.clientId, `?for_pair=${single.id}`)).toBeUndefined();
    await t.load(members[0]);
    expect(await reasonOf(loaded.clientId, `?for_pair=${pair.id}`)).toBe('has_services');
    expect(await reasonOf(free.clientId, `?for_pair=${pair.id}`)).toBeUndefined();
    expectRefused(await t.ha('GET', `/eligible?for_pair=${createId()}`), 404, 'HA pair not found');
  });
});

describe('a new member', () => {
  const single = async (...loads: boolean[]) => {
    const only = await t.createAppliance();
    if (loads[0]) await t.load(only);
    const { body } = await t.ha('POST', '', { name: newName(), members: rank([only]) });
    return { only, pair: body };
  };

  it('fills the vacancy', async () => {
    const { pair } = await single();
    const { clientId, name } = await t.createAppliance();
    const added = await t.ha('POST', `/${pair.id}/members`, { client_id: clientId, priority: 100 });
    expect(added.status, JSON.stringify(added.body)).toBe(200);
    expect(added.body).toMatchObject({ config_rev: 2, members: [{ slot: 0 }, { slot: 1, name, priority: 100 }] });
    expect(added.body).not.toHaveProperty('vacancy');
  });

  it('is refused', async () => {
    const { pair } = await single(true);
    const add = (body: unknown, id = pair.id) => t.ha('POST', `/${id}/members`, body);
    const free = await t.createAppliance();
    const loaded = await t.createAppliance();
    await t.load(loaded);
    const { pair: full } = await t.createPair();
    expectRefused(
      await add({ client_id: loaded.clientId, priority: 1 }),
      409,
      'a client joining a pair that already serves must have no services',
    );
    expectRefused(await add({ client_id: free.clientId, priority: 1 }, full.id), 409, 'the pair has no vacant slot');
    expectRefused(
      await add({ client_id: free.clientId, priority: 200 }),
      400,
      "invalid request: the members' priorities must differ",
    );
    expectRefused(
      await add({ client_id: free.clientId, priority: 0 }),
      400,
      'invalid request: priority 0 is outside 1-1000',
    );
    expectRefused(await add({ client_id: createId(), priority: 1 }), 404, 'client not found in the project');
    expectRefused(await add({ client_id: free.clientId, priority: 1 }, createId()), 404, 'HA pair not found');
    expectRefused(
      await add({ client_id: free.clientId, priority: 1, interfaces: { nothing: 'port' } }),
      400,
      'invalid request: interfaces names nothing, which is no service of the project',
    );
  });
});

describe('the deletion of an HA pair', () => {
  it('is refused with the list of its services, and happens once it has none', async () => {
    const { pair, members } = await t.createPair();
    const service = await t.load(members[1]);
    const refused = await t.ha('DELETE', `/${pair.id}`);
    expectRefused(refused, 409, 'the pair still has services deployed; undeploy them first or delete with force');
    expect(refused.body.services).toEqual([{ id: service.id, name: service.name }]);
    const body = { type: 'UNDEPLOY', clients: [{ client_id: members[1].clientId }], command: { name: service.name } };
    await t.owner.call('POST', `/api/op/clients?project=${t.project}`, body);
    // The other member removes it in the background.
    await vi.waitFor(async () => expect(await t.ha('DELETE', `/${pair.id}`)).toMatchObject({ status: 204 }), {
      timeout: 90_000,
      interval: 50,
    });
    expectRefused(await t.ha('GET', `/${pair.id}`), 404, 'HA pair not found');
    expectRefused(await t.ha('DELETE', `/${pair.id}`), 404, 'HA pair not found');
  });

  it('with force keeps the services on the member of the higher priority, if none is active', async () => {
    const { pair, members } = await t.createPair();
    const service = await t.load(members[0]);
    const clients = [{ client_id: members[1].clientId }];
    await t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
      type: 'DEPLOY',
      clients,
      command: { name: service.name },
    });
    expect((await t.ha('DELETE', `/${pair.id}?force=true&dry_run=true`)).status).toBe(200);
    expect((await t.ha('DELETE', `/${pair.id}?force=true`)).status).toBe(204);
    const { body } = await t.owner.call('GET', `/api/op/services/proxies/${service.id}?project=${t.project}`);
    expect(body.service.clients.map((one: { client_id: string }) => one.client_id)).toEqual([members[0].clientId]);
    await members[1].agent.settled();
    expect(members[1].agent.commands.at(-1)).toMatchObject({ type: 'UNDEPLOY' });
  });

  it('with force is refused while a member is offline', async () => {
    const { pair, members } = await t.createPair();
    await t.load(members[0]);
    await t.disconnect(members[1].agent);
    expectRefused(await t.ha('DELETE', `/${pair.id}?force=true`), 409, 'an HA pair member is offline');
  });
});
