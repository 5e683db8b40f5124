import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../test-controller.ts';
import { createTestFleet, type TestAgent, type TestFleet } from '../../test-fleet.ts';
import { EventReader } from '../events/test-event-reader.ts';
import { forgetOldEvents, ShieldEventRecorder } from './index.ts';
import { trimProject } from './prune-store.ts';

const DAY_MS = 86_400_000;
const { BLOCKED, DETECTED, ERROR, ALLOWED } = fleet.ShieldVerdict;

let t: TestFleet;
let agent: TestAgent;
let service: { id: string; name: string };

beforeAll(async () => {
  t = await createTestFleet();
  const client = await t.createClient();
  service = await t.createService({ clients: [{ client_id: client }] });
  agent = await t.connect(client);
});
afterAll(() => t.close());
beforeEach(async () => {
  await t.controller.fleet.shieldEvents.flush();
  await t.database.db.deleteFrom('shield_events').execute();
});

type Told = MessageInitShape<typeof fleet.ShieldEventSchema>;
const finding = (seq: number, more: Told = {}): Told => ({
  seq: BigInt(seq),
  timeMs: BigInt(Date.now()),
  requestId: `request-${seq}`,
  host: 'api.example.com',
  method: 'GET',
  path: '/v1/items',
  policy: 'guard',
  route: '/v1',
  engine: 'api_key',
  reason: 'apikey.missing',
  severity: 'high',
  verdict: BLOCKED,
  status: 403,
  subject: '',
  sourceIp: '203.0.113.7',
  digest: 'a'.repeat(64),
  detail: '',
  ...more,
});
const message = (events: Told[], epoch = createId(), serviceId = service.id) =>
  create(fleet.ShieldEventsSchema, { serviceId, epoch, events });

/** Told and written; resolves with what the agent is told. */
async function tell(told: fleet.ShieldEvents, from = agent): Promise<boolean> {
  const answer = from.session.shieldEvents(told);
  await t.controller.fleet.shieldEvents.flush();
  return answer;
}
const get = (path: string, query: Record<string, string> = {}, caller: TestCaller = t.owner, project = t.project) =>
  caller.call('GET', `${path}?${new URLSearchParams({ project, ...query })}`);
const list = async (query: Record<string, string> = {}) => (await get('/api/v3/shield/events', query)).body;
const requestIds = async (query: Record<string, string> = {}): Promise<string[]> =>
  (await list(query)).items.map((item: { request_id: string }) => item.request_id);

