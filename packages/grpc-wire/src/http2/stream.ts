import type { Connection } from './connection.ts';
import type { Sending } from './sender.ts';

/**
 * One stream of a connection, with what the protocol above it hears. States (RFC 9113 section 5.1), all in the connection's
 * table: open; half-closed (remote) once the peer ended its side; half-closed (local) once our last frame is written; out of
 * the table when both sides ended, when either reset it, or with the connection. `onReset` is the last call then.
 */
export abstract class Http2Stream implements Sending {
  readonly connection: Connection;
  readonly id: number;
  sendWindow: number;
  queue: Buffer[] | undefined = undefined;
  queueOffset = 0;
  queuedBytes = 0;
  ending: Buffer | undefined = undefined;
  stalledSinceMs = 0;
  receiveWindow: number;
  /** Bytes of DATA that were declared and have not come, or -1. */
  contentLeft: number;
  isRemoteEnded = false;
  isLocalEnded = false;
  /** Out of the table: nothing more may be written. */
  isGone = false;
  /** When our side ended, by the server's ticks. */
  endedAtMs = 0;

  constructor(connection: Connection, id: number, contentLength: number) {
    this.connection = connection;
    this.id = id;
    this.sendWindow = connection.peerStreamWindow;
    this.receiveWindow = connection.limits.streamWindowBytes;
    this.contentLeft = contentLength;
  }

  onLocalEnd(): void {
    this.connection.onLocalEnd(this);
  }

  /** Called once, when the stream is in the table. */
  abstract begin(): void;
  /** Whether anything has been answered: such a stream may be reset by the peer as often as it likes. */
  abstract readonly isAnswered: boolean;
  /** Whether more of the peer's bytes are of use. */
  abstract readonly isListening: boolean;
  /** Some DATA: `bytes[start..end)`, valid during the call. */
  abstract onData(bytes: Buffer, start: number, end: number): void;
  /** The peer's side ended, behind all its DATA. */
  abstract onRemoteEnd(): void;
  /** The stream is gone before both sides ended. `isByPeer`: by RST_STREAM of the peer, and not with its connection or by us. */
  abstract onReset(isByPeer: boolean): void;
}
