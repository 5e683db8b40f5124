import { fleet } from '@flotilla/proto';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TestCaller } from '../../../../testing/controller.ts';
import {
  createTestFleet,
  type Reaction,
  TEST_VERSION,
  type TestAgent,
  type TestFleet,
} from '../../../../testing/fleet.ts';
import { listPending, noteTargetsChanged, retryNow } from './index.ts';
import { insertPair, readCommands, readDeployed, readOwed, type TestPair } from './testing/pairs.ts';

const OTHER_VERSION = TEST_ENVOY_VERSIONS.oldest;
const WAIT = { interval: 50 };

let t: TestFleet;
let a: string;
let b: string;
let pair: TestPair;
let agentA: TestAgent;
let agentB: TestAgent;
let service: { id: string; name: string };
let round = 0;

beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t?.close());

/** A pair whose members are connected, and a service without targets. */
beforeEach(async () => {
  round += 1;
  [a, b] = [await t.createClient(`a-${round}`), await t.createClient(`b-${round}`)];
  pair = await insertPair(t.database, { project: t.project, clients: [a, b] });
  agentA = await t.connect(a);
  agentB = await t.connect(b);
  service = await t.createService();
});

interface Command {
  readonly type: string;
  readonly sub_type?: string;
  readonly body?: object;
  readonly addresses?: readonly string[];
}

async function send(
  clients: readonly string[],
  { type, sub_type = '', body = {}, addresses }: Command,
  { caller = t.owner, service: of = service }: { caller?: TestCaller; service?: { id: string } } = {},
) {
  const answer = await caller.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, {
    type,
    sub_type,
    clients: clients.map((client_id) => ({ client_id, ...(addresses && { addresses }) })),
    command: { service_id: of.id, ...body },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results as Array<{ outcome: string; command_id: string | null }>;
}

const deploy = (clients: readonly string[], addresses?: readonly string[]) =>
  send(clients, { type: 'DEPLOY', ...(addresses && { addresses }) });

const owed = () => readOwed(t.database, pair.id);
const deployed = (of = service) => readDeployed(t.database, of.id);
const namesOf = async (client: string) => (await readCommands(t.database, client)).map(({ name }) => name);
const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, WAIT);
const untilNothingIsOwed = () => until(async () => expect(await owed()).toEqual([]));

async function untilEqual(of = service) {
  await until(async () => {
    expect(await owed()).toEqual([]);
    const by = await deployed(of);
    expect(by.get(b)).toEqual(by.get(a));
  });
}

const refuse = (message: string): Reaction => ({
  outcome: fleet.Outcome.FAILED,
  errorCode: 'service.failed',
  errorMessage: message,
});

