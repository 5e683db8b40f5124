import type { WireLimitName } from './counters.ts';

/** What a request's header block says, as far as the wire is concerned. The same object for every request with the same block. */
export interface RequestVerdict {
  /** `refuse`: answer with `answer`. `malformed`: a stream error (RFC 9113 section 8.1.1). */
  readonly kind: 'call' | 'refuse' | 'malformed';
  /** A HEADERS frame that ends the stream, its id still 0. */
  readonly answer: Buffer | undefined;
  /** Declared bytes of DATA, or -1. */
  readonly contentLength: number;
  /** Whether messages may be compressed by the request's own word (`grpc-encoding`). */
  readonly isEncoded: boolean;
  readonly reason: string;
  /** The limit that the request met. */
  readonly limit: WireLimitName | undefined;
}
