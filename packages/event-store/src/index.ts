export type { EventChunk } from './chunk.ts';
export { type ClickHouseStoreOptions, openClickHouseStore } from './clickhouse/store.ts';
export {
  BIT_COLUMNS,
  type BitColumn,
  type Dimension,
  HASH_COLUMNS,
  type HashColumn,
  NUMBER_COLUMNS,
  type NumberColumn,
  ROLLUP_DIMENSIONS,
  WORD_COLUMNS,
  type WordColumn,
} from './columns.ts';
export { type CopyOptions, type CopyProgress, copyEvents } from './copy.ts';
export { type DuckDbStoreOptions, openDuckDbStore } from './duckdb/store.ts';
export { eventIdsOf } from './encode.ts';
export { EVENT_STORE_ERRORS } from './errors.ts';
export { EVENT_LIMITS, MARK_CLOCK, type RequestEvent, type StoredEvent } from './event.ts';
export { LATENCY_BUCKETS, latencyBucketBounds, latencyBucketOf, percentileOf } from './latency.ts';
export * from './port.ts';
export { PAGE_MAX, STEP_MS, TOP_MAX, WINDOW_MAX_MS } from './query.ts';
export { type BatchSpan, spanOf } from './read-forward.ts';
export { connectStore, serveStore } from './remote.ts';