describe('what one member of a pair gets, the other one gets, too', () => {
  it('a deployment with its addresses, the binary first, sent by the program', async () => {
    await deploy([a], ['192.0.2.10', '192.0.2.11']);
    await untilEqual();
    expect((await deployed()).get(b)).toMatchObject({ addresses: ['192.0.2.10', '192.0.2.11'], run_state: 'running' });
    const commands = await readCommands(t.database, b);
    expect(commands.map(({ name, service_id }) => [name, service_id])).toEqual([
      ['DATAPLANE_VERSION SET_VERSION', null],
      ['DEPLOY', service.id],
    ]);
    expect(new Set(commands.map(({ created_by }) => created_by))).toEqual(
      new Set([`HA pair pair-${pair.id.slice(-8)}`]),
    );
    const { body } = await t.owner.call('GET', '/api/v3/audit/logs?action=command.dispatch');
    expect(body.items).toContainEqual(
      expect.objectContaining({
        actor: expect.objectContaining({ kind: 'system', name: `HA pair pair-${pair.id.slice(-8)}` }),
        resource: expect.objectContaining({ id: service.id }),
      }),
    );
    expect(await namesOf(a)).toEqual(['DEPLOY']);
  });

  it.each([
    ['a stop', { type: 'SERVICE', sub_type: 'SUB_STOP' }, { run_state: 'stopped' }, 'SERVICE SUB_STOP'],
    [
      'a version',
      { type: 'DATAPLANE_VERSION', body: { operation: 'SET_VERSION', version: OTHER_VERSION } },
      { version: OTHER_VERSION },
      'DATAPLANE_VERSION SET_VERSION',
    ],
    [
      'an upgrade with its drain time',
      {
        type: 'UPGRADE_LISTENER',
        body: { from_version: TEST_VERSION, to_version: OTHER_VERSION, graceful: true, drain_time_seconds: 77 },
      },
      { version: OTHER_VERSION, drain: 77 },
      'DATAPLANE_VERSION SET_VERSION',
    ],
    ['other addresses', { type: 'DEPLOY', addresses: ['192.0.2.77'] }, { addresses: ['192.0.2.77'] }, 'DEPLOY'],
  ])('%s, once', async (_, command, change, name) => {
    await deploy([a], ['192.0.2.1']);
    await untilEqual();
    const before = (await namesOf(b)).length;
    await send([a], command);
    await untilEqual();
    expect((await deployed()).get(b)).toMatchObject(change);
    expect((await namesOf(b)).slice(before)).toEqual([name]);
  });

  it('a start after a stop, whichever member it is sent to', async () => {
    await deploy([b]);
    await untilEqual();
    await send([b], { type: 'SERVICE', sub_type: 'SUB_STOP' });
    await untilEqual();
    await send([a], { type: 'SERVICE', sub_type: 'SUB_START' });
    await untilEqual();
    expect((await deployed()).get(b)).toMatchObject({ run_state: 'running' });
  });

  it('a removal', async () => {
    await deploy([a]);
    await untilEqual();
    await send([a], { type: 'UNDEPLOY' });
    await untilEqual();
    expect((await deployed()).size).toBe(0);
    expect((await namesOf(b)).at(-1)).toBe('UNDEPLOY');
    const gone = await t.owner.call('DELETE', `/api/op/services/${service.id}?project=${t.project}`);
    expect(gone.status).toBe(204);
  });

  it('a service that is stopped, without a start in between', async () => {
    agentB.react = () => 'silent';
    await t.disconnect(agentB);
    await deploy([a]);
    await send([a], { type: 'SERVICE', sub_type: 'SUB_STOP' });
    agentB = await t.connect(b);
    await untilEqual();
    expect((await deployed()).get(b)).toMatchObject({ run_state: 'stopped' });
    expect(
      agentB.desired.flatMap(({ services }) => services).some(({ runState }) => runState === fleet.RunState.RUNNING),
    ).toBe(false);
  });

  it('an edit of the addresses in the document of the service', async () => {
    await deploy([a], ['192.0.2.1']);
    await untilEqual();
    const path = `/api/op/services/${service.id}?project=${t.project}`;
    const { body } = await t.owner.call('GET', path);
    const clients = body.clients.map((one: { client_id: string; addresses: string[] }) =>
      one.client_id === a ? { ...one, addresses: ['192.0.2.2'] } : one,
    );
    const edited = await t.owner.call('PATCH', path, { clients }, { 'content-type': 'application/merge-patch+json' });
    expect(edited.status, JSON.stringify(edited.body)).toBe(200);
    await untilEqual();
    expect((await deployed()).get(b)?.addresses).toEqual(['192.0.2.2']);
  });

  it('nothing, if both are changed together', async () => {
    const other = await t.createService();
    await send([a, b], { type: 'DEPLOY', addresses: ['192.0.2.5'] }, { service: other });
    expect(await owed()).toEqual([]);
    await send([a, b], { type: 'SERVICE', sub_type: 'SUB_STOP' }, { service: other });
    await send([a, b], { type: 'UNDEPLOY' }, { service: other });
    expect(await owed()).toEqual([]);
    expect(await namesOf(b)).toEqual(['DEPLOY', 'SERVICE SUB_STOP', 'UNDEPLOY']);
  });

  it('nothing, if a member is only listed, or its listing is removed', async () => {
    await t.disconnect(agentB);
    await deploy([a]);
    const path = `/api/op/services/${service.id}?project=${t.project}`;
    const { body } = await t.owner.call('GET', path);
    const list = (clients: object[]) =>
      t.owner.call('PATCH', path, { clients }, { 'content-type': 'application/merge-patch+json' });
    expect((await list([...body.clients, { client_id: b, addresses: ['192.0.2.3'] }])).status).toBe(200);
    expect((await list(body.clients)).status).toBe(200);
    expect(await owed()).toMatchObject([{ client_id: b, op: 'deploy' }]);
    expect([...(await deployed()).keys()]).toEqual([a]);
  });
});

