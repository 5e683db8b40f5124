import type { Connection } from './connection.ts';
import type { WireCounters } from './counters.ts';
import type { HeaderJudge } from './header-blocks.ts';
import type { WireLimits } from './limits.ts';
import type { ByteSink } from './output.ts';
import type { RequestVerdict } from './request-verdict.ts';
import type { Http2Stream } from './stream.ts';
import type { WireError } from './wire-error.ts';

/** The connection's way to the socket. */
export interface ConnectionLink extends ByteSink {
  /** Bytes given to the socket that the peer has not taken. */
  readonly unreadBytes: number;
  /** Grows whenever the socket has taken a write. */
  readonly progress: number;
  setReading(isReading: boolean): void;
  /** Ends our side behind what was written; the socket is cut if the peer does not follow soon. */
  end(): void;
  destroy(): void;
}

export interface ConnectionOptions {
  readonly limits: WireLimits;
  readonly counters: WireCounters;
  readonly judge: HeaderJudge;
  readonly link: ConnectionLink;
  /** Makes a stream of a request whose headers are well formed; `begin` follows. */
  openStream(connection: Connection, id: number, verdict: RequestVerdict): Http2Stream;
  onError(error: WireError): void;
}
