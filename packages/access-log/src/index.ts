export { BatchWriter } from './codec/batch-writer.ts';
export { decodeBatch } from './codec/decode-batch.ts';
export { type BatchContent, compressBatch, encodeBatch } from './codec/encode-batch.ts';
export {
  AUTH_SCHEMES,
  type AuthScheme,
  ENTRY_LIMITS,
  type LogBatch,
  type LogEntry,
  SIGNS,
  type Sign,
} from './entry.ts';
export { Reducer, type StreamFacts } from './reduce/reducer.ts';
export { FILTER_HEADER, REQUEST_HEADERS, RESPONSE_HEADERS, RESPONSE_TRAILERS } from './wire/raw-entry.ts';
export { MessageReader, type ReadCounts } from './wire/read-message.ts';
