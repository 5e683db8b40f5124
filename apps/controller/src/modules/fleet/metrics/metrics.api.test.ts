import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, hostFacts, type TestAgent, type TestFleet } from '../../../testing/fleet.ts';
import { MetricsRecorder } from './index.ts';
import { readEarlier } from './policy-node-store.ts';
import { forgetOldSeries } from './prune-store.ts';

const MINUTE_MS = 60_000;
const { ALLOWED, BLOCKED, DETECTED, ERROR } = fleet.ShieldVerdict;

let t: TestFleet;
let viewer: TestCaller;
let outsider: TestCaller;
let otherProject: string;
let client: string;
let service: { id: string; name: string };
let agent: TestAgent;

const policyText = (name: string, host: string, key = 'k') => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec:
  domains: [{ hosts: [${host}], policy: { engines: { api_key: { keys: [{ key: ${key} }] } } } }]
`;
const putPolicy = (name: string, text: string) =>
  t.owner.call('PUT', `/api/v3/shield/policies/${name}?project=${t.project}`, { text });
const createPolicy = (name: string, host: string) =>
  t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, { name, text: policyText(name, host) });

beforeAll(async () => {
  t = await createTestFleet();
  viewer = await t.createMember('viewer');
  otherProject = await t.createProject('other');
  outsider = await t.createMember('owner', otherProject);
  await createPolicy('guard', 'a.example.com');
  await createPolicy('second', 'b.example.com');
  client = await t.createClient();
  service = await t.createService({ clients: [{ client_id: client }], policies: ['guard', 'second'] });
  await deploy(client, service.name);
  agent = await t.connect(client);
  await agent.settled();
});
afterAll(() => t.close());
beforeEach(async () => {
  await t.controller.fleet.metrics.flush();
  for (const table of ['shield_counts', 'shield_reports', 'shield_count_faults'] as const)
    await t.database.db.deleteFrom(table).execute();
  await t.database.db.deleteFrom('client_samples').execute();
});

const deploy = (id: string, name: string) =>
  t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
    type: 'DEPLOY',
    clients: [{ client_id: id }],
    command: { name },
  });
const flush = () => t.controller.fleet.metrics.flush();
const get = (path: string, query: Record<string, string> = {}, caller: TestCaller = t.owner) =>
  caller.call('GET', `${path}?${new URLSearchParams({ project: t.project, ...query })}`);

type CounterInit = MessageInitShape<typeof fleet.PolicyCounterSchema>;
const allowed = (total: number, policy = 'guard'): CounterInit => ({ policy, verdict: ALLOWED, total: BigInt(total) });
const finding = (verdict: fleet.ShieldVerdict, reason: string, total: number): CounterInit => ({
  policy: 'guard',
  engine: 'api_key',
  reason,
  verdict,
  total: BigInt(total),
});
async function tell(epoch: string, counters: CounterInit[], from = agent, serviceId = service.id): Promise<void> {
  // Resolves with the next flush.
  void from.session.shieldCounters(create(fleet.ShieldCountersSchema, { serviceId, epoch, counters }));
}
const createRecorder = (options: { flushIntervalMs?: number } = {}) =>
  new MetricsRecorder({
    db: t.database.db,
    logger: createSilentLogger(),
    now: () => new Date(),
    toNewest: () => ({ load_percent: 0, memory_percent: 0, stats: {} }),
    ...options,
  });
const totals = async (query: Record<string, string> = {}) => (await get('/api/v3/shield/counters', query)).body.totals;

describe('counters of filters', () => {
  it('are shown by policy, engine, reason and verdict, and as a series', async () => {
    const answers = [allowed(7), finding(BLOCKED, 'apikey.missing', 3), finding(DETECTED, 'apikey.unknown', 2)];
    await tell(createId(), [...answers, finding(ERROR, 'engine.error', 1), allowed(5, 'second')]);
    await flush();
    const { body } = await get('/api/v3/shield/counters');
    expect(body).toMatchObject({
      totals: { allowed: 12, blocked: 3, detected: 2, errors: 1 },
      counters: [
        { policy: 'guard', engine: '', reason: '', verdict: 'allowed', count: 7 },
        { policy: 'second', engine: '', reason: '', verdict: 'allowed', count: 5 },
        { policy: 'guard', engine: 'api_key', reason: 'apikey.missing', verdict: 'blocked', count: 3 },
        { policy: 'guard', engine: 'api_key', reason: 'apikey.unknown', verdict: 'detected', count: 2 },
        { policy: 'guard', engine: 'api_key', reason: 'engine.error', verdict: 'error', count: 1 },
      ],
    });
    expect(Date.now() - Date.parse(body.updated_at)).toBeLessThan(2 * MINUTE_MS);
    const series = await get('/api/v3/shield/series', { step_s: '60' });
    expect(series.body.points).toEqual([{ at: body.updated_at, allowed: 12, blocked: 3, detected: 2, errors: 1 }]);
    expect(await totals({ policy: 'second' })).toEqual({ allowed: 5, blocked: 0, detected: 0, errors: 0 });
    expect((await totals({ service_id: createId() })).allowed).toBe(0);
    expect((await get('/api/v3/shield/series', { client_id: createId() })).body.points).toEqual([]);
  });

  it('count a total once, however often and in whatever order it is reported', async () => {
    const epoch = createId();
    for (const total of [4, 4, 9, 6, 9]) {
      await tell(epoch, [allowed(total)]);
      await flush();
    }
    expect((await totals()).allowed).toBe(9);
  });

  it('continue from zero after a restart of the filter, and include late reports of the previous run', async () => {
    const [first, second] = [createId(), createId()];
    await tell(first, [allowed(10)]);
    await flush();
    await tell(second, [allowed(2)]);
    await tell(first, [allowed(13)]);
    await flush();
    expect((await totals()).allowed).toBe(15);
  });

  it('count once what an agent repeats after a restart or on another controller', async () => {
    const epoch = createId();
    await tell(epoch, [allowed(8)]);
    await flush();
    const other = createRecorder();
    const reading = { serviceId: service.id, epoch, counters: [allowed(11)] };
    void other.noteCounters(client, create(fleet.ShieldCountersSchema, reading));
    await tell(epoch, [allowed(8)]);
    await Promise.all([other.flush(), flush()]);
    await other.close();
    expect((await totals()).allowed).toBe(11);
  });

  it('are only accepted for services of the client, and for possible policies and codes', async () => {
    const stranger = await t.connect(await t.createClient('stranger'));
    await tell(createId(), [allowed(5)], stranger);
    await tell(createId(), [allowed(5, 'invented'), finding(BLOCKED, 'A subject\u0000', 5)]);
    await tell(createId(), [finding(fleet.ShieldVerdict.UNSPECIFIED, 'apikey.missing', 5)]);
    await tell('no epoch', [allowed(5)]);
    await tell(createId(), [{ ...allowed(1), total: 2n ** 64n - 1n }]);
    await flush();
    expect((await get('/api/v3/shield/counters')).body.counters).toEqual([]);
    await t.disconnect(stranger);
  });

  it('are only accepted for policies of the service and reasons of its engines', async () => {
    await createPolicy('unused', 'c.example.com');
    const blocked = { policy: 'guard', verdict: BLOCKED, total: 5n };
    const bad: CounterInit[] = [
      allowed(5, 'unused'),
      { ...blocked, engine: 'api_key', reason: 'made.up' },
      { ...blocked, engine: 'made_up', reason: 'apikey.missing' },
      { ...blocked, engine: 'rate_limit', reason: 'apikey.missing' },
      { ...blocked, engine: 'api_key', verdict: ALLOWED },
    ];
    await tell(createId(), bad);
    await flush();
    expect((await get('/api/v3/shield/counters')).body.counters).toEqual([]);
  });

  it('of a filter that restarts again and again are only kept for the newest runs', async () => {
    const first = createId();
    await tell(first, [allowed(7)]);
    await flush();
    for (let n = 0; n < 5; n += 1) {
      for (let run = 0; run < 40; run += 1) await tell(createId(), [allowed(1)]);
      await tell(first, [allowed(7)]);
      await flush();
    }
    const { runs } = await t.database.db
      .selectFrom('shield_marks')
      .select(({ fn }) => fn.count<number>('epoch').distinct().as('runs'))
      .executeTakeFirstOrThrow();
    // The newest 32 and those reported since.
    expect(Number(runs)).toBeLessThanOrEqual(32 + 41);
    // The continuing run is among them: it was counted once.
    expect((await totals()).allowed).toBe(207);
  });

  it('are kept for the next flush if the database refuses them', async () => {
    // The controller's own recorder would flush on its schedule, maybe before the table is renamed.
    const recorder = createRecorder({ flushIntervalMs: 3_600_000 });
    const report = create(fleet.ShieldCountersSchema, {
      serviceId: service.id,
      epoch: createId(),
      minutes: [
        { seq: 7n, minuteMs: BigInt(Date.now()), counters: [{ policy: 'guard', verdict: ALLOWED, total: 3n }] },
      ],
    });
    const stored = recorder.noteCounters(client, report);
    const { schema } = t.database.owner;
    await schema.alterTable('shield_marks').renameTo('shield_marks_away').execute();
    try {
      await expect(recorder.flush()).rejects.toThrow('shield_marks');
    } finally {
      await schema.alterTable('shield_marks_away').renameTo('shield_marks').execute();
    }
    await recorder.flush();
    expect(await stored).toBe(7n);
    await recorder.close();
    expect((await totals()).allowed).toBe(3);
  });

  it('can be read by everybody in the project and nobody else', async () => {
    for (const path of ['/api/v3/shield/series', '/api/v3/shield/counters', '/api/v3/shield/policies/guard/nodes']) {
      expect((await get(path, {}, viewer)).status).toBe(200);
      expect((await get(path, {}, outsider)).status).toBe(403);
    }
    await tell(createId(), [allowed(3)]);
    await flush();
    expect((await get('/api/v3/shield/counters', { project: otherProject }, outsider)).body.counters).toEqual([]);
    expect((await get('/api/v3/shield/policies/guard/nodes', { project: otherProject }, outsider)).status).toBe(404);
  });
});

const statsOf = (fields: MessageInitShape<typeof fleet.HostStatsSchema>) =>
  create(fleet.HostStatsSchema, { cores: 2, memoryTotalBytes: 100n, memoryUsedBytes: 50n, ...fields });

describe('the series of a client', () => {
  const path = () => `/api/op/clients/${client}/series`;

  it('averages the samples of a step, and has no point for a step without samples', async () => {
    const begin = Date.parse('2026-01-01T12:00:00.000Z');
    let at = new Date(begin);
    const recorder = new MetricsRecorder({
      db: t.database.db,
      logger: createSilentLogger(),
      now: () => at,
      toNewest: () => ({ load_percent: 0, memory_percent: 0, stats: {} }),
    });
    const note = (second: number, cpuPercent: number) => {
      at = new Date(begin + second * 1000);
      const atMs = BigInt(at.getTime());
      recorder.noteStats(client, statsOf({ atMs, cpuPercent, networkRxBytes: atMs }));
    };
    note(0, 10);
    note(10, 30);
    await recorder.flush();
    note(50, 50);
    note(60, 90);
    note(1200, 5);
    await recorder.close();
    const hour = { from: '2026-01-01T12:00:00.000Z', to: '2026-01-01T13:00:00.000Z' };
    const points = async (step: string) =>
      (await get(path(), { ...hour, step_s: step })).body.points.map(
        (point: { at: string; cpu_percent: number; rx_bytes_per_s: number | null }) =>
          `${point.at.slice(11, 16)} ${point.cpu_percent} ${point.rx_bytes_per_s}`,
      );
    expect(await points('60')).toEqual(['12:00 30 1000', '12:01 90 1000', '12:20 5 null']);
    expect(await points('3600')).toEqual(['12:00 37 1000']);
  });

  it('is for owners and admins of the client’s project, and for clients of that project', async () => {
    expect((await get(path(), {}, viewer)).status).toBe(403);
    expect((await get(path(), {}, outsider)).status).toBe(403);
    expect((await get(`/api/op/clients/${createId()}/series`)).status).toBe(404);
    expect((await get(path(), { project: otherProject }, outsider)).status).toBe(404);
    const now = new Date().toISOString();
    expect((await get(path(), { from: now, to: now })).body).toMatchObject({ code: 'request.invalid' });
    expect((await get(path(), { step_s: '61' })).status).toBe(400);
  });

  it('is written without waiting for locked clients', async () => {
    await agent.session.hostStats(statsOf({ load5: 1 }));
    await agent.session.hostStats(statsOf({ load5: 2 }));
    const { db } = t.database;
    await db.transaction().execute(async (tx) => {
      await tx.selectFrom('clients').select('id').where('id', '=', client).forNoKeyUpdate().execute();
      await flush();
    });
    expect((await get(`/api/op/clients/${client}`)).body.usage).toMatchObject({ cpu_percent: 100 });
  });

  it('is accompanied by the newest sample in the list of clients', async () => {
    await agent.session.hostStats(statsOf({ load5: 1 }));
    await agent.session.hostStats(statsOf({ load5: 2 }));
    await flush();
    const { items } = (await get('/api/op/clients', { limit: '1000' })).body;
    expect(items.find((one: { client_id: string }) => one.client_id === client)).toMatchObject({ cpu_percent: 100 });
  });
});

it('a hostile sample does not prevent the samples of others from being written', async () => {
  const hostile = await t.connect(await t.createClient('hostile'));
  const bad = 'a\u0000b';
  const worst = { disks: [{ mount: bad, totalBytes: 1n }], processes: [{ serviceId: bad, kind: bad, rssBytes: 1n }] };
  for (const load5 of [1, 2]) {
    await hostile.session.hostStats(statsOf({ ...worst, load5: Number.POSITIVE_INFINITY, atMs: -(2n ** 63n) }));
    await agent.session.hostStats(statsOf({ load5 }));
  }
  await flush();
  expect((await get(`/api/op/clients/${client}`)).body.usage).toMatchObject({ cpu_percent: 100 });
  expect((await get(`/api/op/clients/${hostile.clientId}/series`)).body.points).toMatchObject([{ disk_mount: 'ab' }]);
  await t.disconnect(hostile);
});

it('a thousand clients are written with a handful of statements', async () => {
  const { db } = t.database;
  const ids = Array.from({ length: 1000 }, () => createId());
  await db.transaction().execute(async (tx) => {
    for (const id of ids) {
      await t.controller.fleet.clients.register(tx, { id, projectId: t.project, facts: hostFacts(), now: new Date() });
    }
  });
  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const recorder = new MetricsRecorder({
    db: db.withPlugin(counting),
    logger: createSilentLogger(),
    now: () => new Date(),
    toNewest: () => ({ load_percent: 1, memory_percent: 2, stats: {} }),
  });
  for (const id of [...ids, ...ids]) recorder.noteStats(id, statsOf({ cpuPercent: 1 }));
  await recorder.close();
  expect(statements).toBe(2);
  const { samples } = await db
    .selectFrom('client_samples')
    .select(({ fn }) => fn.sum<string>('samples').as('samples'))
    .executeTakeFirstOrThrow();
  expect(Number(samples)).toBe(2000);
});

it('expired minutes are deleted in batches', async () => {
  const { db } = t.database;
  const now = new Date();
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  const sample = { samples: 1, cpu_percent: 1, load1_per_core: 1, load5_percent: 1, memory_percent: 1 };
  const rest = { memory_used_bytes: 1, memory_total_bytes: 1, envoy_cpu_percent: 0, envoy_rss_bytes: 0 };
  const filter = { shield_cpu_percent: 0, shield_rss_bytes: 0 };
  const minutes = [...Array.from({ length: 5 }, (_, n) => ago(24.1 + n)), ago(23.9)];
  await db
    .insertInto('client_samples')
    .values(minutes.map((minute) => ({ client_id: client, minute, ...sample, ...rest, ...filter })))
    .execute();
  const count = { project_id: t.project, service_id: service.id, client_id: client, policy: 'guard', engine: '' };
  const counted = [ago(24 * 7 + 0.1), ago(24 * 7 - 0.1)];
  await db
    .insertInto('shield_counts')
    .values(counted.map((minute) => ({ ...count, minute, reason: '', verdict: 'allowed' as const, count: 1 })))
    .execute();
  await forgetOldSeries(db, now, 2);
  expect(await db.selectFrom('client_samples').select('minute').execute()).toEqual([{ minute: ago(23.9) }]);
  expect(await db.selectFrom('shield_counts').select('minute').execute()).toEqual([{ minute: counted[1] }]);
});

describe('the nodes of a policy', () => {
  const nodes = async (name: string) => (await get(`/api/v3/shield/policies/${name}/nodes`)).body;
  const report = (policyDigest: string, policyError = '') =>
    agent.session.nodeReport(
      create(fleet.NodeReportSchema, {
        serviceId: service.id,
        generation: 1n,
        phase: fleet.NodePhase.RUNNING,
        policyDigest,
        policyError,
        shieldRunning: policyDigest !== '',
      }),
    );
  const wanted = async () => (await nodes('guard')).items[0].wanted_digest as string;

  it('are unknown until they report, current with the wanted bundle, and outdated with an earlier revision', async () => {
    expect(await nodes('guard')).toMatchObject({
      policy: { name: 'guard', revision: 1 },
      summary: { nodes: 1, current: 0, outdated: 0, unknown: 1 },
      items: [{ service_name: service.name, client_name: 'edge', current: null, live_digest: null, connected: true }],
    });
    const first = await wanted();
    await report(first);
    expect((await nodes('guard')).items[0]).toMatchObject({ current: true, live_revision: 1, shield_running: true });
    await putPolicy('guard', policyText('guard', 'a.example.com', 'other'));
    await report(first, 'p.yaml:3: refused');
    expect(await nodes('guard')).toMatchObject({
      policy: { revision: 2 },
      summary: { nodes: 1, current: 0, outdated: 1, unknown: 0 },
      items: [{ current: false, live_revision: 1, policy_error: 'p.yaml:3: refused' }],
    });
    expect((await nodes('second')).items[0]).toMatchObject({ current: true, live_revision: 1 });
    expect((await nodes('second')).items[0].live_digest).not.toBe(await wanted());
  });

  it('are also distinguished if several policies of the service have changed', async () => {
    const live = await wanted();
    await report(live);
    await putPolicy('guard', policyText('guard', 'a.example.com', 'third'));
    await putPolicy('second', policyText('second', 'b.example.com', 'third'));
    expect((await nodes('guard')).items[0]).toMatchObject({ current: false, live_revision: 2 });
    expect((await nodes('second')).items[0]).toMatchObject({ current: false, live_revision: 1 });
  });

  it('can be found for a bundle that is not live any more, by its revision of the policy', async () => {
    const earlier = (await nodes('guard')).items[0].live_digest as string;
    const found = async (digest: string, more: Record<string, string> = { service_id: service.id }) =>
      (await get(`/api/v3/shield/policies/guard/bundles/${digest}`, more)).body;
    expect(await found(earlier)).toEqual({ current: false, revision: 2 });
    expect(await found(await wanted())).toEqual({ current: true, revision: 3 });
    expect(await found('f'.repeat(64))).toEqual({ current: null, revision: null });
    // The policy alone has its own bundle.
    const { policy } = await nodes('guard');
    expect(await found(policy.digest, {})).toEqual({ current: true, revision: 3 });
  });

  it('are unknown with an unrecognised bundle, and outdated without a filter', async () => {
    await report('f'.repeat(64));
    expect((await nodes('guard')).items[0]).toMatchObject({ current: null, live_revision: null });
    await report('');
    expect((await nodes('guard')).items[0]).toMatchObject({ current: false, live_digest: null, shield_running: false });
  });

  it('are empty for an unused policy, and not found for an unknown one', async () => {
    await createPolicy('lonely', 'c.example.com');
    expect(await nodes('lonely')).toMatchObject({ summary: { nodes: 0 }, items: [], next_cursor: null });
    expect((await get('/api/v3/shield/policies/nothing/nodes')).status).toBe(404);
  });

  it('are recognised by earlier revisions only as far as these fit into memory', async () => {
    await createPolicy('grown', 'd.example.com');
    for (const key of ['one', 'two', 'three']) await putPolicy('grown', policyText('grown', 'd.example.com', key));
    const { db } = t.database;
    const policy = await db
      .selectFrom('policies')
      .select(['id', 'name', 'revision'])
      .where('name', '=', 'grown')
      .executeTakeFirstOrThrow();
    const all = await readEarlier(db, policy, { count: 9, maxBytes: 1_000_000 });
    expect(all.map(({ revision }) => revision)).toEqual([3, 2, 1]);
    const newest = all[0]?.text.length ?? 0;
    expect(await readEarlier(db, policy, { count: 9, maxBytes: newest * 2 })).toEqual([all[0]]);
    expect(await readEarlier(db, policy, { count: 2, maxBytes: 1_000_000 })).toHaveLength(2);
    expect(await readEarlier(db, policy, { count: 9, maxBytes: newest - 1 })).toEqual([]);
  });
});
