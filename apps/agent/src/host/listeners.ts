/** Calls listeners in the order in which they were added. */
export class Listeners<Event, Answer = void> {
  readonly #listeners = new Set<(event: Event) => Answer>();

  /** Returns a function that removes the listener. */
  add(listener: (event: Event) => Answer): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(event: Event): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Notifies one listener after the other. Stops at the first rejection. */
  async notifyInTurn(event: Event): Promise<void> {
    for (const listener of this.#listeners) await listener(event);
  }
}
