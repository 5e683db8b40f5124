import type { extProc } from '@flotilla/proto';
import type { ListenAddress } from './listen-address.ts';

export interface ExtProcAnswer {
  /** An encoded ProcessingResponse. */
  readonly bytes: Uint8Array;
  /** Nothing more of this request is asked for: the exchange ends well right behind the answer. */
  readonly isLast: boolean;
}

/**
 * One transaction of Envoy: a request and what follows of it. `answer` is called once per message, in order, until an
 * answer is the last. A throw ends the exchange with an error, which Envoy (failure mode closed) turns into an error of the
 * request. Exchanges are ended early because an open one is a tie: Envoy breaks off every request whose exchange is open
 * when the filter dies.
 */
export interface ExtProcExchange {
  answer(message: extProc.ProcessingRequest): ExtProcAnswer;
}

/** Carries exchanges between Envoy and the filter. */
export interface ExtProcTransport {
  /** Resolves when requests can arrive; rejects when the address cannot be had. */
  listen(address: ListenAddress): Promise<void>;
  /** Takes no new exchange, lets the running ones end for at most `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

export type OpenExchange = () => ExtProcExchange;
