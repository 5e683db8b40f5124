/** Those who want to hear of something, in the order in which they came. */
export class Listeners<Told, Answer = void> {
  readonly #listeners = new Set<(told: Told) => Answer>();

  /** Returns what ends it. */
  add(listener: (told: Told) => Answer): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(told: Told): void {
    for (const listener of this.#listeners) listener(told);
  }

  /** One after the other; the first that rejects ends it. */
  async tellInTurn(told: Told): Promise<void> {
    for (const listener of this.#listeners) await listener(told);
  }
}
