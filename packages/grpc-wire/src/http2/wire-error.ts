/**
 * An error of the peer, the socket or a handler. `reason` is one of a closed set of texts and contains nothing of a
 * request.
 */
export interface WireError {
  /** The scope that the error ended: the connection, a stream, or a call whose handler threw. */
  readonly scope: 'connection' | 'stream' | 'handler';
  /** HTTP/2 error code (RFC 9113 section 7); for a handler, the gRPC status. */
  readonly code: number;
  readonly reason: string;
  /** The handler's exception, or the socket's error. */
  readonly cause?: unknown;
}
