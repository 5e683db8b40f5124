import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventIdsOf } from '../encode.ts';
import { type EventStore, type ForwardQuery, type ProjectId, toProjectId } from '../port.ts';
import { spanOf } from '../read-forward.ts';
import type { StoreUnderTest } from './behaviour.suite.ts';
import { createBatch, createEvent, createTraffic, NOON_MS } from './events.ts';

const HOUR_MS = 3_600_000;

/** Reading of batches in the order of their arrival. */
export function describeForward(title: string, { open, isAvailable = true }: StoreUnderTest): void {
  describe.runIf(isAvailable)(title, () => {
    let store: EventStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());
    let projects = 0;
    const createProject = () => {
      projects += 1;
      return toProjectId(`forward-${projects}`);
    };
    const queryOf = (
      project: ProjectId,
      batches: ReturnType<typeof createBatch>[],
      more: Partial<ForwardQuery> = {},
    ): ForwardQuery => {
      const spans = batches.map((batch) => spanOf(project, batch, { nowMs: NOON_MS, isRepeated: false }));
      const [from, to] = [Math.min(...spans.map(({ fromMs }) => fromMs)), Math.max(...spans.map(({ toMs }) => toMs))];
      return { batches: spans.map(({ batch }) => batch), from, to, cursor: null, limit: 1_000, ...more };
    };

    it('returns every event of the batches by pages, by time, also events that are late', async () => {
      const project = createProject();
      const late = createBatch(
        2,
        createTraffic(700, { seed: 3, startMs: NOON_MS - 20 * HOUR_MS, spanMs: 20 * HOUR_MS }),
      );
      const other = createBatch(1, createTraffic(500, { seed: 2, startMs: NOON_MS - HOUR_MS, spanMs: HOUR_MS }));
      await store.append(project, other);
      await store.append(project, late);
      await store.compact();
      const ids: string[] = [];
      let [cursor, previous, pages]: [string | null, number, number] = [null, 0, 0];
      do {
        const page = await store.forward(project, queryOf(project, [late], { cursor, limit: 300 }));
        expect(page.stored).toBe(pages === 0 ? 700 : null);
        for (const { id, timeMs } of page.events) {
          expect(timeMs).toBeGreaterThanOrEqual(previous);
          previous = timeMs;
          ids.push(id);
        }
        pages += 1;
        cursor = page.nextCursor;
      } while (cursor !== null);
      const idOf = eventIdsOf(project, late);
      expect(pages).toBe(3);
      expect(ids.toSorted()).toEqual(Array.from({ length: 700 }, (_, index) => idOf(index)).toSorted());
    });

    it('selects events that meet one of several lists of conditions, and still counts all that are stored', async () => {
      const project = createProject();
      const events = [
        createEvent({ action: 'block' }),
        createEvent({ risk: 80 }),
        createEvent({ risk: 80, service: 'other' }),
        createEvent({ flags: [3] }),
        createEvent(),
      ];
      const batch = createBatch(1, events);
      await store.append(project, batch);
      const any: ForwardQuery['any'] = [
        [{ column: 'action', in: ['block'] }],
        [
          { column: 'risk', min: 70 },
          { column: 'service', in: ['shop'] },
        ],
        [{ column: 'flags', any: [3] }],
      ];
      const page = await store.forward(project, queryOf(project, [batch], { any }));
      const idOf = eventIdsOf(project, batch);
      expect(page.events.map(({ id }) => id)).toEqual([0, 1, 3].map(idOf));
      expect(page.stored).toBe(5);
      expect((await store.forward(project, queryOf(project, [batch], { any: [] }))).events).toEqual([]);
    });

    it('returns nothing of another project, even for the names of its batches', async () => {
      const [mine, theirs] = [createProject(), createProject()];
      const batch = createBatch(1, [createEvent()]);
      await store.append(theirs, batch);
      expect(await store.forward(mine, queryOf(theirs, [batch]))).toEqual({ events: [], nextCursor: null, stored: 0 });
    });

    it('finds events whose clock was wrong at the time of their arrival', async () => {
      const project = createProject();
      const batch = createBatch(1, [createEvent({ timeMs: NOON_MS + 365 * 24 * HOUR_MS }), createEvent()]);
      await store.append(project, batch);
      expect(await store.forward(project, queryOf(project, [batch]))).toMatchObject({ stored: 2, nextCursor: null });
      const repeated = spanOf(project, batch, { nowMs: NOON_MS + 9 * HOUR_MS, isRepeated: true });
      const window = { from: repeated.fromMs, to: repeated.toMs };
      expect(await store.forward(project, queryOf(project, [batch], window))).toMatchObject({ stored: 2 });
    });

    it('refuses names that are no batches', async () => {
      const project = createProject();
      const query = { batches: ["1' or 1=1"], from: 0, to: 1, cursor: null, limit: 1 };
      await expect(store.forward(project, query)).rejects.toMatchObject({ code: 'event_store.bad_query' });
    });
  });
}
