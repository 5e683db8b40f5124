import type { fleet } from '@flotilla/proto';
import { untilAborted } from './serial-loop.ts';

interface Waiter {
  readonly serviceId: string;
  readonly generation: bigint;
  readonly resolve: (report: fleet.NodeReport) => void;
}

/** Waits until services settle. `look` returns the report once the service has reached the generation, has failed or is gone. */
export class Settlement {
  readonly #waiters = new Set<Waiter>();
  readonly #look: (serviceId: string, generation: bigint) => fleet.NodeReport | undefined;

  constructor(look: (serviceId: string, generation: bigint) => fleet.NodeReport | undefined) {
    this.#look = look;
  }

  async wait(serviceId: string, generation: bigint, signal: AbortSignal | undefined): Promise<fleet.NodeReport> {
    const { promise, resolve } = Promise.withResolvers<fleet.NodeReport>();
    const waiter: Waiter = { serviceId, generation, resolve };
    this.#waiters.add(waiter);
    this.check();
    try {
      const report = signal ? await untilAborted(promise, signal) : await promise;
      if (!report) throw signal?.reason ?? new Error('aborted');
      return report;
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** Resolves the waiters whose service has settled. Call this after every change. */
  check(): void {
    for (const { serviceId, generation, resolve } of this.#waiters) {
      const report = this.#look(serviceId, generation);
      if (report) resolve(report);
    }
  }
}
