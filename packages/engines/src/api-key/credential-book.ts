import { digestApiKey } from '@flotilla/policy';

/**
 * Configured keys by their SHA-256 digests. Caches presented keys that were found, because hashing costs more than the
 * rest of a decision; there are no more of them than configured keys. Also caches the last unknown key: a client with
 * an outdated key repeats it, an attacker who guesses does not.
 */
export class CredentialBook<C> {
  readonly #byDigest: ReadonlyMap<string, C>;
  readonly #presented = new Map<string, C>();
  #stranger: string | undefined;

  constructor(byDigest: ReadonlyMap<string, C>) {
    this.#byDigest = byDigest;
  }

  find(key: string): C | undefined {
    const remembered = this.#presented.get(key);
    if (remembered !== undefined || key === this.#stranger) return remembered;
    const found = this.#byDigest.get(digestApiKey(key));
    if (found === undefined) this.#stranger = key;
    else this.#presented.set(key, found);
    return found;
  }
}
