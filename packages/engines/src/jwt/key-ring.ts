import type { JwtAlgorithm, JwtKey, JwtOptions } from '@flotilla/policy';
import { createVerifier, type VerifySignature } from './signature.ts';
import type { JsonObject } from './token.ts';

/** Issuers use few different headers: one per key. */
const HEADERS_MAX = 64;

/**
 * A key bound to one algorithm. It is parsed when a token first needs it, so that bundles with thousands of keys load
 * quickly.
 */
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

/** The keys of a block, by the algorithm that each is bound to. */
export class KeyRing {
  readonly #byAlgorithm = new Map<string, RingKey[]>();
  /** Headers of tokens with a valid signature, which need not be parsed again. */
  readonly #byHeader = new Map<string, VerifySignature>();
  /** The last recalled header: comparing costs less than a lookup, which hashes the text. */
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

  /** The verifier for a token header (base64url) seen before. */
  recall(encodedHeader: string): VerifySignature | undefined {
    if (encodedHeader !== this.#lastHeader || this.#lastVerify === undefined) {
      this.#lastVerify = this.#byHeader.get(encodedHeader);
      this.#lastHeader = this.#lastVerify === undefined ? '' : copyAscii(encodedHeader);
    }
    return this.#lastVerify;
  }

  /** Call only after a valid signature, otherwise attackers could evict the good headers. */
  remember(encodedHeader: string, verify: VerifySignature): void {
    if (this.#byHeader.size >= HEADERS_MAX) this.#byHeader.clear();
    this.#byHeader.set(copyAscii(encodedHeader), verify);
  }

  /**
   * The verifier for a token with these header members. Undefined without members, if the algorithm is not listed, or
   * if the key is ambiguous: `kid` names a key of a set, and may be missing only if a single key matches. Ignores keys
   * in the header itself (`jwk`, `jku`, `x5c`, `x5u`).
   */
  select(header: JsonObject | undefined): VerifySignature | undefined {
    if (header === undefined) return undefined;
    const { alg, kid, crit, b64, typ } = header;
    // No extension is supported, so none may be critical (RFC 7515 section 4.1.11).
    if (crit !== undefined || (b64 !== undefined && b64 !== true)) return undefined;
    if (typ !== undefined && typeof typ !== 'string') return undefined;
    if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined;
    const ring = this.#byAlgorithm.get(alg);
    if (ring === undefined) return undefined;
    if (this.#areNamed && kid !== undefined) return ring.find((key) => key.kid === kid)?.verify;
    return ring.length === 1 ? ring[0]?.verify : undefined;
  }
}

/** Copies the text: a slice would keep the whole token alive. */
function copyAscii(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
