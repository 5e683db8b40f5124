export { composeTrafficEvents } from './compose.ts';
export { type FoundOperations, findOperationsByTraffic, type TrafficOrigin } from './find-operations.ts';
export type { EventSource, HashFor, KeyedHash } from './source.ts';
