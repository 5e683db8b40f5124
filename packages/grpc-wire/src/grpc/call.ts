import type { PreparedMessage } from './prepared-message.ts';

/**
 * The service's side of one call, made when its headers have arrived. Methods are called in the order of the wire, never
 * for one call inside another. A throw ends this call alone, with status 13 (INTERNAL).
 */
export interface CallHandler {
  /** One whole gRPC message: `bytes[start..end)`. The bytes are another message's after the return. */
  onMessage(bytes: Buffer, start: number, end: number): void;
  /** The peer ended its side and every message of it was delivered. Not called once the call is finished. */
  onHalfClose(): void;
  /**
   * The call ended before it was finished: the peer reset the stream, the connection was lost, or the wire ended it for what
   * the peer sent. Nothing is called after it; it is not called after a throw. `isByPeer`: the peer reset this very stream.
   */
  onAbort(isByPeer: boolean): void;
}

/** The wire's side of one call. After `finish`, `fail` or `onAbort` every method does nothing. */
export interface Call {
  /** Response headers, if they have not left yet, and the message. Waits in a bounded queue for the peer's windows. */
  send(message: PreparedMessage): void;
  /** The last message, if any, and status 0. Leaves in one write; later messages of the peer are dropped. */
  finish(message: PreparedMessage | undefined): void;
  /** Ends the call with a gRPC status other than 0. Messages that were sent before leave first. */
  fail(status: number): void;
}

export type OpenCall = (call: Call) => CallHandler;
