/**
 * What a peer may make us spend. Whoever reaches the socket is the proxy, so no default cuts a very busy Envoy; all of
 * them together bound memory and work. Every limit has a counter of its own in `WireCounters.limits`.
 */
export interface WireLimits {
  /** Connections at once; one more is closed at once. */
  readonly connections: number;
  /** Streams of a connection that are open at once (SETTINGS_MAX_CONCURRENT_STREAMS); one more is refused. */
  readonly streams: number;
  /**
   * Streams of all connections together: idle ones take 300 bytes each. One more is refused to a connection that has its
   * share of them (an equal part). Shares shrink with every connection, and what was taken stays: connections that come one
   * behind the other, each when the ones before are full, hold up to 1 + ln(connections) times as many together.
   */
  readonly serverStreams: number;
  /** Encoded bytes of one header block, over all its frames. More ends the connection. */
  readonly headerBlockBytes: number;
  /** Decoded size of one header list: names, values and 32 per field (RFC 9113 section 6.5.2). More ends the call (431). */
  readonly headerListBytes: number;
  /** CONTINUATION frames of one header block. More end the connection. */
  readonly continuations: number;
  /** Bytes of one gRPC message. A bigger one ends its call (RESOURCE_EXHAUSTED). */
  readonly messageBytes: number;
  /**
   * Memory of messages of all connections that have not arrived as a whole. Beyond it a call whose connection has more than
   * its share (an equal part) is ended with its next bytes. Together it may be 1 + ln(connections) times as much, as with
   * `serverStreams`.
   */
  readonly partialMessageBytes: number;
  /** Credit given to each stream (SETTINGS_INITIAL_WINDOW_SIZE) and to the connection for DATA towards us. */
  readonly streamWindowBytes: number;
  readonly connectionWindowBytes: number;
  /** Answers that wait for the peer's flow control, per stream (ends the call) and per connection (ends the connection). */
  readonly queuedStreamBytes: number;
  readonly queuedConnectionBytes: number;
  /** Bytes the peer has not read from the socket: above the first we read no more of it, above the second it is cut. */
  readonly pauseOutputBytes: number;
  readonly unreadOutputBytes: number;
  /** Resets of streams to which nothing was answered. Resets of answered streams are never counted: Envoy ends so. */
  readonly unansweredResetsPerSecond: number;
  readonly pingsPerSecond: number;
  readonly settingsPerSecond: number;
  readonly emptyDataPerSecond: number;
  /** WINDOW_UPDATE, and the windows that SETTINGS change: one for every open stream. */
  readonly windowUpdatesPerSecond: number;
  /** PRIORITY frames and frames of unknown type together. */
  readonly ignoredFramesPerSecond: number;
  /** Frames on streams that are closed, and other stream errors of the peer. */
  readonly streamErrorsPerSecond: number;
  /** From the connection to its preface and first SETTINGS; also for the rest of a header block that was begun. */
  readonly prefaceMs: number;
  /** A connection without streams and frames for so long is closed with GOAWAY. */
  readonly idleMs: number;
  /** A stream whose queued answers the peer's windows let nothing of go out for so long is reset. */
  readonly windowStallMs: number;
  /** A peer that reads nothing from a full socket for so long is cut. */
  readonly slowReaderMs: number;
  /** An answered stream that the peer does not end for so long is reset and forgotten. */
  readonly lingerMs: number;
  /** How often the limits in time are looked at. */
  readonly tickMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_WIRE_LIMITS: WireLimits = {
  connections: 4096,
  streams: 250_000,
  serverStreams: 1_000_000,
  headerBlockBytes: 128 * 1024,
  headerListBytes: 64 * 1024,
  continuations: 64,
  messageBytes: 17 * MIB,
  partialMessageBytes: 512 * MIB,
  streamWindowBytes: 4 * MIB,
  connectionWindowBytes: 256 * MIB,
  queuedStreamBytes: 32 * MIB,
  queuedConnectionBytes: 128 * MIB,
  pauseOutputBytes: 4 * MIB,
  unreadOutputBytes: 128 * MIB,
  unansweredResetsPerSecond: 200_000,
  pingsPerSecond: 1000,
  settingsPerSecond: 200,
  emptyDataPerSecond: 20_000,
  windowUpdatesPerSecond: 1_000_000,
  ignoredFramesPerSecond: 20_000,
  streamErrorsPerSecond: 20_000,
  prefaceMs: 10_000,
  idleMs: 3_600_000,
  windowStallMs: 30_000,
  slowReaderMs: 20_000,
  lingerMs: 30_000,
  tickMs: 1000,
};
