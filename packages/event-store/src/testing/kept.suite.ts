import { describe, expect, it } from 'vitest';
import { type CopyProgress, copyEvents } from '../copy.ts';
import { type EventStore, toProjectId } from '../port.ts';
import type { StoreUnderTest } from './behaviour.suite.ts';
import { createBatch, createEvent, createTraffic, NOON_MS } from './events.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const project = toProjectId('shop');

/** Describes what a store keeps: after its events have expired, and in a copy. */
export function describeKept(name: string, { open, isAvailable = true }: StoreUnderTest): void {
  describe.runIf(isAvailable)(name, () => {
    it('deletes older events and keeps the rollups that live longer', async () => {
      const short = await open({ retention: { eventsDays: 1, minutesDays: 1 } });
      const old = createEvent({ timeMs: NOON_MS - 2 * DAY_MS });
      await short.append(project, createBatch(1, [old, old, createEvent({ timeMs: NOON_MS - HOUR_MS })]));
      const { expiredEvents } = await short.maintain(NOON_MS);
      expect(expiredEvents).toBe(2);
      const range = { from: NOON_MS - 3 * DAY_MS, to: NOON_MS + HOUR_MS };
      const read = async (resolution: 'raw' | '1m' | '1h' | '1d') =>
        (await short.totals(project, { ...range, resolution })).data.events;
      expect(await read('raw')).toBe(1);
      expect(await read('1m')).toBe(1);
      expect(await read('1h')).toBe(3);
      expect(await read('1d')).toBe(3);
      await short.close();
    });

    it('says from when on all events are there, and a copy of it says the same', async () => {
      const [short, target] = [await open({ retention: { eventsDays: 1 } }), await open()];
      expect(await short.completeFrom()).toBe(0);
      await short.append(project, createBatch(1, [createEvent({ timeMs: NOON_MS - HOUR_MS })]));
      await short.maintain(NOON_MS);
      // Nothing was deleted.
      expect(await short.completeFrom()).toBe(0);
      await short.append(project, createBatch(2, [createEvent({ timeMs: NOON_MS - 2 * DAY_MS })]));
      await short.maintain(NOON_MS);
      expect(await short.completeFrom()).toBe(NOON_MS - DAY_MS);
      await short.raiseCompleteFrom(NOON_MS - 2 * DAY_MS);
      expect(await short.completeFrom()).toBe(NOON_MS - DAY_MS);
      await copyEvents({ name: 'move', from: short, to: target, save: async () => undefined });
      expect(await target.completeFrom()).toBe(NOON_MS - DAY_MS);
      await short.close();
      await target.close();
    });

    it('copies every event with its id, and goes on after an interruption without counting twice', async () => {
      const [store, target] = [await open(), await open()];
      const [first, second] = [toProjectId('first'), toProjectId('second')];
      const traffic = createTraffic(1_000, { seed: 5, startMs: NOON_MS - DAY_MS, spanMs: DAY_MS });
      await store.append(first, createBatch(1, traffic));
      await store.append(second, createBatch(1, [createEvent()]));
      const from = { ...store, projects: async () => [second, first] };
      let saved: CopyProgress | undefined;
      const options = { name: 'move', from, to: target, batchEvents: 300 };
      const interrupted = copyEvents({
        ...options,
        save: async (progress) => {
          // The second batch is in the target, but the copy does not know.
          if (progress.batches === 2) throw new Error('killed');
          saved = progress;
        },
      });
      await expect(interrupted).rejects.toThrow('killed');
      const end = await copyEvents({
        ...options,
        ...(saved === undefined ? {} : { resume: saved }),
        save: async (progress) => {
          saved = progress;
        },
      });
      expect(end).toMatchObject({ events: 1_001 });
      const range = { from: NOON_MS - 2 * DAY_MS, to: NOON_MS + HOUR_MS };
      for (const resolution of ['raw', '1h'] as const) {
        const copied = await target.totals(first, { ...range, resolution });
        expect(copied).toEqual(await store.totals(first, { ...range, resolution }));
      }
      const idsOf = async (one: EventStore) =>
        (await one.page(first, { ...range, limit: 500 })).events.map(({ id }) => id);
      expect(await idsOf(target)).toEqual(await idsOf(store));
      await store.close();
      await target.close();
    });
  });
}