describe('findings of filters', () => {
  it('are kept with everything that was told of them, newest first', async () => {
    const now = Date.now();
    const rich = finding(2, {
      timeMs: BigInt(now - 1000),
      engine: 'rate_limit',
      reason: 'ratelimit.exceeded',
      severity: 'low',
      verdict: DETECTED,
      status: 429,
      subject: 'partner',
      route: '',
      detail: '12 of 10 requests',
    });
    expect(await tell(message([finding(1, { timeMs: BigInt(now - 2000) }), rich]))).toBe(true);
    const { items, next_cursor: next } = await list();
    expect(next).toBeNull();
    expect(items).toEqual([
      {
        id: expect.any(String),
        time: new Date(now - 1000).toISOString(),
        service_id: service.id,
        service_name: service.name,
        client_id: agent.clientId,
        client_name: 'edge',
        request_id: 'request-2',
        method: 'GET',
        host: 'api.example.com',
        path: '/v1/items',
        policy: 'guard',
        route: '',
        engine: 'rate_limit',
        reason: 'ratelimit.exceeded',
        severity: 'low',
        verdict: 'detected',
        status: 429,
        subject: 'partner',
        source_ip: '203.0.113.7',
        digest: 'a'.repeat(64),
        detail: '12 of 10 requests',
      },
      expect.objectContaining({ request_id: 'request-1', verdict: 'blocked', severity: 'high' }),
    ]);
  });

  it('are kept once, however often, wherever and in whatever order they are told', async () => {
    const epoch = createId();
    const first = [finding(1), finding(2), finding(2)];
    const other = new ShieldEventRecorder({
      db: t.database.db,
      logger: createSilentLogger(),
      now: () => new Date(),
      flushIntervalMs: 3_600_000,
    });
    const elsewhere = other.note(agent.clientId, message(first, epoch));
    const here = agent.session.shieldEvents(message(first, epoch));
    await Promise.all([other.flush(), t.controller.fleet.shieldEvents.flush()]);
    expect(await Promise.all([elsewhere, here])).toEqual([true, true]);
    await tell(message([finding(2), finding(5)], epoch));
    await tell(message([finding(1)], epoch));
    await tell(message([finding(1)]));
    expect((await requestIds()).toSorted()).toEqual(['request-1', 'request-1', 'request-2', 'request-5']);
    await other.close();
  });

  it('are believed only of services meant for the client, with codes that there are', async () => {
    const stranger = await t.connect(await t.createClient('stranger'));
    // It may forget them: nobody will ever want them.
    expect(await tell(message([finding(1)]), stranger)).toBe(true);
    const madeUp: Told[] = [
      { engine: 'magic' },
      { reason: 'apikey.made_up' },
      { reason: 'ratelimit.exceeded' },
      { engine: 'body', reason: 'apikey.missing' },
      { severity: 'terrible' },
      { verdict: ALLOWED },
      { status: 200 },
      { policy: 'no policy name' },
      { seq: 0n },
      { seq: 2n ** 60n },
    ];
    for (const [i, more] of madeUp.entries()) await tell(message([finding(i + 1, more)]));
    await tell(message(Array.from({ length: 2000 }, (_, i) => finding(i + 1, i < 500 ? { engine: 'magic' } : {}))));
    await tell(message([finding(1)], 'no epoch'));
    await tell(message([finding(1)], createId(), "'; drop table shield_events; --"));
    expect((await list()).items).toEqual([]);
    await tell(
      message([
        finding(1, { engine: 'body', reason: 'body.too_large' }),
        finding(2, { reason: 'engine.timeout', verdict: ERROR }),
      ]),
    );
    expect((await list()).items).toHaveLength(2);
  });

  it('are cut to what fits, at a time that can be, whatever an agent says', async () => {
    const tomorrow = BigInt(Date.now() + DAY_MS);
    const hostile = {
      host: `a\u0000\u001b[31m${'h'.repeat(5000)}`,
      path: `/${'\ud800'.repeat(3000)}`,
      subject: 's'.repeat(100_000),
      detail: 'd'.repeat(100_000),
      digest: '../../etc/passwd',
    };
    await tell(
      message([
        finding(1, { ...hostile, timeMs: tomorrow, sourceIp: '203.0.113.7; drop' }),
        finding(2, { timeMs: -(2n ** 62n), sourceIp: 'fe80::1%eth0' }),
      ]),
    );
    const [first, second] = (await list()).items;
    expect(first).toMatchObject({ source_ip: '', digest: '', subject: 's'.repeat(256), detail: 'd'.repeat(512) });
    expect(first.host).toBe(`a[31m${'h'.repeat(251)}`);
    expect(first.path).toHaveLength(1024);
    expect(Date.parse(first.time)).toBeLessThanOrEqual(Date.now());
    expect(Date.now() - Date.parse(second.time)).toBeLessThan(8 * DAY_MS);
    expect(second.source_ip).toBe('');
  });

  it('stay readable when service and client are gone', async () => {
    const gone = await t.createClient('gone');
    const other = await t.createService({ clients: [{ client_id: gone }] });
    await tell(message([finding(1)], createId(), other.id), await t.connect(gone));
    await t.owner.call('DELETE', `/api/op/services/${other.id}?project=${t.project}`);
    await t.database.db.deleteFrom('service_targets').where('client_id', '=', gone).execute();
    await t.database.db.deleteFrom('clients').where('id', '=', gone).execute();
    await t.database.db.deleteFrom('services').where('id', '=', other.id).execute();
    expect((await list()).items).toMatchObject([{ service_name: null, client_name: null, service_id: other.id }]);
  });
});

