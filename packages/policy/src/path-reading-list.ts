/**
 * Maximum characters of all readings together. A path of 300 characters that is odd in every way fits; one of 60 KiB
 * would have thousands of readings, each as long as itself.
 */
const CHARS_MAX = 1024 * 1024;

/** Unique readings of one path, up to a limit. */
export class ReadingList {
  readonly #texts: Set<string>;
  #room = CHARS_MAX;

  constructor(first: string) {
    this.#texts = new Set([first]);
  }

  /** A known text uses up room as well, because creating it took work. */
  add(text: string): void {
    this.#room -= text.length;
    if (!this.isFull) this.#texts.add(text);
  }

  /** A reading did not fit. */
  get isFull(): boolean {
    return this.#room < 0;
  }

  get texts(): string[] {
    return [...this.#texts];
  }
}
