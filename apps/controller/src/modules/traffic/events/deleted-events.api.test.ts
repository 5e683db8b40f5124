import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventWorld, type EventWorld, HOUR_MS } from './testing/event-world.ts';

let w: EventWorld;
const DAY_MS = 24 * HOUR_MS;
const at = (agoMs: number) => new Date(w.nowMs - agoMs).toISOString();
/** Events of these ages are deleted for room: what was counted of them stays in the sums. */
const GONE_MS = 5 * HOUR_MS;

beforeAll(async () => {
  w = await createEventWorld();
  await w.append([
    w.event({ timeMs: w.nowMs - 6 * HOUR_MS, path: '/gone', consumer: '00000000000000c1' }),
    w.event({ timeMs: w.nowMs - HOUR_MS, path: '/there', consumer: '00000000000000c2' }),
  ]);
  await w.store.raiseCompleteFrom(w.nowMs - GONE_MS);
}, 120_000);
afterAll(() => w?.close());

describe('a time range of which events are deleted', () => {
  it('is answered from events with the time from which they are complete', async () => {
    const body = await w.get('/events', { from: at(DAY_MS), to: at(0) });
    expect(body).toMatchObject({ resolution: 'raw', complete_from: at(GONE_MS) });
    const before = await w.get('/events', { from: at(8 * HOUR_MS), to: at(7 * HOUR_MS) });
    expect(before).toMatchObject({ items: [], complete_from: at(GONE_MS) });
    const after = await w.get('/events', { from: at(2 * HOUR_MS), to: at(0) });
    expect(after).toMatchObject({ complete_from: null });
    expect(after.items).toHaveLength(1);
  });

  it('is counted from sums of minutes where events would be read', async () => {
    const window = { from: at(7 * HOUR_MS), to: at(5.5 * HOUR_MS) };
    const body = await w.get('/top', { by: 'operation', ...window });
    expect(body).toMatchObject({ resolution: '1m', complete_from: null });
    expect(body.totals.requests).toBe(1);
    expect(await w.get('/stats', window)).toMatchObject({ complete_from: null, totals: { requests: 1 } });
  });

  it('says so where only single events answer', async () => {
    const of = (query: Record<string, string>) => w.get('/stats', { from: at(DAY_MS), to: at(0), ...query });
    expect(await of({ country: 'NL' })).toMatchObject({ resolution: 'raw', complete_from: at(GONE_MS) });
    expect(await of({})).toMatchObject({ complete_from: null });
    const overview = await w.get('/overview', { from: at(7 * HOUR_MS), to: at(0), country: 'NL' });
    expect(overview).toMatchObject({ complete_from: at(GONE_MS), previous: null });
    expect(overview.limited).toContain(`before ${at(GONE_MS)} are deleted`);
  });

  it('is not compared as if nothing had happened in it', async () => {
    const range = { from: at(2 * HOUR_MS), to: at(0), base_from: at(8 * HOUR_MS), base_to: at(6 * HOUR_MS) };
    const body = await w.get('/comparison', { ...range, country: 'NL' });
    expect(body.base).toMatchObject({ state: 'not_kept', totals: null });
    expect(await w.get('/comparison', range)).toMatchObject({ base: { state: 'read' }, consumers: null });
  });
});
