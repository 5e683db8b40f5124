import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullTier } from '@flotilla/kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EventStore, toProjectId } from '../port.ts';
import { createBatch, createRandom, createTraffic, NOON_MS } from '../testing/events.ts';
import { openDuckDbStore } from './store.ts';

const project = toProjectId('shop');
const DAY_MS = 86_400_000;
const DAYS = 7;
const BATCHES = 50;
const BATCH = 1_000;
const window = { from: NOON_MS - (DAYS + 1) * DAY_MS, to: NOON_MS + DAY_MS };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  path = join(folder, 'events.duckdb');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Traffic that is so slow that every event is the only one of its minute and operation. */
async function appendSlowTraffic(store: EventStore): Promise<void> {
  const random = createRandom(3);
  const spanMs = (DAYS * DAY_MS) / BATCHES;
  for (let sequence = 0; sequence < BATCHES; sequence += 1) {
    const startMs = NOON_MS - DAYS * DAY_MS + Math.floor(sequence * spanMs);
    const events = createTraffic(BATCH, { seed: sequence, startMs, spanMs }).map((event) => {
      const operation = Math.floor(random() * 500);
      return { ...event, path: `/slow-${operation}`, operationId: (operation + 1).toString(16).padStart(16, '0') };
    });
    await store.append(project, createBatch(sequence, events));
  }
}

async function expectEverything(store: EventStore): Promise<void> {
  // Not the whole window at once: the events are older than a query of them may reach.
  const { data } = await store.totals(project, { ...window, resolution: '1d' });
  expect(data.events).toBe(BATCHES * BATCH);
  for (const resolution of ['1m', '1h'] as const) {
    expect((await store.totals(project, { ...window, resolution })).data).toEqual(data);
  }
}

describe('the DuckDB event store with little memory', () => {
  it.runIf(isFullTier)(
    'folds and rewrites slow traffic with the memory that the controller gives it',
    { timeout: 240_000 },
    async () => {
      const store = await openDuckDbStore({ path, now: () => NOON_MS, memoryMb: 96 });
      await appendSlowTraffic(store);
      await store.maintain(NOON_MS, { eventsDays: 30 });
      await expectEverything(store);
      await store.compact();
      await expectEverything(store);
      await store.close();
    },
  );

  it('keeps everything if the memory ends, says so, and goes on with more of it', { timeout: 240_000 }, async () => {
    const poor = await openDuckDbStore({ path, now: () => NOON_MS, memoryMb: 40, retention: { eventsDays: 30 } });
    await appendSlowTraffic(poor);
    await expect(poor.maintain(NOON_MS)).rejects.toMatchObject({ code: 'event_store.out_of_memory', httpStatus: 503 });
    await poor.close();
    const store = await openDuckDbStore({ path, now: () => NOON_MS, memoryMb: 96, retention: { eventsDays: 30 } });
    expect((await store.health()).setAside).toBeNull();
    await expectEverything(store);
    await store.maintain(NOON_MS);
    await store.compact();
    await expectEverything(store);
    await store.close();
  });
});
