/** Listeners in the order in which they were added. */
export class Listeners<Told, Answer = void> {
  readonly #listeners = new Set<(told: Told) => Answer>();

  /** Returns a function that removes the listener. */
  add(listener: (told: Told) => Answer): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(told: Told): void {
    for (const listener of this.#listeners) listener(told);
  }

  /** Notifies one after the other; stops at the first rejection. */
  async tellInTurn(told: Told): Promise<void> {
    for (const listener of this.#listeners) await listener(told);
  }
}
