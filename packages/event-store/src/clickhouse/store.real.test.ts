import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeEventStore, type StoreUnderTest } from '../testing/behaviour.suite.ts';
import { connectInProcess } from '../testing/clickhouse.ts';
import { NOON_MS } from '../testing/events.ts';
import { describeForward } from '../testing/forward.suite.ts';
import { describeGroups } from '../testing/groups.suite.ts';
import { describeKept } from '../testing/kept.suite.ts';
import { describeLatencyMap } from '../testing/latency-map.suite.ts';
import { describeRanks } from '../testing/ranks.suite.ts';
import { openClickHouseStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

const underTest: StoreUnderTest = {
  isAvailable: process.platform === 'linux' && process.arch === 'x64',
  open: ({ retention } = {}) => {
    databases += 1;
    return openClickHouseStore({
      server: connectInProcess(folder),
      database: `events_${databases}`,
      now: () => NOON_MS,
      ...(retention === undefined ? {} : { retention }),
    });
  },
};
describeEventStore('the ClickHouse event store', underTest);
describeKept('what the ClickHouse event store keeps', underTest);
describeGroups('groups of the ClickHouse event store', underTest);
describeLatencyMap('the latency map of the ClickHouse event store', underTest);
describeForward('arrivals of the ClickHouse event store', underTest);
describeRanks('rankings of the ClickHouse event store', underTest);
