/** Far more policies than are looked at within a while, and far more text than most of them have. */
const KEPT_MAX = 500;
const KEPT_MAX_CHARS = 64 * 1024 * 1024;

interface Known<T> {
  readonly reading: T;
  readonly chars: number;
}

/** What was read of stored policies, once for each content: to look at a policy should not mean to parse it. */
export class KnownReadings<T> {
  /** By name and digest, the longest unused first. */
  readonly #known = new Map<string, Known<T>>();
  #chars = 0;

  /** Rejects with what `read` rejects with; the next one asks it again. */
  async of(
    { name, digest, text }: { readonly name: string; readonly digest: string; readonly text: string },
    read: () => Promise<T>,
  ): Promise<T> {
    const key = `${digest} ${name}`;
    const known = this.#known.get(key) ?? { reading: await read(), chars: text.length };
    this.#forget(key);
    this.#known.set(key, known);
    this.#chars += known.chars;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT_MAX && this.#chars <= KEPT_MAX_CHARS) break;
      this.#forget(oldest);
    }
    return known.reading;
  }

  #forget(key: string): void {
    this.#chars -= this.#known.get(key)?.chars ?? 0;
    this.#known.delete(key);
  }
}
