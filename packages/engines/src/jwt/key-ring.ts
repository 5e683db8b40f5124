import type { JwtAlgorithm, JwtKey, JwtOptions } from '@flotilla/policy';
import { createVerifier, type VerifySignature } from './signature.ts';
import type { JsonObject } from './token.ts';

/** Issuers write few headers: one per key. */
const HEADERS_MAX = 64;

/** A key bound to one algorithm. It is parsed when a token first asks for it: bundles with thousands of keys load at once. */
class RingKey {
  readonly kid: string | null;
  readonly #algorithm: JwtAlgorithm;
  readonly #key: JwtKey;
  #verify: VerifySignature | undefined;

  constructor(algorithm: JwtAlgorithm, key: JwtKey) {
    this.kid = key.kid;
    this.#algorithm = algorithm;
    this.#key = key;
  }

  get verify(): VerifySignature {
    this.#verify ??= createVerifier(this.#algorithm, this.#key);
    return this.#verify;
  }
}

/** The keys of a block by the algorithm that each is bound to. */
export class KeyRing {
  readonly #byAlgorithm = new Map<string, RingKey[]>();
  /** Headers of tokens whose signature was good, which say nothing new. */
  readonly #byHeader = new Map<string, VerifySignature>();
  /** The one that was recalled last: comparing costs less than a look-up, which hashes the text. */
  #lastHeader = '';
  #lastVerify: VerifySignature | undefined;
  readonly #areNamed: boolean;

  constructor({ keys, keysAreNamed }: Pick<JwtOptions, 'keys' | 'keysAreNamed'>) {
    this.#areNamed = keysAreNamed;
    for (const key of keys) {
      for (const algorithm of key.algorithms) {
        const ring = this.#byAlgorithm.get(algorithm) ?? [];
        ring.push(new RingKey(algorithm, key));
        this.#byAlgorithm.set(algorithm, ring);
      }
    }
  }

  /** What verified a token with this header (base64url) before. */
  recall(encodedHeader: string): VerifySignature | undefined {
    if (encodedHeader !== this.#lastHeader || this.#lastVerify === undefined) {
      this.#lastVerify = this.#byHeader.get(encodedHeader);
      this.#lastHeader = this.#lastVerify === undefined ? '' : copyAscii(encodedHeader);
    }
    return this.#lastVerify;
  }

  /** To be called for headers that came with a good signature alone: others could crowd them out. */
  remember(encodedHeader: string, verify: VerifySignature): void {
    if (this.#byHeader.size >= HEADERS_MAX) this.#byHeader.clear();
    this.#byHeader.set(copyAscii(encodedHeader), verify);
  }

  /**
   * What verifies a token with these header members. Undefined where there are none, where they ask for an algorithm that is not listed, or
   * leave open which key they mean: `kid` names a key of a set, and may be missing only where one key alone fits. Keys
   * that the header itself brings or points to (`jwk`, `jku`, `x5c`, `x5u`) are not looked at.
   */
  select(header: JsonObject | undefined): VerifySignature | undefined {
    if (header === undefined) return undefined;
    const { alg, kid, crit, b64, typ } = header;
    // RFC 7515 section 4.1.11: no extension is understood here, so none can be critical.
    if (crit !== undefined || (b64 !== undefined && b64 !== true)) return undefined;
    if (typ !== undefined && typeof typ !== 'string') return undefined;
    if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined;
    const ring = this.#byAlgorithm.get(alg);
    if (ring === undefined) return undefined;
    if (this.#areNamed && kid !== undefined) return ring.find((key) => key.kid === kid)?.verify;
    return ring.length === 1 ? ring[0]?.verify : undefined;
  }
}

/** A text of its own: a slice would keep the token alive that it was cut from. */
function copyAscii(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
