import type { WireCounters } from './counters.ts';
import type { WireLimits } from './limits.ts';
import type { PartialBytes } from './partial-bytes.ts';
import type { Sender, Sending } from './sender.ts';

/** The parts of the connection that a stream of type `S`, and the call above it, may use. */
export interface StreamPort<S extends Sending> {
  readonly limits: WireLimits;
  readonly counters: WireCounters;
  readonly sender: Sender<S>;
  readonly partialBytes: PartialBytes;
  /** SETTINGS_INITIAL_WINDOW_SIZE of the peer. */
  readonly peerStreamWindow: number;
  onLocalEnd(stream: S): void;
  /** Sends our RST_STREAM. Other streams continue. */
  reset(stream: S, code: number): void;
  /** Reports that a handler threw. Its call ends; other calls continue. */
  handlerError(code: number, cause: unknown): void;
}
