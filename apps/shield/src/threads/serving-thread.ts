import type { PolicyRuntime } from '@flotilla/decision';
import { ExchangeServer } from '../exchange/exchange.ts';
import { createExchangeTransport, type ExchangeTransport } from '../exchange/exchange-transport.ts';
import type { ListenAddress } from '../listen-address.ts';
import { warmUp } from '../warm-up/warm-up.ts';
import type { TrafficRecorder } from './traffic-recorder.ts';

export interface ServingThreadOptions {
  readonly listen: ListenAddress;
  readonly trustedHops: number;
  readonly traffic: TrafficRecorder;
}

/** How long domains are created before requests run; the last one may take a third of a millisecond more. */
const TURN_MS = 0.5;

/** The work of every thread, including the first: handles exchanges by its current bundle. */
export class ServingThread {
  readonly #options: ServingThreadOptions;
  readonly #transport: ExchangeTransport;
  #runtime: PolicyRuntime | undefined;
  #isClosed = false;

  constructor(options: ServingThreadOptions) {
    this.#options = options;
    const { trustedHops, traffic } = options;
    const exchanges = new ExchangeServer({
      trustedHops,
      listener: traffic,
      timing: traffic.timing,
      currentRuntime: () => this.runtime,
    });
    this.#transport = createExchangeTransport(exchanges, (error) => traffic.onExchangeError(error));
  }

  /** The bundle for requests that begin now. */
  get runtime(): PolicyRuntime {
    if (this.#runtime === undefined) throw new Error('no bundle holds yet');
    return this.#runtime;
  }

  /** The current runtime; undefined before the first one. */
  get runtimeIfAny(): PolicyRuntime | undefined {
    return this.#runtime;
  }

  hold(runtime: PolicyRuntime): void {
    this.#runtime = runtime;
    setImmediate(() => this.#makeSome(runtime));
  }

  /** Rejects with the address in the message if it is unavailable. */
  async listen(): Promise<void> {
    await warmUp();
    await this.#transport.listen(this.#options.listen);
  }

  close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    return this.#transport.close(graceMs);
  }

  /** Prepares domains in use for their next requests, which run in between. */
  #makeSome(runtime: PolicyRuntime): void {
    const began = performance.now();
    do {
      if (runtime !== this.#runtime || this.#isClosed || !this.#makeOne(runtime)) return;
    } while (performance.now() - began < TURN_MS);
    setImmediate(() => this.#makeSome(runtime));
  }

  #makeOne(runtime: PolicyRuntime): boolean {
    try {
      return runtime.makeAwaited();
    } catch (error) {
      // Its requests try again, and get the error themselves.
      this.#options.traffic.onUnbuiltDomain(error);
      return true;
    }
  }
}