describe('a member that cannot catch up', () => {
  it('says that it is offline, burns no attempts, and continues when it is back', async () => {
    await t.disconnect(agentB);
    await deploy([a]);
    await until(async () => {
      const pending = (await listPending(t.database.db, [pair.id])).get(pair.id);
      expect(pending).toMatchObject([
        {
          service_id: service.id,
          service: service.name,
          client_id: b,
          client: `b-${round}`,
          op: 'deploy',
          attempts: 0,
          last_error: `client b-${round} is offline; the work continues when it is back`,
        },
      ]);
    });
    expect(await namesOf(b)).toEqual([]);
    agentB = await t.connect(b);
    await untilEqual();
  });

  it('shows why it failed with its attempts, waits longer, and is retried on demand', async () => {
    agentB.react = ({ type }) =>
      type === 'DEPLOY' ? refuse('there is no\n space left') : { outcome: fleet.Outcome.DONE };
    await deploy([a]);
    await until(async () =>
      expect(await owed()).toMatchObject([{ attempts: 1, last_error: 'there is no space left' }]),
    );
    const [first] = (await listPending(t.database.db, [pair.id])).get(pair.id) ?? [];
    const now = new Date();
    expect(await t.database.db.transaction().execute((tx) => retryNow(tx, pair.id, now))).toBe(1);
    await until(async () => expect(await owed()).toMatchObject([{ attempts: 2 }]));
    const [second] = (await listPending(t.database.db, [pair.id])).get(pair.id) ?? [];
    expect(Date.parse(second?.next_attempt_at ?? '')).toBeGreaterThan(Date.parse(first?.next_attempt_at ?? ''));
    agentB.react = () => ({ outcome: fleet.Outcome.DONE });
    await t.database.db.transaction().execute((tx) => retryNow(tx, pair.id, new Date()));
    await untilEqual();
    // The binary is there since the first attempt.
    expect(await namesOf(b)).toEqual(['DATAPLANE_VERSION SET_VERSION', 'DEPLOY', 'DEPLOY', 'DEPLOY']);
  });

  it('is retried when its client connects again', async () => {
    agentB.react = () => refuse('not now');
    await deploy([a]);
    await until(async () => expect(await owed()).toMatchObject([{ attempts: 1, last_error: 'not now' }]));
    // Far in the future, but the attempt itself was before the connection.
    await sql`update ha_sync set attempts = 9, next_attempt_at = now() + interval '299 s' where client_id = ${b}`.execute(
      t.database.db,
    );
    await t.disconnect(agentB);
    agentB = await t.connect(b);
    await untilEqual();
  });

  it('does not hold up other services', async () => {
    const other = await t.createService();
    agentB.react = ({ serviceId }) => (serviceId === service.id ? refuse('never') : { outcome: fleet.Outcome.DONE });
    await deploy([a]);
    await send([a], { type: 'DEPLOY' }, { service: other });
    await until(async () => {
      expect((await deployed(other)).get(b)).toBeDefined();
      expect(await owed()).toMatchObject([{ service_id: service.id, last_error: 'never' }]);
    });
  });

  it('shows a port that something else has, and catches up when it is free', async () => {
    const listener = `busy-${round}`;
    const port_value = 21_000 + round;
    const url = `/api/v3/xds/listeners?project=${t.project}`;
    const resource = { address: { socket_address: { address: '0.0.0.0', port_value } } };
    expect((await t.owner.call('POST', url, { name: listener, version: TEST_VERSION, resource })).status).toBe(201);
    const single = await t.createService({ listeners: [listener] });
    const holder = await t.createService({ listeners: [listener] });
    // Deployed before the pair, so that only B has it.
    await sql`delete from ha_members where client_id = ${a}`.execute(t.database.db);
    await send([b], { type: 'DEPLOY' }, { service: holder });
    await sql`insert into ha_members (client_id, pair_id, slot, priority) values (${a}, ${pair.id}, 0, 200)`.execute(
      t.database.db,
    );
    await send([a], { type: 'DEPLOY' }, { service: single });
    await until(async () => {
      const rows = await owed();
      expect(rows).toMatchObject([{ service_id: single.id, attempts: 1, command_id: null }]);
      expect(rows[0]?.last_error).toContain(`Port ${port_value}`);
    });
    expect((await deployed(single)).has(b)).toBe(false);
    await send([b], { type: 'UNDEPLOY' }, { service: holder });
    await t.database.db.transaction().execute((tx) => retryNow(tx, pair.id, new Date()));
    await untilEqual(single);
  });

  it('is followed back, if an upgrade fails on the member that was upgraded first', async () => {
    await deploy([a]);
    await untilEqual();
    agentA.react = ({ type }) =>
      type === 'UPGRADE_LISTENER' ? refuse('it does not run') : { outcome: fleet.Outcome.DONE };
    await send([a], {
      type: 'UPGRADE_LISTENER',
      body: { from_version: TEST_VERSION, to_version: OTHER_VERSION, graceful: true },
    });
    await until(async () => expect((await deployed()).get(a)).toMatchObject({ version: TEST_VERSION }));
    await untilEqual();
  });
});

