import type { extProc } from '@flotilla/proto';
import type { ListenAddress } from './listen-address.ts';

/**
 * One transaction of Envoy: a request and what follows of it. `answer` is called once per message, in order, and returns
 * an encoded ProcessingResponse. A throw ends the exchange with an error, which Envoy (failure mode closed) turns into
 * an error of the request.
 */
export interface ExtProcExchange {
  answer(message: extProc.ProcessingRequest): Uint8Array;
}

/** Carries exchanges between Envoy and the filter. */
export interface ExtProcTransport {
  /** Resolves when requests can arrive; rejects when the address cannot be had. */
  listen(address: ListenAddress): Promise<void>;
  /** Takes no new exchange, lets the running ones end for at most `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

export type OpenExchange = () => ExtProcExchange;
