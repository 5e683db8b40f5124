/** Thrown during a build whose documents exceed the limit. */
export class AllowanceExceeded extends Error {
  constructor() {
    super('the documents hold more than may be built here');
  }
}

/** Limits the characters of documents that one build may process. */
export class BuildAllowance {
  #left: number;

  constructor(chars: number) {
    this.#left = chars;
  }

  /** Call before the content of a document is processed, each time it is inserted. Throws `AllowanceExceeded`. */
  spend(chars: number): void {
    this.#left -= chars;
    if (this.#left < 0) throw new AllowanceExceeded();
  }
}
