import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, type TestAgent, type TestFleet } from '../../../testing/fleet.ts';
import { recordQueries } from '../../../testing/queries.ts';
import { trafficOf, type Values } from '../../traffic/series/testing/reports.ts';

const UPSTREAM = '127.0.0.1:9000';
const ILL = [{ cluster: 'shop', address: UPSTREAM, reasons: ['failed_active_hc'] }];
const EPOCH = createId();

let t: TestFleet;
let client: string;
let agent: TestAgent;
let service: string;
let seq = 0n;

beforeAll(async () => {
  t = await createTestFleet();
  client = await t.createClient('edge-1');
  agent = await t.connect(client);
  service = (await t.createService({ name: 'shop', clients: [{ client_id: client }] })).id;
  const command = { type: 'DEPLOY', clients: [], command: { name: 'shop' } };
  await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, command);
  await agent.settled();
  await agent.session.nodeReport(
    create(fleet.NodeReportSchema, { serviceId: service, generation: 2n ** 40n, phase: fleet.NodePhase.RUNNING }),
  );
});
afterAll(() => t?.close());

/** Reports the last ten seconds. */
async function report(values: Values, more: MessageInitShape<typeof fleet.TrafficIntervalSchema> = {}) {
  seq += 1n;
  const interval = {
    seq,
    fromMs: BigInt(Date.now() - 10_000),
    durationMs: 10_000,
    series: trafficOf(values),
    ...more,
  };
  const message = { serviceId: service, epoch: EPOCH, sentMs: BigInt(Date.now()), intervals: [interval] };
  expect(await agent.session.trafficReport(create(fleet.TrafficReportSchema, message))).toBe(seq);
}

async function read(path: string, by = t.owner) {
  const { status, body } = await by.call('GET', `${path}${path.includes('?') ? '&' : '?'}project=${t.project}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const readHealth = async () => (await read(`/api/v3/fleet/services/${service}`)).service.health;

it('screen bug 2: an upstream that dies makes the service degraded, with the cluster and the endpoint named', async () => {
  await report({ requests_2xx: 100 });
  expect(await readHealth()).toEqual({ state: 'live', last_known: null, reasons: [] });
  await report({ requests_2xx: 10, requests_5xx: 90 }, { endpointProblems: ILL });
  const { state, reasons } = await readHealth();
  expect(state).toBe('degraded');
  expect(reasons).toContainEqual({
    code: 'unhealthy_upstream',
    message: `Cluster "shop" has unhealthy endpoints: ${UPSTREAM} (failed its health check)`,
    client_id: client,
    name: 'shop',
    endpoints: [UPSTREAM],
  });
  expect(reasons.map(({ code }: { code: string }) => code)).toContain('rising_errors');
  const node = (await read(`/api/v3/fleet/services/${service}`)).nodes[0];
  expect(node).toMatchObject({ state: 'degraded', reasons, state_since: expect.any(String), clock_offset_ms: null });
  const list = await read('/api/v3/fleet/services?health=degraded');
  expect(list.items).toMatchObject([{ name: 'shop', status: 'Live', health: { state: 'degraded' } }]);
  const { services } = await read('/api/v3/overview');
  expect(services).toMatchObject({ degraded: 1, worst: [{ name: 'shop', health: 'degraded' }] });
});

it('a change of the reasons is announced to screens, a report that changes nothing is not', async () => {
  const countNews = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from outbox where topic = 'live.changed' and payload ->> 'topic' = 'node'
        and payload ->> 'service_id' = ${service}`.execute(t.database.db);
    return rows[0]?.count ?? 0;
  };
  await t.database.db.deleteFrom('traffic_minutes').execute();
  await report({}, { endpointProblems: ILL });
  const before = await countNews();
  await report({}, { endpointProblems: ILL });
  expect(await countNews()).toBe(before);
  await report({});
  expect(await countNews()).toBe(before + 1);
  await report({}, { endpointProblems: ILL });
  expect(await countNews()).toBe(before + 2);
});

