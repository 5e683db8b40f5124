export type AfterCommitWork = () => void | Promise<void>;

/** What a write wants done once it is committed. */
export class AfterCommit {
  #works: AfterCommitWork[] = [];
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(work: AfterCommitWork): void {
    this.#works.push(work);
  }

  /** What was wanted in an attempt that is rolled back. */
  forget(): void {
    this.#works = [];
  }

  /** In the order of `add`. The write has happened, so a failure is told to `onFailure` and keeps nothing else from being done. */
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
