/**
 * Characters of all readings together. A path of 300 characters that is odd in every way there is stays below; one of 60 KiB would
 * have thousands of readings, each as long as it is.
 */
const CHARS_MAX = 1024 * 1024;

/** Readings of one path, none twice, until they are too many to be looked at. */
export class ReadingList {
  readonly #texts: Set<string>;
  #room = CHARS_MAX;

  constructor(first: string) {
    this.#texts = new Set([first]);
  }

  /** A text that is known costs room, too: it was made. */
  add(text: string): void {
    this.#room -= text.length;
    if (!this.isFull) this.#texts.add(text);
  }

  /** Some reading had no room. */
  get isFull(): boolean {
    return this.#room < 0;
  }

  get texts(): string[] {
    return [...this.#texts];
  }
}
