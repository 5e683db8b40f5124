import type { WireLimitName } from './counters.ts';

/** The wire's verdict on a request's header block. Requests with the same block share the object. */
export interface RequestVerdict {
  /** `refuse`: reply with `answer`. `malformed`: a stream error (RFC 9113 section 8.1.1). */
  readonly kind: 'call' | 'refuse' | 'malformed';
  /** A HEADERS frame that ends the stream, with stream id 0. */
  readonly answer: Buffer | undefined;
  /** Declared length of DATA in bytes, or -1. */
  readonly contentLength: number;
  /** Whether the request names an encoding for compressed messages (`grpc-encoding`). */
  readonly isEncoded: boolean;
  readonly reason: string;
  /** The limit that the request exceeded. */
  readonly limit: WireLimitName | undefined;
}
