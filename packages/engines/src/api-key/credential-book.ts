import { digestApiKey } from '@flotilla/policy';

/**
 * What configured keys mean, by their SHA-256 digests. A key that was presented and found is remembered as it is: hashing
 * costs more than the rest of a decision. There are no more of them than configured keys. So is the last one that was not
 * found: a client with an outdated key repeats it, and one that guesses does not.
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
