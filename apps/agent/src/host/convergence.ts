import type { fleet } from '@flotilla/proto';

/** A request for a desired state. Two requests for the same state are different objects. */
interface Request {
  readonly service: fleet.DesiredService;
}

export interface ConvergenceOptions<Status> {
  readonly initial: Status;
  /** Fields that only a pass for the newest request may change. */
  readonly settling: ReadonlyArray<keyof Status>;
  /** Called when the reported status has changed. */
  readonly onStatus: () => void;
}

/**
 * The desired state of one program of a service, and the progress towards it.
 *
 * A request makes it *unsettled*, even if it only asks for a restart. It is *settled* when a pass that began with this request
 * reports so. A pass for an earlier request may report its results, but not the fields in `settling`.
 */
export class Convergence<Status extends { readonly settled: bigint }> {
  readonly #options: ConvergenceOptions<Status>;
  #status: Status;
  #wanted: Request | undefined;
  /** The request with which the newest pass began. */
  #seen: Request | undefined;

  constructor(options: ConvergenceOptions<Status>) {
    this.#options = options;
    this.#status = options.initial;
  }

  get status(): Status {
    return this.#status;
  }

  get wanted(): fleet.DesiredService | undefined {
    return this.#wanted?.service;
  }

  /** Returns false if this is already the desired state. */
  want(service: fleet.DesiredService): boolean {
    const previous = this.#wanted?.service;
    if (previous?.generation === service.generation && previous.runState === service.runState) return false;
    this.#request({ service });
    return true;
  }

  /** Requests the same state again. Waiters then wait for a pass that begins after this call. */
  wantAgain(): void {
    this.#request(this.#wanted && { ...this.#wanted });
  }

  /** Begins a pass. Returns the desired service, or undefined before the first request. */
  begin(): fleet.DesiredService | undefined {
    this.#seen = this.#wanted;
    return this.#seen?.service;
  }

  report(change: Partial<Status>): void {
    const next = { ...this.#status, ...change };
    if (this.#seen !== this.#wanted) {
      for (const field of this.#options.settling) next[field] = this.#status[field];
    }
    const isSame = (Object.keys(next) as Array<keyof Status>).every((field) => next[field] === this.#status[field]);
    this.#status = next;
    if (!isSame) this.#options.onStatus();
  }

  #request(wanted: Request | undefined): void {
    this.#wanted = wanted;
    const generation = wanted?.service.generation ?? 0n;
    if (this.#status.settled >= generation) this.#status = { ...this.#status, settled: generation - 1n };
  }
}
