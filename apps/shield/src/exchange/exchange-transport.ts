import { createGrpcServer, type WireCounters, type WireError } from '@flotilla/grpc-wire';
import { toErrorMessage } from '@flotilla/kit';
import { formatAddress, type ListenAddress, removeDeadSocket, restrictSocket } from '../listen-address.ts';
import { arrivalClock } from './arrival-clock.ts';
import type { ExchangeServer } from './exchange.ts';

export const PROCESS_PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';

/** Transports exchanges between Envoy and the filter. */
export interface ExchangeTransport {
  /** Resolves when it accepts requests; rejects with the address in the message if it is unavailable. */
  listen(address: ListenAddress): Promise<void>;
  /** Accepts no new exchange, lets running ones finish for at most `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
  readonly counters: Readonly<WireCounters>;
}

/** `onError` gets exchanges that ended by a throw, and protocol errors of peers. */
export function createExchangeTransport(
  exchanges: ExchangeServer,
  onError: (error: WireError) => void,
): ExchangeTransport {
  const server = createGrpcServer({
    path: PROCESS_PATH,
    open: (call) => exchanges.open(call),
    onError,
    onReadBegin: () => arrivalClock.begin(),
    onReadEnd: () => arrivalClock.end(),
  });
  return {
    async listen(address) {
      if (address.kind === 'unix') await removeDeadSocket(address.path);
      try {
        await server.listen(address);
      } catch (error) {
        const message = toErrorMessage(error);
        throw new Error(`cannot listen on ${formatAddress(address)}: ${message}`, { cause: error });
      }
      if (address.kind === 'unix') await restrictSocket(address.path);
    },
    close: (graceMs) => server.close(graceMs),
    counters: server.counters,
  };
}
