/** `close()` may be called more than once and resolves when everything is released. */
export interface Closable {
  close(): Promise<void>;
}

/** Closes in the reverse order of `add`. A failing close does not keep the others open. */
export class Lifecycle implements Closable {
  readonly #closers: Array<() => Promise<void> | void> = [];
  #closing: Promise<void> | undefined;

  add(closer: () => Promise<void> | void): void {
    this.#closers.push(closer);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const closer of this.#closers.reverse()) {
      try {
        await closer();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'closing failed');
  }
}
