import { createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import {
  CLOUD_PROJECT,
  CLOUD_REGION,
  CREDENTIAL,
  createRecords,
  type OpenStackOptions,
  OpenStackServer,
  SERVER,
} from '@flotilla/testkit/openstack-server';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestFleet, hostFacts, type TestFleet } from '../../../../testing/fleet.ts';
import { AddressPairs } from './address-pairs.ts';
import { retryNow } from './index.ts';
import { insertPair, readCommands, readDeployed, readOwed, type TestPair } from './testing/pairs.ts';

const WAIT = { interval: 50 };
const SECOND_SERVER = 'aaaaaaaa-6f0c-4f1a-9a36-0d5c8f3a1b2c';
const CLOUD = '/api/v3/setting/clouds/main';
const VIP = '10.0.0.77';

let t: TestFleet;
let cloud: OpenStackServer | undefined;
let a: string;
let b: string;
let pair: TestPair;
let service: { id: string; name: string };

const RECORDS = createRecords(3);
const [PORT_A = '', , PORT_B = '', OTHER_PORT = ''] = RECORDS.ports.map(({ id }) => id);
const records = {
  ...RECORDS,
  ports: RECORDS.ports.map((port) => {
    if (port.id === PORT_A) return { ...port, allowed_address_pairs: [] };
    return port.id === PORT_B || port.id === OTHER_PORT ? { ...port, device_id: SECOND_SERVER } : port;
  }),
};

beforeAll(async () => {
  t = await createTestFleet();
  await t.owner.call('PUT', '/api/v3/setting/documents/outgoing', { allowed_networks: ['127.0.0.0/8'] });
});
afterAll(() => t?.close());

beforeEach(async () => {
  await sql`delete from ha_address_pairs`.execute(t.database.db);
  [a, b] = [await t.createClient('a'), await t.createClient('b')];
  pair = await insertPair(t.database, { project: t.project, clients: [a, b] });
  await setAddress(a, '10.0.0.10');
  await setAddress(b, '10.0.0.20');
  await t.connect(a);
  await t.connect(b);
  await reportCloud(a, SERVER);
  await reportCloud(b, SECOND_SERVER);
  service = await t.createService();
});
afterEach(async () => {
  await t.owner.call('DELETE', `${CLOUD}?project=${t.project}`);
  await cloud?.close();
  cloud = undefined;
});

async function reportCloud(client: string, server: string): Promise<void> {
  const facts = hostFacts({ name: client, cloud: cloudFacts(server) });
  await t.controller.fleet.clients.recordFacts(client, facts, new Date());
}

function cloudFacts(server: string) {
  const of = (value: string) => ({ value, source: 'test' });
  return {
    detection: fleet.CloudDetection.FOUND,
    provider: of('openstack'),
    serverId: of(server),
    project: of(CLOUD_PROJECT),
  };
}

async function setAddress(client: string, address: string): Promise<void> {
  await sql`update ha_members set data_override = ${address} where client_id = ${client}`.execute(t.database.db);
}

async function startCloud(options: Partial<OpenStackOptions> = {}): Promise<OpenStackServer> {
  cloud = await OpenStackServer.start({ records, ...options });
  const auth = {
    auth_url: cloud.url,
    application_credential_id: CREDENTIAL.id,
    application_credential_secret: CREDENTIAL.secret,
  };
  const stored = await t.owner.call('POST', `${CLOUD}?project=${t.project}`, { auth, region_name: CLOUD_REGION });
  expect(stored.status, JSON.stringify(stored.body)).toBe(201);
  return cloud;
}

