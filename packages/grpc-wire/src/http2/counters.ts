/** The limits that a peer can exceed, named as their counters. */
export const WIRE_LIMIT_NAMES = [
  'connections',
  'streams',
  'server_streams',
  'header_block',
  'header_list',
  'continuations',
  'message',
  'partial_messages',
  'queued_stream',
  'queued_connection',
  'unread_output',
  'unanswered_resets',
  'pings',
  'settings',
  'empty_data',
  'window_updates',
  'ignored_frames',
  'late_frames',
  'stream_errors',
  'preface',
  'idle',
  'window_stall',
  'slow_reader',
  'linger',
] as const;

export type WireLimitName = (typeof WIRE_LIMIT_NAMES)[number];

/** Counts since the server was created. All but the two `open` counters and `partialMessageBytes` only grow. */
export interface WireCounters {
  connections: number;
  openConnections: number;
  calls: number;
  /** Streams in the table: running ones, and answered ones that the peer has not ended. */
  openStreams: number;
  /** Memory of incomplete messages. */
  partialMessageBytes: number;
  messages: number;
  bytesRead: number;
  bytesWritten: number;
  /** RST_STREAM frames from the peer on calls with and without a response. */
  resetsAnswered: number;
  resetsUnanswered: number;
  connectionErrors: number;
  streamErrors: number;
  handlerErrors: number;
  /** Requests refused with a status, because of their path, method, content type or message size. */
  refused: number;
  /** How often each limit was exceeded. */
  limits: Record<WireLimitName, number>;
}

export function createWireCounters(): WireCounters {
  return {
    connections: 0,
    openConnections: 0,
    calls: 0,
    openStreams: 0,
    partialMessageBytes: 0,
    messages: 0,
    bytesRead: 0,
    bytesWritten: 0,
    resetsAnswered: 0,
    resetsUnanswered: 0,
    connectionErrors: 0,
    streamErrors: 0,
    handlerErrors: 0,
    refused: 0,
    limits: Object.fromEntries(WIRE_LIMIT_NAMES.map((name) => [name, 0])) as Record<WireLimitName, number>,
  };
}