describe('changes that cross each other', () => {
  it('of both members in opposite directions: the last one wins, and it ends', async () => {
    await deploy([a]);
    await untilEqual();
    await t.disconnect(agentA);
    await t.disconnect(agentB);
    await send([a], { type: 'SERVICE', sub_type: 'SUB_STOP' });
    expect(await owed()).toMatchObject([{ client_id: b, source_id: a, op: 'stop' }]);
    await send([b], { type: 'DEPLOY', addresses: ['192.0.2.50'] });
    expect(await owed()).toMatchObject([{ client_id: a, source_id: b, op: 'deploy' }]);
    [agentA, agentB] = [await t.connect(a), await t.connect(b)];
    await untilEqual();
    expect((await deployed()).get(a)).toMatchObject({ run_state: 'running', addresses: ['192.0.2.50'] });
  });

  it('many at the same time on both members end with equal members', async () => {
    await deploy([a]);
    await untilEqual();
    const changes = Array.from({ length: 12 }, (_, i) =>
      send([i % 2 === 0 ? a : b], {
        type: i % 3 === 0 ? 'DEPLOY' : 'SERVICE',
        ...(i % 3 === 0 ? { addresses: [`192.0.2.${100 + i}`] } : { sub_type: i % 3 === 1 ? 'SUB_STOP' : 'SUB_START' }),
      }),
    );
    await Promise.all(changes);
    await untilEqual();
    const counts = [(await namesOf(a)).length, (await namesOf(b)).length];
    // Nothing goes on by itself.
    await until(async () => expect(await owed()).toEqual([]));
    expect([(await namesOf(a)).length, (await namesOf(b)).length]).toEqual(counts);
  });

  it('while the other one catches up: the newer change goes ahead of a command that does not end', async () => {
    let isFirst = true;
    agentB.react = ({ type }) => {
      if (type !== 'DEPLOY' || !isFirst) return { outcome: fleet.Outcome.DONE };
      isFirst = false;
      return 'silent';
    };
    await deploy([a], ['192.0.2.1']);
    await until(async () => expect(await namesOf(b)).toContain('DEPLOY'));
    await deploy([a], ['192.0.2.2']);
    await send([a], { type: 'SERVICE', sub_type: 'SUB_STOP' });
    await untilEqual();
    expect((await deployed()).get(b)).toMatchObject({ addresses: ['192.0.2.2'], run_state: 'stopped' });
  });

  it('back to what was before, after an attempt has failed: the attempt is repeated', async () => {
    await deploy([a], ['192.0.2.1']);
    await untilEqual();
    agentB.react = () => refuse('not now');
    await deploy([a], ['192.0.2.2']);
    await until(async () => expect(await owed()).toMatchObject([{ attempts: 1, last_error: 'not now' }]));
    await t.disconnect(agentB);
    await deploy([a], ['192.0.2.3']);
    await deploy([a], ['192.0.2.2']);
    expect(await owed()).toMatchObject([{ client_id: b, op: 'deploy', attempts: 1 }]);
    agentB = await t.connect(b);
    await untilEqual();
    expect((await readCommands(t.database, b)).at(-1)).toMatchObject({ name: 'DEPLOY', status: 'done' });
  });

  it('a removal on one member while the other one still fails to deploy leaves it nowhere', async () => {
    agentB.react = ({ type }) => (type === 'DEPLOY' ? refuse('never') : { outcome: fleet.Outcome.DONE });
    await deploy([a]);
    await until(async () => expect(await owed()).toMatchObject([{ attempts: 1 }]));
    await send([a, b], { type: 'UNDEPLOY' });
    await t.database.db.transaction().execute((tx) => retryNow(tx, pair.id, new Date()));
    await untilNothingIsOwed();
    expect((await deployed()).size).toBe(0);
  });
});

