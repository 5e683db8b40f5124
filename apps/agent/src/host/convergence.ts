import type { fleet } from '@flotilla/proto';

/** One time that something was wanted. */
interface Wish {
  readonly service: fleet.DesiredService;
}

export interface ConvergenceOptions<Status> {
  readonly initial: Status;
  /** Fields that only a pass that began with the newest wish may change. */
  readonly settling: ReadonlyArray<keyof Status>;
  /** A status that differs from the one before was told. */
  readonly onStatus: () => void;
}

/**
 * What is wanted of one program of a service, and how far it has come.
 *
 * *Unsettled* from a wish on, also from one that only asks for a restart. *Settled* once a pass that began with this
 * very wish tells so. A pass that began with an earlier one may still tell what it finds, but settles nothing.
 */
export class Convergence<Status extends { readonly settled: bigint }> {
  readonly #options: ConvergenceOptions<Status>;
  #status: Status;
  #wanted: Wish | undefined;
  /** What the newest pass began with. */
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

  /** False when this is wanted already. */
  want(service: fleet.DesiredService): boolean {
    const before = this.#wanted?.service;
    if (before?.generation === service.generation && before.runState === service.runState) return false;
    this.#wish({ service });
    return true;
  }

  /** The same is wanted again: whoever waits for it waits for a pass that begins from now on. */
  wantAgain(): void {
    this.#wish(this.#wanted && { ...this.#wanted });
  }

  /** A pass begins: with what, if anything is wanted. */
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
