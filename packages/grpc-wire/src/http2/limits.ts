/**
 * Limits on what a peer can consume. The peer is the proxy, so no default cuts a very busy Envoy; together they bound
 * memory and work. Every limit has its own counter in `WireCounters.limits`.
 */
export interface WireLimits {
  /** Concurrent connections; a further one is closed at once. */
  readonly connections: number;
  /** Concurrent streams of a connection (SETTINGS_MAX_CONCURRENT_STREAMS); a further one is refused. */
  readonly streams: number;
  /**
   * Streams of all connections together; an idle one takes 300 bytes. At the limit, a connection that has its equal
   * share is refused another stream. Shares shrink with every new connection while existing streams stay, so
   * connections that arrive one after another, each when the earlier ones are full, can hold up to 1 + ln(connections)
   * times the limit together.
   */
  readonly serverStreams: number;
  /** Encoded bytes of one header block in all its frames. Exceeding it ends the connection. */
  readonly headerBlockBytes: number;
  /**
   * Decoded size of a header list: names, values and 32 bytes per field (RFC 9113 section 6.5.2). Exceeding it ends the
   * call (431).
   */
  readonly headerListBytes: number;
  /** Bytes of one gRPC message. Exceeding it ends the call (RESOURCE_EXHAUSTED). */
  readonly messageBytes: number;
  /**
   * Memory of the incomplete messages of all connections. Above it, the next bytes of a call end that call if its
   * connection exceeds its equal share. As with `serverStreams`, the total can be 1 + ln(connections) times as much.
   */
  readonly partialMessageBytes: number;
  /** Credit for incoming DATA, per stream (SETTINGS_INITIAL_WINDOW_SIZE) and per connection. */
  readonly streamWindowBytes: number;
  readonly connectionWindowBytes: number;
  /**
   * Responses that wait for the peer's flow control, per stream (ends the call) and per connection (ends the
   * connection).
   */
  readonly queuedStreamBytes: number;
  readonly queuedConnectionBytes: number;
  /**
   * Bytes the peer has not read from the socket. Above the first limit we stop reading from it; above the second it is
   * cut.
   */
  readonly pauseOutputBytes: number;
  readonly unreadOutputBytes: number;
  /**
   * Resets of streams without any response. Resets of answered streams never count, because Envoy ends streams that
   * way.
   */
  readonly unansweredResetsPerSecond: number;
  /**
   * Work of frames without data (PING, SETTINGS, WINDOW_UPDATE, CONTINUATION, PRIORITY, empty DATA, unknown types), in
   * units of the cheapest frame: units per second, and the most that can be saved up. DATA adds to it, see
   * `FloodGuard`.
   */
  readonly overheadPerSecond: number;
  /** Frames on closed streams, and other stream errors of the peer. */
  readonly streamErrorsPerSecond: number;
  /** Time from the connection to its preface and first SETTINGS, and for the rest of a header block. */
  readonly prefaceMs: number;
  /** A connection without streams and frames for this time is closed with GOAWAY. */
  readonly idleMs: number;
  /** A stream is reset if the peer's windows let none of its queued bytes out for this time. */
  readonly windowStallMs: number;
  /** A peer that reads nothing from a full socket for this time is cut. */
  readonly slowReaderMs: number;
  /** An answered stream that the peer does not end within this time is reset and forgotten. */
  readonly lingerMs: number;
  /** Interval of the checks of the time limits. */
  readonly tickMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_WIRE_LIMITS: WireLimits = {
  connections: 4096,
  streams: 250_000,
  serverStreams: 1_000_000,
  headerBlockBytes: 128 * 1024,
  headerListBytes: 64 * 1024,
  messageBytes: 17 * MIB,
  partialMessageBytes: 512 * MIB,
  streamWindowBytes: 4 * MIB,
  connectionWindowBytes: 256 * MIB,
  queuedStreamBytes: 32 * MIB,
  queuedConnectionBytes: 128 * MIB,
  pauseOutputBytes: 4 * MIB,
  unreadOutputBytes: 128 * MIB,
  unansweredResetsPerSecond: 200_000,
  overheadPerSecond: 1_000_000,
  streamErrorsPerSecond: 20_000,
  prefaceMs: 10_000,
  idleMs: 3_600_000,
  windowStallMs: 30_000,
  slowReaderMs: 20_000,
  lingerMs: 30_000,
  tickMs: 1000,
};
