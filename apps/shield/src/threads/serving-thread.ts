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

/** Domains made between two requests: small ones, which take a few hundred microseconds together. */
const DOMAINS_PER_TURN = 8;

/** What every thread does, the first one too: answers exchanges by the bundle that holds in it. */
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

  /** The bundle of requests that begin now. */
  get runtime(): PolicyRuntime {
    if (this.#runtime === undefined) throw new Error('no bundle holds yet');
    return this.#runtime;
  }

  /** What holds, before there is any. */
  get runtimeIfAny(): PolicyRuntime | undefined {
    return this.#runtime;
  }

  hold(runtime: PolicyRuntime): void {
    this.#runtime = runtime;
    setImmediate(() => this.#makeSome(runtime));
  }

  /** Rejects, with the address in the message, when it cannot be had. */
  async listen(): Promise<void> {
    await warmUp();
    await this.#transport.listen(this.#options.listen);
  }

  close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    return this.#transport.close(graceMs);
  }

  /** Makes the domains that are in use ready for their next requests, which come in between. */
  #makeSome(runtime: PolicyRuntime): void {
    for (let n = 0; n < DOMAINS_PER_TURN; n++) {
      if (runtime !== this.#runtime || this.#isClosed || !runtime.makeAwaited()) return;
    }
    setImmediate(() => this.#makeSome(runtime));
  }
}