describe('the list of findings', () => {
  const tellMany = () =>
    tell(
      message([
        finding(1, { method: 'POST', path: '/v2/orders', sourceIp: '198.51.100.9', subject: 'partner' }),
        finding(2, { host: 'www.example.com', route: '', policy: 'site', sourceIp: '2001:db8::1' }),
        finding(3, { engine: 'rate_limit', reason: 'ratelimit.exceeded', severity: 'low', status: 429 }),
        finding(4, { verdict: DETECTED, detail: '100% of_nothing' }),
      ]),
    );

  it.each([
    [{ verdict: 'detected' }, [4]],
    [{ engine: 'rate_limit' }, [3]],
    [{ reason: 'apikey.missing', policy: 'guard' }, [1, 4]],
    [{ severity: 'low' }, [3]],
    [{ method: 'POST' }, [1]],
    [{ host: 'www.example.com' }, [2]],
    [{ route: '' }, [2]],
    [{ path_prefix: '/v2' }, [1]],
    [{ subject: 'partner' }, [1]],
    [{ source_ip: '198.51.100.0/24' }, [1]],
    [{ source_ip: '2001:db8::1' }, [2]],
    [{ request_id: 'request-3' }, [3]],
    [{ q: '100% OF_' }, [4]],
    [{ q: 'xxx' }, []],
    [{ from: '2999-01-01T00:00:00.000Z' }, []],
    [{ to: '2000-01-01T00:00:00.000Z' }, []],
  ])('is narrowed by %j', async (query, expected) => {
    await tellMany();
    const ids = await requestIds(query as Record<string, string>);
    expect(ids.toSorted()).toEqual(expected.map((n) => `request-${n}`));
  });

  it('takes several values of one filter as alternatives, and refuses what makes no sense', async () => {
    await tellMany();
    const both = `/api/v3/shield/events?project=${t.project}&host=api.example.com&method=POST&method=PUT&service_id=${service.id}`;
    expect((await t.owner.call('GET', both)).body.items).toHaveLength(1);
    expect(await requestIds({ client_id: createId() })).toEqual([]);
    const senseless: Array<Record<string, string>> = [
      { verdict: 'allowed' },
      { source_ip: '300.1.1.1' },
      { from: 'yesterday' },
      { sort: 'host' },
    ];
    for (const bad of senseless) expect((await get('/api/v3/shield/events', bad)).status).toBe(400);
  });

  it('is read page by page without a gap or a double, also while new ones come in', async () => {
    const same = BigInt(Date.now() - 5000);
    await tell(message(Array.from({ length: 25 }, (_, i) => finding(i + 1, { timeMs: same }))));
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: Array<{ request_id: string }>; next_cursor: string | null } = await list({
        limit: '10',
        ...(cursor && { cursor }),
      });
      seen.push(...page.items.map(({ request_id: id }) => id));
      cursor = page.next_cursor;
      await tell(message([finding(1, { requestId: 'later' })]));
    }
    expect(new Set(seen).size).toBe(25);
    expect(seen).not.toContain('later');
  });

  it('shows a project what is its own, to everybody in it and to nobody else', async () => {
    await tell(message([finding(1)]));
    const other = await t.createProject(`other-${createId()}`);
    const outsider = await t.createMember('owner', other);
    const viewer = await t.createMember('viewer');
    expect((await get('/api/v3/shield/events', {}, viewer)).body.items).toHaveLength(1);
    expect((await get('/api/v3/shield/events', {}, outsider)).status).toBe(403);
    expect((await get('/api/v3/shield/events', {}, outsider, other)).body.items).toEqual([]);
    expect((await get('/api/v3/shield/events/summary', {}, outsider, other)).body.totals.events).toBe(0);
  });
});

describe('the summary', () => {
  it('counts by what findings have in common, the largest first, and sums up the rest', async () => {
    const events = Array.from({ length: 12 }, (_, i) =>
      finding(i + 1, { sourceIp: i < 6 ? '203.0.113.1' : `203.0.113.${i}`, verdict: i === 0 ? DETECTED : BLOCKED }),
    );
    await tell(message([...events, finding(13, { verdict: ERROR, reason: 'engine.error', policy: 'site' })]));
    const { body } = await get('/api/v3/shield/events/summary', { top: '2' });
    expect(body.totals).toEqual({ events: 13, blocked: 11, detected: 1, errors: 1 });
    expect(body.by_source_ip).toMatchObject({
      groups: [{ name: '203.0.113.1', label: '203.0.113.1', events: 6, blocked: 5, detected: 1 }, { events: 2 }],
      others: 5,
    });
    expect(body.by_service).toEqual({
      groups: [expect.objectContaining({ name: service.id, label: service.name, events: 13 })],
      others: 0,
    });
    expect(body.by_client.groups).toMatchObject([{ name: agent.clientId, label: 'edge' }]);
    expect(body.by_reason.groups.map(({ name }: { name: string }) => name)).toEqual(['apikey.missing', 'engine.error']);
    expect(body.by_route.groups[0].name).toBe('guard /v1');
    const narrowed = await get('/api/v3/shield/events/summary', { policy: 'site', to: new Date().toISOString() });
    expect(narrowed.body.totals.events).toBe(1);
    expect((await get('/api/v3/shield/events/summary', { top: '51' })).status).toBe(400);
  });

  it('is all zeros where nothing was found', async () => {
    const { body } = await get('/api/v3/shield/events/summary');
    expect(body).toMatchObject({ totals: { events: 0 }, last_at: null, by_engine: { groups: [], others: 0 } });
  });
});

