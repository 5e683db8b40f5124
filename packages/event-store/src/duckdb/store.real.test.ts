import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeEventStore } from '../testing/behaviour.suite.ts';
import { NOON_MS } from '../testing/events.ts';
import { openDuckDbStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

describeEventStore('the DuckDB event store', {
  open: ({ retention } = {}) => {
    files += 1;
    // Small parts, so that the traffic of the tests is in several of them.
    const parts = { segmentRows: 2_000, tailRows: 700 };
    const path = join(folder, `events-${files}.duckdb`);
    return openDuckDbStore({ path, now: () => NOON_MS, ...parts, ...(retention === undefined ? {} : { retention }) });
  },
});
