export type AfterCommitWork = () => void | Promise<void>;

/** Collects the work to do after a write is committed. */
export class AfterCommit {
  #works: AfterCommitWork[] = [];
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(work: AfterCommitWork): void {
    this.#works.push(work);
  }

  /** Drops the work of an attempt that is rolled back. */
  forget(): void {
    this.#works = [];
  }

  /**
   * Runs in the order of `add`. The write is already committed, so failures are reported to `onFailure` and do not stop
   * the rest.
   */
  async run(): Promise<void> {
    const works = this.#works;
    this.#works = [];
    for (const work of works) {
      try {
        await work();
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }
}