describe('a flood', () => {
  it('of one client is not taken beyond its share, and the others are heard', async () => {
    const neighbour = await t.createClient('neighbour');
    const other = await t.createService({ clients: [{ client_id: neighbour }] });
    const flood = Array.from({ length: 10 }, (_, i) =>
      agent.session.shieldEvents(message(Array.from({ length: 500 }, (_, j) => finding(i * 500 + j + 1)))),
    );
    const heard = (await t.connect(neighbour)).session.shieldEvents(message([finding(1)], createId(), other.id));
    await t.controller.fleet.shieldEvents.flush();
    const answers = await Promise.all(flood);
    expect(answers.filter((isStored) => isStored)).toHaveLength(2);
    expect(await heard).toBe(true);
    expect((await list({ client_id: neighbour })).items).toHaveLength(1);
  });

  it('takes no room from other clients of the project, nor from other projects', async () => {
    const neighbour = await t.createClient('quiet');
    const other = await t.createService({ clients: [{ client_id: neighbour }] });
    const quiet = await t.connect(neighbour);
    await tell(message([finding(1), finding(2)], createId(), other.id), quiet);
    await tell(
      message(Array.from({ length: 50 }, (_, i) => finding(i + 1, { timeMs: BigInt(Date.now() - 1000 + i) }))),
    );
    await trimProject(t.database.db, await t.createProject('elsewhere'), 1);
    await trimProject(t.database.db, t.project, 10);
    expect((await list({ client_id: neighbour })).items).toHaveLength(2);
    expect(await requestIds({ client_id: agent.clientId })).toEqual(
      Array.from({ length: 8 }, (_, i) => `request-${50 - i}`),
    );
  });

  it('of runs that were never there leaves no more marks than are kept', async () => {
    for (let i = 0; i < 40; i += 1) await tell(message([finding(1)]));
    const marks = await t.database.db
      .selectFrom('shield_event_marks')
      .select('epoch')
      .where('service_id', '=', service.id)
      .execute();
    expect(marks.length).toBeLessThanOrEqual(34);
  });
});

it('are told of to everybody who listens in the project, once for many, and never what they say', async () => {
  const address = await t.app.listen({ port: 0, host: '127.0.0.1' });
  const viewer = await t.createMember('viewer');
  const url = `${address}/api/v3/events?project=${t.project}`;
  const reader = await EventReader.open(url, { authorization: `Bearer ${viewer.token}` });
  const other = await EventReader.open(`${address}/api/v3/events?project=${await t.createProject('silent')}`, {
    authorization: `Bearer ${t.owner.token}`,
  });
  await tell(message(Array.from({ length: 150 }, (_, i) => finding(i + 1))));
  await reader.hears({ topic: 'shield_event', service_id: service.id });
  expect(reader.changes.filter((change) => JSON.stringify(change).includes('shield_event'))).toHaveLength(1);
  expect(other.topics()).not.toContain('shield_event');
  await Promise.all([reader.close(), other.close()]);
});

it('forgets events after seven days, a batch at a time', async () => {
  await tell(message([finding(1), finding(2), finding(3)]));
  const [newest] = (await list()).items;
  await t.database.db
    .updateTable('shield_events')
    .set({ time: new Date(Date.now() - 7 * DAY_MS - 1000) })
    .where('id', '<>', newest.id)
    .execute();
  await forgetOldEvents(t.database.db, new Date(), 1);
  expect((await list()).items).toMatchObject([{ id: newest.id }]);
});

it('loses what the database will never take, and nothing beside it', async () => {
  const { db } = t.database;
  await sql`alter table shield_events add constraint no_poison check (path <> '/poison')`.execute(db);
  const messages = Array.from({ length: 9 }, (_, i) =>
    message([finding(1, { requestId: `beside-${i}`, path: i === 4 ? '/poison' : '/fine' })]),
  );
  const answers = messages.map((told) => agent.session.shieldEvents(told));
  await t.controller.fleet.shieldEvents.flush();
  // Also of the one that nobody can store: told again it would be refused again.
  expect(await Promise.all(answers)).toEqual(messages.map(() => true));
  expect((await requestIds()).toSorted()).toEqual([0, 1, 2, 3, 5, 6, 7, 8].map((i) => `beside-${i}`));
  await sql`alter table shield_events drop constraint no_poison`.execute(db);
});

it('tells an agent nothing of events that could not be written, and takes them when told again', async () => {
  let isAway = true;
  const db = new Proxy(t.database.db, {
    get: (target, name) => {
      if (name === 'transaction' && isAway) throw new Error('the database is away');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const recorder = new ShieldEventRecorder({ db, logger: createSilentLogger(), now: () => new Date() });
  const told = message([finding(1)]);
  const first = recorder.note(agent.clientId, told);
  await expect(recorder.flush()).rejects.toThrow('away');
  expect(await first).toBe(false);
  isAway = false;
  const second = recorder.note(agent.clientId, told);
  await recorder.close();
  expect(await second).toBe(true);
  expect(await requestIds()).toEqual(['request-1']);
});