it('the endpoint is listed with its reasons and since when, and for members of a restricted project only if they may see it', async () => {
  const { items, omitted } = await read('/api/v3/traffic/endpoints');
  expect(items).toMatchObject([
    { service_name: 'shop', client_name: 'edge-1', cluster: 'shop', address: UPSTREAM, reasons: ['failed_active_hc'] },
  ]);
  expect(omitted).toBe(0);
  await report({}, { endpointProblems: ILL });
  expect((await read('/api/v3/traffic/endpoints?q=9000')).items[0].since).toBe(items[0].since);
  expect((await read('/api/v3/traffic/endpoints?cluster=other&with_total=true')).total).toBe(0);
  const admin = await t.createMember('admin');
  const viewer = await t.createMember('viewer');
  const access = (resource_access: string) =>
    admin.call('PUT', `/api/v3/setting/resource-access?project=${t.project}`, { resource_access });
  await access('listed');
  try {
    expect((await read('/api/v3/traffic/endpoints', viewer)).items).toEqual([]);
    expect((await read('/api/v3/traffic/summary', viewer)).services).toEqual([]);
    expect((await read('/api/v3/traffic/series', viewer)).points).toEqual([]);
    expect((await read(`/api/v3/traffic/series?service_id=${service}`, viewer)).points).toEqual([]);
    const body = {
      subject: { kind: 'user', id: viewer.userId },
      resource: { kind: 'service', id: service },
      level: 'view',
    };
    expect((await admin.call('POST', `/api/v3/setting/permissions?project=${t.project}`, body)).status).toBe(201);
    expect((await read('/api/v3/traffic/endpoints', viewer)).items).toMatchObject([{ client_name: 'edge-1' }]);
    expect((await read('/api/v3/traffic/summary', viewer)).services).toMatchObject([{ service_name: 'shop' }]);
    expect((await read('/api/v3/traffic/series', viewer)).points.length).toBeGreaterThan(0);
  } finally {
    await access('open');
  }
});

it('another project sees nothing of it, whatever ids it names', async () => {
  const other = await t.createProject('other');
  const outsider = await t.createMember('owner', other);
  for (const path of ['series', 'summary', 'endpoints']) {
    const own = await outsider.call('GET', `/api/v3/traffic/${path}?project=${other}&service_id=${service}`);
    expect([own.status, own.body.items ?? own.body.services ?? own.body.points]).toEqual([200, []]);
    const foreign = await outsider.call('GET', `/api/v3/traffic/${path}?project=${t.project}&service_id=${service}`);
    expect(foreign.body.code).toBe('project.forbidden');
  }
});

it('an agent that is away leaves the service unreachable, with what it reported last', async () => {
  await t.disconnect(agent);
  expect(await readHealth()).toMatchObject({ state: 'unreachable', last_known: 'degraded' });
  agent = await t.connect(client);
  await agent.session.nodeReport(
    create(fleet.NodeReportSchema, { serviceId: service, generation: 2n ** 40n, phase: fleet.NodePhase.RUNNING }),
  );
});

it('a service is live again when its upstream is, and old reports say nothing about now', async () => {
  await t.database.db.deleteFrom('traffic_minutes').execute();
  await report({ requests_2xx: 100 });
  expect(await readHealth()).toEqual({ state: 'live', last_known: null, reasons: [] });
  expect((await read('/api/v3/traffic/endpoints')).items).toEqual([]);
  await report({ requests_2xx: 100 }, { endpointProblems: ILL });
  expect((await readHealth()).state).toBe('degraded');
  // A late report of the past does not hide the present.
  await report({ requests_2xx: 100 }, { fromMs: BigInt(Date.now() - 600_000) });
  expect((await readHealth()).state).toBe('degraded');
  await sql`update traffic_nodes set received_at = now() - interval '2 minutes'`.execute(t.database.db);
  expect((await readHealth()).state).toBe('live');
});

it('the summary of many services takes as many statements as that of one', async () => {
  const count = async () => {
    const queries = await recordQueries(t.database.db, () => read('/api/v3/traffic/summary?scope=cluster'));
    return queries.filter((query) => query.sql.includes('traffic_')).length;
  };
  const before = await count();
  const ids = await Promise.all(
    Array.from({ length: 5 }, (_, i) => t.createService({ name: `many-${i}`, clients: [{ client_id: client }] })),
  );
  for (const { id } of ids) {
    seq += 1n;
    const interval = {
      seq,
      fromMs: BigInt(Date.now() - 10_000),
      durationMs: 10_000,
      series: trafficOf({ requests_2xx: 1 }),
    };
    await agent.session.trafficReport(
      create(fleet.TrafficReportSchema, {
        serviceId: id,
        epoch: EPOCH,
        sentMs: BigInt(Date.now()),
        intervals: [interval],
      }),
    );
  }
  expect((await read('/api/v3/traffic/summary')).services).toHaveLength(6);
  expect(await count()).toBe(before);
});
