import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { EventReader } from '../../../platform/events/testing/event-reader.ts';
import { ShieldEventRecorder } from './index.ts';
import { forgetOldEvents, trimProject } from './prune-store.ts';
import { type EventInit, finding, useFindingWorld } from './testing/finding-world.ts';

const DAY_MS = 86_400_000;
const { DETECTED, ERROR, ALLOWED } = fleet.ShieldVerdict;

const world = useFindingWorld();
const { message, tell, list, requestIds } = world;

describe('findings of filters', () => {
  it('are stored with all reported properties, newest first', async () => {
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
        service_id: world.service.id,
        service_name: world.service.name,
        client_id: world.agent.clientId,
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

  it('are stored once, however often, wherever and in whatever order they are reported', async () => {
    const epoch = createId();
    const first = [finding(1), finding(2), finding(2)];
    const other = new ShieldEventRecorder({
      db: world.t.database.db,
      logger: createSilentLogger(),
      now: () => new Date(),
      flushIntervalMs: 3_600_000,
    });
    const elsewhere = other.note(world.agent.clientId, message(first, epoch));
    const here = world.agent.session.shieldEvents(message(first, epoch));
    await Promise.all([other.flush(), world.t.controller.fleet.shieldEvents.flush()]);
    expect(await Promise.all([elsewhere, here])).toEqual([true, true]);
    await tell(message([finding(2), finding(5)], epoch));
    await tell(message([finding(1)], epoch));
    await tell(message([finding(1)]));
    expect((await requestIds()).toSorted()).toEqual(['request-1', 'request-1', 'request-2', 'request-5']);
    await other.close();
  });

  it('are only accepted for services of the client, with existing codes', async () => {
    const stranger = await world.t.connect(await world.t.createClient('stranger'));
    // Acknowledged, because they will never be needed.
    expect(await tell(message([finding(1)]), stranger)).toBe(true);
    const madeUp: EventInit[] = [
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

  it('are truncated to the limits, with a possible time, whatever an agent reports', async () => {
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

  it('stay readable after service and client are deleted', async () => {
    const gone = await world.t.createClient('gone');
    const other = await world.t.createService({ clients: [{ client_id: gone }] });
    await tell(message([finding(1)], createId(), other.id), await world.t.connect(gone));
    await world.t.owner.call('DELETE', `/api/op/services/${other.id}?project=${world.t.project}`);
    await world.t.database.db.deleteFrom('service_targets').where('client_id', '=', gone).execute();
    await world.t.database.db.deleteFrom('clients').where('id', '=', gone).execute();
    await world.t.database.db.deleteFrom('services').where('id', '=', other.id).execute();
    expect((await list()).items).toMatchObject([{ service_name: null, client_name: null, service_id: other.id }]);
  });
});

describe('a flood of findings', () => {
  it('from one client is limited to its share, and others are stored', async () => {
    const neighbour = await world.t.createClient('neighbour');
    const other = await world.t.createService({ clients: [{ client_id: neighbour }] });
    const flood = Array.from({ length: 10 }, (_, i) =>
      world.agent.session.shieldEvents(message(Array.from({ length: 500 }, (_, j) => finding(i * 500 + j + 1)))),
    );
    const heard = (await world.t.connect(neighbour)).session.shieldEvents(message([finding(1)], createId(), other.id));
    await world.t.controller.fleet.shieldEvents.flush();
    const answers = await Promise.all(flood);
    expect(answers.filter((isStored) => isStored)).toHaveLength(2);
    expect(await heard).toBe(true);
    expect((await list({ client_id: neighbour })).items).toHaveLength(1);
  });

  it('takes no space from other clients of the project or from other projects', async () => {
    const neighbour = await world.t.createClient('quiet');
    const other = await world.t.createService({ clients: [{ client_id: neighbour }] });
    const quiet = await world.t.connect(neighbour);
    await tell(message([finding(1), finding(2)], createId(), other.id), quiet);
    await tell(
      message(Array.from({ length: 50 }, (_, i) => finding(i + 1, { timeMs: BigInt(Date.now() - 1000 + i) }))),
    );
    await trimProject(world.t.database.db, await world.t.createProject('elsewhere'), 1);
    await trimProject(world.t.database.db, world.t.project, 10);
    expect((await list({ client_id: neighbour })).items).toHaveLength(2);
    expect(await requestIds({ client_id: world.agent.clientId })).toEqual(
      Array.from({ length: 8 }, (_, i) => `request-${50 - i}`),
    );
  });

  it('from invented runs leaves no more marks than the limit', async () => {
    for (let i = 0; i < 40; i += 1) await tell(message([finding(1)]));
    const marks = await world.t.database.db
      .selectFrom('shield_event_marks')
      .select('epoch')
      .where('service_id', '=', world.service.id)
      .execute();
    expect(marks.length).toBeLessThanOrEqual(34);
  });
});

it('findings that filters numbered and did not report are counted, once, by service and client', async () => {
  const { db } = world.t.database;
  await db.deleteFrom('shield_event_drops').execute();
  const epoch = createId();
  const dropped = async (query: Record<string, string> = {}) =>
    (await world.get('/api/v3/shield/events/summary', query)).body.dropped;
  await tell(message([finding(1), finding(2)], epoch));
  expect(await dropped()).toBe(0);
  await tell(message([finding(3), finding(13)], epoch));
  await tell(message([finding(3), finding(13)], epoch));
  await tell(message([finding(14), finding(1014)], epoch));
  // The first events of another run were dropped before they were read.
  await tell(message([finding(101)]));
  expect(await dropped()).toBe(9 + 999 + 100);
  expect(await dropped({ service_id: world.service.id, client_id: world.agent.clientId, engine: 'jwt' })).toBe(1108);
  expect(await dropped({ client_id: createId() })).toBe(0);
  const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  expect(await dropped({ from: before(60), to: before(30) })).toBe(0);
  await forgetOldEvents(db, new Date(Date.now() + 8 * DAY_MS));
  expect(await dropped()).toBe(0);
});

it('findings are announced to every listener in the project, once for many, without their content', async () => {
  const address = await world.t.app.listen({ port: 0, host: '127.0.0.1' });
  const viewer = await world.t.createMember('viewer');
  const url = `${address}/api/v3/events?project=${world.t.project}`;
  const reader = await EventReader.open(url, { authorization: `Bearer ${viewer.token}` });
  const other = await EventReader.open(`${address}/api/v3/events?project=${await world.t.createProject('silent')}`, {
    authorization: `Bearer ${world.t.owner.token}`,
  });
  await tell(message(Array.from({ length: 150 }, (_, i) => finding(i + 1))));
  await reader.hears({ topic: 'shield_event', service_id: world.service.id });
  expect(reader.changes.filter((change) => JSON.stringify(change).includes('shield_event'))).toHaveLength(1);
  expect(other.topics()).not.toContain('shield_event');
  await Promise.all([reader.close(), other.close()]);
});

it('findings are deleted after seven days, in batches', async () => {
  await tell(message([finding(1), finding(2), finding(3)]));
  const [newest] = (await list()).items;
  await world.t.database.db
    .updateTable('shield_events')
    .set({ time: new Date(Date.now() - 7 * DAY_MS - 1000) })
    .where('id', '<>', newest.id)
    .execute();
  await forgetOldEvents(world.t.database.db, new Date(), 1);
  expect((await list()).items).toMatchObject([{ id: newest.id }]);
});

it('findings that the database never accepts are dropped, and no others', async () => {
  const { owner } = world.t.database;
  await sql`alter table shield_events add constraint no_poison check (path <> '/poison')`.execute(owner);
  const messages = Array.from({ length: 9 }, (_, i) =>
    message([finding(1, { requestId: `beside-${i}`, path: i === 4 ? '/poison' : '/fine' })]),
  );
  const answers = messages.map((report) => world.agent.session.shieldEvents(report));
  await world.t.controller.fleet.shieldEvents.flush();
  // Even the one that cannot be stored is acknowledged: a repetition would be refused too.
  expect(await Promise.all(answers)).toEqual(messages.map(() => true));
  expect((await requestIds()).toSorted()).toEqual([0, 1, 2, 3, 5, 6, 7, 8].map((i) => `beside-${i}`));
  await sql`alter table shield_events drop constraint no_poison`.execute(owner);
});

it('findings that could not be written are not acknowledged, and accepted when repeated', async () => {
  let isAway = true;
  const db = new Proxy(world.t.database.db, {
    get: (target, name) => {
      if (name === 'transaction' && isAway) throw new Error('the database is away');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const recorder = new ShieldEventRecorder({ db, logger: createSilentLogger(), now: () => new Date() });
  const report = message([finding(1)]);
  const first = recorder.note(world.agent.clientId, report);
  await expect(recorder.flush()).rejects.toThrow('away');
  expect(await first).toBe(false);
  isAway = false;
  const second = recorder.note(world.agent.clientId, report);
  await recorder.close();
  expect(await second).toBe(true);
  expect(await requestIds()).toEqual(['request-1']);
});
