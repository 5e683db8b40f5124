import type { Sending } from './sender.ts';
import type { StreamPort } from './stream-port.ts';

/**
 * One stream of a connection, with the events for the protocol above it. States (RFC 9113 section 5.1), all in the
 * connection's table: open; half-closed (remote) once the peer ended its side; half-closed (local) once our last frame
 * is written. The stream leaves the table when both sides ended, when either side reset it, or with the connection.
 * `onReset` is then the last call.
 */
export abstract class Http2Stream implements Sending {
  readonly connection: StreamPort<Http2Stream>;
  readonly id: number;
  sendWindow: number;
  queue: Buffer[] | undefined = undefined;
  queueOffset = 0;
  queuedBytes = 0;
  ending: Buffer | undefined = undefined;
  stalledSinceMs = 0;
  receiveWindow: number;
  /** Declared bytes of DATA that have not arrived, or -1. */
  contentLeft: number;
  isRemoteEnded = false;
  isLocalEnded = false;
  /** The stream left the table: nothing more may be written. */
  isGone = false;
  /** When our side ended, in server ticks. */
  endedAtMs = 0;

  constructor(connection: StreamPort<Http2Stream>, id: number, contentLength: number) {
    this.connection = connection;
    this.id = id;
    this.sendWindow = connection.peerStreamWindow;
    this.receiveWindow = connection.limits.streamWindowBytes;
    this.contentLeft = contentLength;
  }

  onLocalEnd(): void {
    this.connection.onLocalEnd(this);
  }

  /** Called once, after the stream was added to the table. */
  abstract begin(): void;
  /** Whether any response was sent. The peer may reset such streams as often as it likes. */
  abstract readonly isAnswered: boolean;
  /** Whether further bytes from the peer are needed. */
  abstract readonly isListening: boolean;
  /** Some DATA: `bytes[start..end)`, valid during the call. */
  abstract onData(bytes: Buffer, start: number, end: number): void;
  /** The peer's side ended, after all its DATA. */
  abstract onRemoteEnd(): void;
  /**
   * The stream ended before both sides did. `isByPeer`: through the peer's RST_STREAM, not by us or with the
   * connection.
   */
  abstract onReset(isByPeer: boolean): void;
}