describe('the end of the work', () => {
  const away = async () => {
    await t.disconnect(agentB);
    await deploy([a]);
    expect(await owed()).toHaveLength(1);
  };

  it('comes with the pair, and the member keeps what it has', async () => {
    await away();
    await sql`delete from ha_pairs where id = ${pair.id}`.execute(t.database.db);
    expect(await owed()).toEqual([]);
    agentB = await t.connect(b);
    expect([...(await deployed()).keys()]).toEqual([a]);
  });

  it('comes with the service', async () => {
    await away();
    await send([a], { type: 'UNDEPLOY' });
    expect(await owed()).toEqual([]);
    expect((await t.owner.call('DELETE', `/api/op/services/${service.id}?project=${t.project}`)).status).toBe(204);
    expect(await namesOf(b)).toEqual([]);
  });

  it('comes when the source leaves the pair: nothing is removed from the member that is left', async () => {
    await deploy([a]);
    await untilEqual();
    await t.disconnect(agentB);
    // As a forced removal of the client does, in one transaction.
    await t.database.db.transaction().execute(async (tx) => {
      const ctx = { project: { id: t.project }, now: new Date(), actor: { kind: 'system', name: 'test' } };
      await t.controller.fleet.services.undeploy(tx, ctx, service.id, [a]);
      await sql`delete from ha_members where client_id = ${a}`.execute(tx);
    });
    expect((await listPending(t.database.db, [pair.id])).get(pair.id)).toEqual([]);
    agentB = await t.connect(b);
    await untilNothingIsOwed();
    expect([...(await deployed()).keys()]).toEqual([b]);
  });
});

describe('a member that joins', () => {
  it('owes all services of the other one, each with its state', async () => {
    const [first, second] = [await t.createClient(`first-${round}`), await t.createClient(`second-${round}`)];
    const alone = await insertPair(t.database, { project: t.project, clients: [first] });
    await t.connect(first);
    const services = [await t.createService(), await t.createService(), await t.createService()];
    for (const [i, one] of services.entries())
      await send([first], { type: 'DEPLOY', addresses: [`192.0.2.${i + 1}`] }, { service: one });
    await send([first], { type: 'SERVICE', sub_type: 'SUB_STOP' }, { service: services[1] ?? service });
    expect(await readOwed(t.database, alone.id)).toEqual([]);
    await sql`delete from ha_pairs where id = ${alone.id}`.execute(t.database.db);
    const joined = await insertPair(t.database, { project: t.project, clients: [first, second] });
    expect(await readOwed(t.database, joined.id)).toHaveLength(3);
    await t.connect(second);
    await until(async () => {
      expect(await readOwed(t.database, joined.id)).toEqual([]);
      for (const one of services) {
        const by = await deployed(one);
        expect(by.get(second)).toEqual(by.get(first));
        expect(by.get(second)).toBeDefined();
      }
    });
    const installs = (await namesOf(second)).filter((name) => name.startsWith('DATAPLANE'));
    expect(installs).toHaveLength(1);
  });

  it('misses no deploy of the same moment', async () => {
    for (let i = 0; i < 5; i += 1) {
      const [first, second] = [await t.createClient(`m${i}-${round}`), await t.createClient(`n${i}-${round}`)];
      const one = await t.createService();
      const [, joined] = await Promise.all([
        send([first], { type: 'DEPLOY' }, { service: one }),
        insertPair(t.database, { project: t.project, clients: [first, second] }),
      ]);
      expect(await readOwed(t.database, joined.id)).toMatchObject([{ client_id: second, op: 'deploy' }]);
    }
  });
});

describe('rights', () => {
  it('an editor who may use one client only deploys to the pair: the program acts for the pair', async () => {
    const editor = await t.createMember('editor');
    const restrict = (resource_access: string) =>
      t.owner.call('PUT', `/api/v3/setting/resource-access?project=${t.project}`, { resource_access });
    expect((await restrict('listed')).status).toBe(200);
    onTestFinished(async () => {
      await restrict('open');
    });
    const grant = async (resource: object, level: string) => {
      const body = { subject: { kind: 'user', id: editor.userId }, resource, level };
      const granted = await t.owner.call('POST', `/api/v3/setting/permissions?project=${t.project}`, body);
      expect(granted.status, JSON.stringify(granted.body)).toBe(201);
    };
    await grant({ kind: 'service', id: service.id }, 'change');
    await grant({ kind: 'client', id: a }, 'use');
    const refused = await send([b], { type: 'DEPLOY' }, { caller: editor });
    expect(refused[0]?.command_id).toBe(null);
    await send([a], { type: 'DEPLOY' }, { caller: editor });
    await untilEqual();
    const [row] = (await readCommands(t.database, b)).filter(({ name }) => name === 'DEPLOY');
    expect(row?.created_by).toMatch(/^HA pair /);
  });
});

it('a change of a client that is in no pair makes nobody owe anything', async () => {
  const single = await t.createClient(`single-${round}`);
  await t.database.db
    .transaction()
    .execute((tx) => noteTargetsChanged(tx, { serviceId: service.id, clientIds: [single], now: new Date() }));
  const { rows } = await sql`select from ha_sync where service_id = ${service.id}`.execute(t.database.db);
  expect(rows).toEqual([]);
});
