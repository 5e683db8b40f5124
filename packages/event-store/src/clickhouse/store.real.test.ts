import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll } from 'vitest';
import { describeEventStore } from '../testing/behaviour.suite.ts';
import { NOON_MS } from '../testing/events.ts';
import { openClickHouseStore } from './store.ts';

// ClickHouse itself, in this process: the client, its SQL and its inserts are those of production, only the wire is not.
const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

describeEventStore('the ClickHouse event store', {
  isAvailable: process.platform === 'linux' && process.arch === 'x64',
  open: async ({ retention } = {}) => {
    const { createChdbConnection } = await import('chdb/connection');
    databases += 1;
    // Its types come from another package of the same client.
    const connection = createChdbConnection({ path: folder }) as never;
    const client = createClient({ connection });
    return openClickHouseStore({
      server: client,
      database: `events_${databases}`,
      now: () => NOON_MS,
      ...(retention === undefined ? {} : { retention }),
    });
  },
});
