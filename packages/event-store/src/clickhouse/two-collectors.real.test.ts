import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventStore, toProjectId } from '../port.ts';
import { connectInProcess } from '../testing/clickhouse.ts';
import { createBatch, createRandom, createTraffic, NOON_MS } from '../testing/events.ts';
import { openClickHouseStore } from './store.ts';

const HOUR_MS = 3_600_000;
const BATCHES = 30;
const ROWS = 50;

const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
let stores: EventStore[] = [];
const open = () => openClickHouseStore({ server: connectInProcess(folder), database: 'shared', now: () => NOON_MS });

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('two collectors with one ClickHouse', () => {
  beforeAll(async () => {
    stores = [await open(), await open()];
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const traffic = Array.from({ length: BATCHES }, (_, index) =>
    createTraffic(ROWS, { seed: index, startMs: NOON_MS - HOUR_MS, spanMs: HOUR_MS }),
  );
  const batches = traffic.map((events, index) => createBatch(index + 1, events));
  const requests = traffic.flat().reduce((sum, { weight = 1 }) => sum + weight, 0);

  async function expectOnce(project: ReturnType<typeof toProjectId>) {
    const range = { from: NOON_MS - 2 * HOUR_MS, to: NOON_MS + HOUR_MS };
    for (const store of stores) {
      const { data } = await store.totals(project, range);
      expect(data).toMatchObject({ events: BATCHES * ROWS, requests });
    }
  }

  it('that get the same batches of a sender at the same time store each once, in the rollups, too', async () => {
    const project = toProjectId('at-once');
    const outcomes = await Promise.all(
      stores.map(async (store) => {
        const own: string[] = [];
        for (const batch of batches) own.push(await store.append(project, batch));
        return own;
      }),
    );
    expect(outcomes.flat().filter((outcome) => outcome === 'stored').length).toBeGreaterThanOrEqual(BATCHES);
    await expectOnce(project);
  });

  it('between which a sender changes and repeats what had no answer store each batch once', async () => {
    const project = toProjectId('changes');
    const random = createRandom(7);
    let next = 0;
    for (let round = 0; next < BATCHES; round += 1) {
      const store = stores[round % 2] as EventStore;
      const count = 1 + Math.floor(random() * 5);
      const sent = batches.slice(next, next + count);
      for (const batch of sent) await store.append(project, batch);
      // The last answers are lost with the connection.
      next += Math.max(round % 3 === 0 ? 0 : 1, sent.length - Math.floor(random() * 3));
    }
    await expectOnce(project);
  });
});
