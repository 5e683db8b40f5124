import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Db, Tx } from '@flotilla/db';
import type { Clock } from '@flotilla/kit';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { ACCESS_TOKEN_S } from './access-token-life.ts';
import { signingKeyContext } from './encryption-contexts.ts';
import { endSigningKeys, insertSigningKey, listSigningKeys } from './signing-key-store.ts';

/**
 * How long a replaced key still verifies: the lifetime of a token, plus a minute until every controller knows the new
 * key.
 */
const OVERLAP_MS = (ACCESS_TOKEN_S + 60) * 1000;
/** Before signing, a controller looks for a new key at this interval. */
const SIGNER_MAX_AGE_MS = 15_000;
/** Tokens with unknown keys trigger a database query at most this often. */
const UNKNOWN_EVERY_MS = 1000;
/** Name of the key from the environment, which is in no table. */
export const OUTSIDE_KID = 'env';

export interface SigningKey {
  readonly kid: string;
  readonly secret: Buffer;
  readonly createdAt: Date;
  /** undefined for the signing key. */
  readonly verifiesUntil: Date | undefined;
}

export interface SigningKeysDeps {
  readonly db: Db;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** SVC_JWT_SECRET: signs instead of the newest key of the table. */
  readonly outside: Buffer | undefined;
}

/**
 * The keys of access tokens, encrypted in the database and shared by all controllers. A new key signs at once; the
 * previous one verifies until the last token that it signed has expired.
 */
export class SigningKeys {
  readonly #deps: SigningKeysDeps;
  #keys: ReadonlyMap<string, SigningKey> = new Map();
  #loadedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SigningKeysDeps) {
    this.#deps = deps;
  }

  /** The signing key; created at first use. */
  async current(): Promise<SigningKey> {
    const { outside, clock, db } = this.#deps;
    if (outside) return outsideKey(outside);
    if (clock.monotonic() - this.#loadedAtMs > SIGNER_MAX_AGE_MS) await this.#load();
    const known = this.#signing();
    if (known) return known;
    await this.#insert(db);
    await this.#load();
    const made = this.#signing();
    if (!made) throw new Error('no signing key was stored');
    return made;
  }

  /** Finds a token's key; undefined if it is unknown or retired. `kid` is untrusted input. */
  async find(kid: string): Promise<SigningKey | undefined> {
    const { outside, clock } = this.#deps;
    if (kid === OUTSIDE_KID) return outside && outsideKey(outside);
    if (!this.#keys.has(kid) && clock.monotonic() - this.#loadedAtMs >= UNKNOWN_EVERY_MS) await this.#load();
    const key = this.#keys.get(kid);
    return key?.verifiesUntil && key.verifiesUntil.getTime() <= clock.now() ? undefined : key;
  }

  /** Keys that still verify, newest first. */
  async list(): Promise<SigningKey[]> {
    await this.#load();
    const { outside, clock } = this.#deps;
    const alive = [...this.#keys.values()].filter(
      ({ verifiesUntil }) => !verifiesUntil || verifiesUntil.getTime() > clock.now(),
    );
    const newest = alive.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    return outside ? [outsideKey(outside), ...newest] : newest;
  }

  get isOutside(): boolean {
    return this.#deps.outside !== undefined;
  }

  /** Returns the name of the new key. The caller calls `forget` after the commit. */
  async rotate(tx: Tx, now: Date): Promise<string> {
    await endSigningKeys(tx, { now, until: new Date(now.getTime() + OVERLAP_MS) });
    return this.#insert(tx);
  }

  /** Reads the table again before the next signature or refusal of an unknown key. */
  forget(): void {
    this.#loadedAtMs = Number.NEGATIVE_INFINITY;
  }

  #signing(): SigningKey | undefined {
    return [...this.#keys.values()].find(({ verifiesUntil }) => verifiesUntil === undefined);
  }

  /** If two controllers create the first key at once, one succeeds. */
  async #insert(db: Db | Tx): Promise<string> {
    const kid = randomBytes(9).toString('base64url');
    await insertSigningKey(db, {
      kid,
      sealed_secret: this.#deps.cipher.encrypt(randomBytes(32), signingKeyContext(kid)),
      created_at: new Date(this.#deps.clock.now()),
    });
    return kid;
  }

  async #load(): Promise<void> {
    const startedMs = this.#deps.clock.monotonic();
    const rows = await listSigningKeys(this.#deps.db);
    this.#keys = new Map(
      rows.map(({ kid, sealed_secret, created_at, verifies_until }) => [
        kid,
        {
          kid,
          secret: this.#deps.cipher.decrypt(sealed_secret, signingKeyContext(kid)),
          createdAt: created_at,
          verifiesUntil: verifies_until ?? undefined,
        },
      ]),
    );
    this.#loadedAtMs = startedMs;
  }
}

const LONG_AGO = new Date(0);

function outsideKey(secret: Buffer): SigningKey {
  return { kid: OUTSIDE_KID, secret, createdAt: LONG_AGO, verifiesUntil: undefined };
}
