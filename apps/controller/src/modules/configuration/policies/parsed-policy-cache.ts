import { LRUCache } from 'lru-cache';

const POLICIES_MAX = 500;
const CHARS_MAX = 64 * 1024 * 1024;

interface Entry<T> {
  readonly value: T;
  readonly chars: number;
}

/** Caches what is derived from stored policies by content, so that showing a policy does not parse it again. */
export class ParsedPolicyCache<T> {
  readonly #entries = new LRUCache<string, Entry<T>>({
    max: POLICIES_MAX,
    maxSize: CHARS_MAX,
    sizeCalculation: ({ chars }) => Math.max(chars, 1),
  });

  /** Rejects with the error of `derive`; the next call tries again. */
  async of(
    { name, digest, text }: { readonly name: string; readonly digest: string; readonly text: string },
    derive: () => Promise<T>,
  ): Promise<T> {
    const key = `${digest} ${name}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known.value;
    const value = await derive();
    this.#entries.set(key, { value, chars: text.length });
    return value;
  }
}
