import type { ConnectionLink } from './connection-link.ts';
import type { WireCounters } from './counters.ts';
import type { HeaderJudge } from './header-blocks.ts';
import type { WireLimits } from './limits.ts';
import type { RequestVerdict } from './request-verdict.ts';
import type { Http2Stream } from './stream.ts';
import type { StreamPort } from './stream-port.ts';
import type { WireError } from './wire-error.ts';

export interface ConnectionOptions {
  readonly limits: WireLimits;
  readonly counters: WireCounters;
  readonly judge: HeaderJudge;
  readonly link: ConnectionLink;
  /** Creates the stream of a request with well-formed headers; `begin` is called next. */
  openStream(connection: StreamPort<Http2Stream>, id: number, verdict: RequestVerdict): Http2Stream;
  onError(error: WireError): void;
}
