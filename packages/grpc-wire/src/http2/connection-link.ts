import type { ByteSink } from './output.ts';

/** The socket as a connection uses it. */
export interface ConnectionLink extends ByteSink {
  /** Bytes written to the socket that the peer has not taken. */
  readonly unreadBytes: number;
  /** Grows each time the socket has taken a write. */
  readonly progress: number;
  setReading(isReading: boolean): void;
  /** Ends our side after pending writes; cuts the socket if the peer does not follow soon. */
  end(): void;
  destroy(): void;
}
