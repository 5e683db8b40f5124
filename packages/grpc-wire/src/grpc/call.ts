import type { PreparedMessage } from './prepared-message.ts';

/**
 * The service's side of one call, created when its headers have arrived. Methods are called in wire order and never
 * re-entrantly. A throw ends only this call, with status 13 (INTERNAL).
 */
export interface CallHandler {
  /** One complete gRPC message: `bytes[start..end)`. The bytes are reused after the return. */
  onMessage(bytes: Buffer, start: number, end: number): void;
  /** The peer ended its side, and all its messages were delivered. Not called once the call is finished. */
  onHalfClose(): void;
  /**
   * The call ended before it was finished: the peer reset the stream, the connection was lost, or the wire rejected
   * something the peer sent. This is the last call; it does not come after a throw. `isByPeer`: the peer reset this
   * stream.
   */
  onAbort(isByPeer: boolean): void;
}

/** The wire's side of one call. After `finish`, `fail` or `onAbort` every method does nothing. */
export interface Call {
  /**
   * Sends the message, preceded by the response headers if they have not been sent. Waits in a bounded queue for the
   * peer's windows.
   */
  send(message: PreparedMessage): void;
  /** Sends the last message, if any, and status 0 in one write. Later messages from the peer are dropped. */
  finish(message: PreparedMessage | undefined): void;
  /** Ends the call with a gRPC status other than 0, after the messages that were sent before. */
  fail(status: number): void;
}

export type OpenCall = (call: Call) => CallHandler;
