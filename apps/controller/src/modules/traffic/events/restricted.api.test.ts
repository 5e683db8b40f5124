import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRestrictedWorld, type RestrictedWorld } from '../../identity/permissions/testing/listed-world.ts';
import { createEventWorld, type EventWorld } from './testing/event-world.ts';

let w: EventWorld;
let world: RestrictedWorld;

beforeAll(async () => {
  w = await createEventWorld(async (options) => {
    world = await createRestrictedWorld(options);
    return world.t;
  });
  await w.append([
    w.event({
      service: world.shown.service,
      client: world.shown.client,
      path: '/shown',
      operationId: '00000000000000a1',
    }),
    w.event({
      service: world.hidden.service,
      client: world.hidden.client,
      path: '/hush',
      operationId: '00000000000000a2',
    }),
    w.event({ path: '/hush-of-others', operationId: '00000000000000a3' }),
  ]);
}, 120_000);
afterAll(() => w?.close());

const ROUTES = [
  '/events?facets=path',
  '/00000000000000a2/events',
  '/stats?by=path',
  '/00000000000000a2/stats?granularity=1h',
  '/00000000000000a2/current-posture',
  '/overview',
  '/top?by=path',
  '/top?by=operation',
  '/latency-map',
  '/comparison',
  '/geo',
  '/consumers',
  '/consumers/00000000000000c1',
  '/bot-scanner',
  '/transport',
  '/errors',
  '/security-score',
];

describe('a member of a restricted project', () => {
  it.each(ROUTES)('reads in %s only requests of services that permissions name', async (route) => {
    const [path = '', search = ''] = route.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    const seen = await w.get(path, query, { caller: world.editor });
    expect(JSON.stringify(seen)).not.toContain('hush');
    const requests = seen.totals?.requests ?? seen.requests ?? seen.summary?.requests;
    const isEmpty = path.includes('a2') || path === '/bot-scanner';
    if (requests !== undefined) expect(requests).toBe(isEmpty ? 0 : 1);
    if (path === '/00000000000000a2/current-posture') expect(seen.state).toBe('dormant');
    if (path === '/events') expect(seen.items).toHaveLength(1);
  });

  it('does not find a request of another service by its id or its service', async () => {
    const { items } = await w.get('/events', { path_is: '/hush' });
    expect((await w.call(`/events/${items[0].id}`, {}, { caller: world.editor })).status).toBe(404);
    const byService = { service_id: world.hidden.service };
    expect((await w.get('/events', byService, { caller: world.editor })).items).toEqual([]);
  });

  it('reads gaps and backlogs only of services that permissions name', async () => {
    const { db } = world.t.database;
    for (const { service, client } of [world.shown, world.hidden]) {
      await sql`insert into inventory_gaps (project_id, minute, service_id, client_id, batches)
        values (${world.t.project}, ${new Date(w.nowMs - 120_000)}, ${service}, ${client}, 1)`.execute(db);
      const spool = { service_id: service, batches: 7, bytes: 70, oldest_at: null, dropped_batches: 0 };
      await sql`insert into client_stats (client_id, at, load_percent, memory_percent, stats)
        values (${client}, now(), 1, 1, ${JSON.stringify({ log_spools: [spool] })})
        on conflict (client_id) do update set stats = excluded.stats`.execute(db);
    }
    const ids = (list: { service_id: string }[]) => list.map(({ service_id: id }) => id).toSorted();
    const whole = await w.get('/gaps');
    const both = [world.shown.service, world.hidden.service].toSorted();
    expect([ids(whole.items), ids(whole.waiting)]).toEqual([both, both]);
    const seen = await w.get('/gaps', {}, { caller: world.editor });
    expect([ids(seen.items), ids(seen.waiting)]).toEqual([[world.shown.service], [world.shown.service]]);
  });

  it('without any permission reads nothing', async () => {
    const viewer = await world.member('viewer');
    expect((await w.get('/overview', {}, { caller: viewer })).totals.requests).toBe(0);
    expect((await w.get('/events', {}, { caller: viewer })).items).toEqual([]);
  });
});
