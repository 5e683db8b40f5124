/** Something that went wrong between the peer and us. `reason` is one of a closed set of texts and carries nothing of a request. */
export interface WireError {
  /** What ended by it: the connection, a stream, or a call whose handler threw. */
  readonly scope: 'connection' | 'stream' | 'handler';
  /** HTTP/2 error code (RFC 9113 section 7); for a handler, the gRPC status. */
  readonly code: number;
  readonly reason: string;
  /** What the handler threw, or the socket's error. */
  readonly cause?: unknown;
}