async function deploy(clients: readonly string[], addresses: readonly string[] = [VIP]): Promise<void> {
  const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, {
    type: 'DEPLOY',
    clients: clients.map((client_id) => ({ client_id, addresses })),
    command: { service_id: service.id },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

const until = (check: () => Promise<void>) => vi.waitFor(check, WAIT);
const owed = () => readOwed(t.database, pair.id);
const untilNothingIsOwed = () => until(async () => expect(await owed()).toEqual([]));
const allowedAt = (server: OpenStackServer, port: string) =>
  (server.readPort(port).allowed_address_pairs as Array<{ ip_address: string }>).map(({ ip_address }) => ip_address);
const countWrites = (server: OpenStackServer) => server.requests.filter((line) => line.startsWith('PUT ')).length;

it('the ports of both members allow the addresses before the other one gets the service', async () => {
  const server = await startCloud({
    beforeWrite: () => void readDeployed(t.database, service.id).then((by) => seen.push(by.has(b))),
  });
  const seen: boolean[] = [];
  await deploy([a]);
  await untilNothingIsOwed();
  expect([allowedAt(server, PORT_A), allowedAt(server, PORT_B)]).toEqual([[VIP], [VIP]]);
  expect(seen).toEqual([false, false]);
  // Nothing is written twice.
  await deploy([a]);
  await deploy([a, b]);
  await untilNothingIsOwed();
  expect(countWrites(server)).toBe(2);
});

it('they do so, too, if both members are changed together, and no command is sent for it', async () => {
  const server = await startCloud();
  await deploy([a, b]);
  await untilNothingIsOwed();
  expect([allowedAt(server, PORT_A), allowedAt(server, PORT_B)]).toEqual([[VIP], [VIP]]);
  expect(await readCommands(t.database, b)).toMatchObject([{ name: 'DEPLOY' }]);
});

it('so does the port of the only member of a pair', async () => {
  const server = await startCloud();
  await sql`delete from ha_members where client_id = ${b}`.execute(t.database.db);
  await deploy([a]);
  await untilNothingIsOwed();
  expect([allowedAt(server, PORT_A), allowedAt(server, PORT_B)]).toEqual([[VIP], []]);
});

it('the chosen interface of a service is used, and one of another server is refused', async () => {
  const server = await startCloud();
  const choose = (port: string) =>
    sql`update ha_members set interfaces = ${JSON.stringify({ [service.name]: port })}::jsonb where client_id = ${b}`.execute(
      t.database.db,
    );
  await choose(PORT_A);
  await deploy([a]);
  await until(async () => {
    expect((await owed())[0]?.last_error).toBe(
      `Cloud main shows no port ${PORT_A} of server ${SECOND_SERVER} to this credential.`,
    );
  });
  expect((await readDeployed(t.database, service.id)).has(b)).toBe(false);
  await choose(OTHER_PORT);
  await t.database.db.transaction().execute((tx) => retryNow(tx, pair.id, new Date()));
  await untilNothingIsOwed();
  expect([allowedAt(server, OTHER_PORT), allowedAt(server, PORT_B)]).toEqual([[VIP], []]);
});

it('what others allow at the same moment stays', async () => {
  let isFirst = true;
  const server = await startCloud({
    beforeWrite: (port) => {
      if (port !== PORT_A || !isFirst) return;
      isFirst = false;
      cloud?.writePort(port, {
        allowed_address_pairs: [{ ip_address: '10.0.0.66', mac_address: 'fa:16:3e:00:00:01' }],
      });
    },
  });
  await deploy([a]);
  await untilNothingIsOwed();
  expect(allowedAt(server, PORT_A)).toEqual(['10.0.0.66', VIP]);
});

it('a cloud that refuses, or that is missing, is the last error, without its secret, and the member gets nothing', async () => {
  await deploy([a]);
  await until(async () => expect((await owed())[0]?.last_error).toContain('The project has no cloud'));
  const answer = { status: 403, body: JSON.stringify({ NeutronError: { message: `not with ${CREDENTIAL.secret}` } }) };
  let isRefusing = true;
  const server = await startCloud({ instead: ({ method }) => (isRefusing && method === 'PUT' ? answer : undefined) });
  const retry = () => t.database.db.transaction().execute((tx) => retryNow(tx, pair.id, new Date()));
  await retry();
  await until(async () => {
    const [row] = await owed();
    expect(row?.last_error).toBe('Cloud main refuses the request: 403 not with ***');
  });
  expect(await readCommands(t.database, b)).toEqual([]);
  isRefusing = false;
  await retry();
  await untilNothingIsOwed();
  expect(allowedAt(server, PORT_B)).toEqual([VIP]);
});

describe('an address that was allowed', () => {
  /** A minute without a service that needs it has passed. */
  const untilRemoved = (check: () => void) =>
    until(async () => {
      await sql`update ha_address_pairs set unneeded_since = unneeded_since - interval '1 minute'`.execute(
        t.database.db,
      );
      check();
    });
  const undeploy = async (clients: readonly string[]) => {
    const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, {
      type: 'UNDEPLOY',
      clients: clients.map((client_id) => ({ client_id })),
      command: { service_id: service.id },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  const countRecorded = async () => {
    const { rows } = await sql`select from ha_address_pairs where project_id = ${t.project}`.execute(t.database.db);
    return rows.length;
  };

  it('is removed from both ports once no service has it, and those of others stay', async () => {
    const server = await startCloud();
    await deploy([a]);
    await untilNothingIsOwed();
    const { allowed_address_pairs: own } = server.readPort(PORT_A) as { allowed_address_pairs: object[] };
    const others = [{ ip_address: '10.0.0.66', mac_address: 'fa:16:3e:00:00:01' }, { ip_address: `${VIP}/32` }];
    server.writePort(PORT_A, { allowed_address_pairs: [...own, ...others] });
    await undeploy([a]);
    await untilNothingIsOwed();
    await untilRemoved(() =>
      expect([allowedAt(server, PORT_A), allowedAt(server, PORT_B)]).toEqual([['10.0.0.66', `${VIP}/32`], []]),
    );
    await until(async () => expect(await countRecorded()).toBe(0));
  });

  it('stays if somebody else had allowed it before', async () => {
    const server = await startCloud();
    server.writePort(PORT_A, { allowed_address_pairs: [{ ip_address: VIP }] });
    await deploy([a]);
    await untilNothingIsOwed();
    await undeploy([a]);
    await untilNothingIsOwed();
    await untilRemoved(() => expect(allowedAt(server, PORT_B)).toEqual([]));
    expect(allowedAt(server, PORT_A)).toEqual([VIP]);
  });

  it('is removed from the port of a member that has left the pair, and stays on the port of the other one', async () => {
    const server = await startCloud();
    await deploy([a]);
    await untilNothingIsOwed();
    await sql`delete from ha_members where client_id = ${b}`.execute(t.database.db);
    await undeploy([b]);
    await untilRemoved(() => expect(allowedAt(server, PORT_B)).toEqual([]));
    expect(allowedAt(server, PORT_A)).toEqual([VIP]);
    await until(async () => expect(await countRecorded()).toBe(1));
  });

  it('is allowed again if a service gets it while it is being removed', async () => {
    const { db } = t.database;
    const now = new Date(Date.now() + 3_600_000);
    const key = { project_id: t.project, client_id: a, cloud_project: CLOUD_PROJECT, server: SERVER, port_id: PORT_A };
    // The controller itself looks at it later.
    const row = { ...key, address: VIP, unneeded_since: new Date(), next_attempt_at: now };
    await db.insertInto('ha_address_pairs').values(row).execute();
    const calls: string[] = [];
    const networks = {
      removeAddresses: async () => {
        calls.push('remove');
        await sql`insert into service_targets (service_id, client_id, position, addresses, deployed, generation)
          values (${service.id}, ${a}, 0, ${[VIP]}::text[], true, 1)`.execute(db);
      },
      allowAddresses: async () => void calls.push('allow'),
    };
    const pairs = new AddressPairs({
      db,
      leadership: { isLeading: true, leads: () => undefined, write: (work) => db.transaction().execute(work) },
      logger: createSilentLogger(),
      clouds: { networksOf: async () => networks },
      now: () => now,
    });
    pairs.start();
    await until(async () => {
      const rows = await db.selectFrom('ha_address_pairs').select(['removing', 'unneeded_since']).execute();
      expect([calls, rows]).toEqual([['remove', 'allow'], [{ removing: false, unneeded_since: null }]]);
    });
    await pairs.close();
  });

  it('is removed later if the cloud does not answer, and forgotten with a port that is gone', async () => {
    let isRefusing = false;
    const answer = { status: 503, body: '{}' };
    const server = await startCloud({ instead: ({ method }) => (isRefusing && method === 'PUT' ? answer : undefined) });
    await deploy([a]);
    await untilNothingIsOwed();
    server.writePort(PORT_B, { device_id: 'another' });
    await undeploy([a]);
    await untilNothingIsOwed();
    isRefusing = true;
    const failed = async () => {
      const { rows } = await sql<{ attempts: number }>`select attempts from ha_address_pairs`.execute(t.database.db);
      return rows.map(({ attempts }) => attempts);
    };
    await until(async () => {
      await sql`update ha_address_pairs set unneeded_since = unneeded_since - interval '1 minute'`.execute(
        t.database.db,
      );
      // The one of the port that is gone is forgotten.
      expect(await failed()).toEqual([1]);
    });
    expect(allowedAt(server, PORT_A)).toEqual([VIP]);
    isRefusing = false;
    await until(async () => {
      await sql`update ha_address_pairs set next_attempt_at = now()`.execute(t.database.db);
      expect(allowedAt(server, PORT_A)).toEqual([]);
    });
  });
});
