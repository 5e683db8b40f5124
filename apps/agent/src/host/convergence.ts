import type { fleet } from '@flotilla/proto';

/** A request for a desired state. */
interface Wish {
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
 * *Unsettled* after a request, including one that only asks for a restart. *Settled* once a pass that began with this
 * request reports it. A pass for an earlier request may report what it finds, but settles nothing.
 */
export class Convergence<Status extends { readonly settled: bigint }> {
  readonly #options: ConvergenceOptions<Status>;
  #status: Status;
  #wanted: Wish | undefined;
  /** The request that the newest pass began with. */
  #seen: Wish | undefined;

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

  /** False if this is already the desired state. */
  want(service: fleet.DesiredService): boolean {
    const before = this.#wanted?.service;
    if (before?.generation === service.generation && before.runState === service.runState) return false;
    this.#wish({ service });
    return true;
  }

  /** Requests the same state again: waiters wait for a pass that begins from now on. */
  wantAgain(): void {
    this.#wish(this.#wanted && { ...this.#wanted });
  }

  /** Begins a pass; returns the desired service, if any. */
  begin(): fleet.DesiredService | undefined {
    this.#seen = this.#wanted;
    return this.#seen?.service;
  }

  tell(change: Partial<Status>): void {
    const next = { ...this.#status, ...change };
    if (this.#seen !== this.#wanted) {
      for (const field of this.#options.settling) next[field] = this.#status[field];
    }
    const isSame = (Object.keys(next) as Array<keyof Status>).every((field) => next[field] === this.#status[field]);
    this.#status = next;
    if (!isSame) this.#options.onStatus();
  }

  #wish(wanted: Wish | undefined): void {
    this.#wanted = wanted;
    const generation = wanted?.service.generation ?? 0n;
    if (this.#status.settled >= generation) this.#status = { ...this.#status, settled: generation - 1n };
  }
}
