export { COMMON, encodeConnections, encodeMessage, encodeRequests, requestOf } from './messages.ts';
export { SAMPLE_ENTRY } from './sample-entry.ts';
