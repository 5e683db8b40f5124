import { trafficInsightRoutes } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventWorld, type EventWorld } from './testing/event-world.ts';

let w: EventWorld;
const MINUTE_MS = 60_000;
const minute = (ago: number) => new Date(Math.floor(w.nowMs / MINUTE_MS) * MINUTE_MS - ago * MINUTE_MS);

async function addGap(project: string, { ago = 1, client = w.client, batches = 1, service = w.service.id }) {
  await sql`insert into inventory_gaps (project_id, minute, service_id, client_id, batches)
    values (${project}, ${minute(ago)}, ${service}, ${client}, ${batches})`.execute(w.t.database.db);
}

async function report(client: string, spools: readonly unknown[] | undefined) {
  const stats = JSON.stringify(spools === undefined ? {} : { log_spools: spools });
  await sql`insert into client_stats (client_id, at, load_percent, memory_percent, stats)
    values (${client}, now(), 1, 1, ${stats}) on conflict (client_id) do update set stats = excluded.stats`.execute(
    w.t.database.db,
  );
}

beforeAll(async () => {
  w = await createEventWorld();
  for (let ago = 1; ago <= 5; ago += 1) await addGap(w.t.project, { ago, batches: ago });
  await addGap(w.t.project, { ago: 3, client: createId(), batches: 9 });
  await addGap(await w.t.createProject('other-gaps'), { ago: 2, batches: 77 });
}, 120_000);
afterAll(() => w?.close());

const get = async (query: Record<string, string> = {}) =>
  trafficInsightRoutes.gaps.response?.parse(await w.get('/gaps', query)) as never as {
    items: { at: string; batches: number; client_name: string | null; service_name: string | null }[];
    next_cursor: string | null;
    waiting: unknown[];
  };

describe('gaps', () => {
  it('are listed newest first, with names, without those of other projects', async () => {
    const { items } = await get();
    expect(items.map(({ batches }) => batches).toSorted()).toEqual([1, 2, 3, 4, 5, 9]);
    expect(items[0]).toMatchObject({
      at: minute(1).toISOString(),
      batches: 1,
      service_name: w.service.name,
      client_name: 'edge-of-events',
    });
    expect(items.find(({ batches }) => batches === 9)?.client_name).toBeNull();
  });

  it('are filtered by time, service and client', async () => {
    const from = minute(2).toISOString();
    expect((await get({ from })).items.map(({ batches }) => batches)).toEqual([1, 2]);
    expect((await get({ client_id: w.client })).items).toHaveLength(5);
    expect((await get({ service_id: createId() })).items).toEqual([]);
  });

  it('have pages', async () => {
    const seen: number[] = [];
    for (let query: Record<string, string> = { limit: '2' }; ; ) {
      const { items, next_cursor: cursor } = await get(query);
      seen.push(...items.map(({ batches }) => batches));
      if (cursor === null) break;
      query = { limit: '2', cursor };
    }
    expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5, 9]);
    expect((await w.call('/gaps', { cursor: "1' or 1=1" })).status).toBe(400);
  });

  it('come with what waits on hosts now, as the hosts reported it, without that of other projects', async () => {
    const oldest = new Date(w.nowMs - 90_000).toISOString();
    const spool = (service: string, batches: number) => ({
      service_id: service,
      batches,
      bytes: batches * 1000,
      oldest_at: batches === 0 ? null : oldest,
      dropped_batches: 3,
    });
    const spools = [spool(w.service.id, 42), spool(createId(), 9), spool("'; drop", 5)];
    await report(w.client, spools);
    const { body } = await w.call('/gaps', { service_id: w.service.id });
    expect(body.waiting).toEqual([
      {
        service_id: w.service.id,
        service_name: w.service.name,
        client_id: w.client,
        client_name: 'edge-of-events',
        batches: 42,
        bytes: 42_000,
        oldest_at: oldest,
        dropped_batches: 3,
        reported_at: expect.any(String),
      },
    ]);
    expect((await get()).waiting).toHaveLength(1);
    expect((await w.call('/gaps', { client_id: createId() })).body.waiting).toEqual([]);
    await report(w.client, [spool(w.service.id, 0)]);
    expect((await get()).waiting).toEqual([]);
    // An older agent says nothing of it.
    await report(w.client, undefined);
    expect((await get()).waiting).toEqual([]);
  });

  it('are known without an event store', async () => {
    const { store } = w.access;
    Object.assign(w.access, { store: undefined, reason: 'It is off.' });
    expect((await w.call('/gaps')).status).toBe(200);
    Object.assign(w.access, { store, reason: undefined });
  });
});
