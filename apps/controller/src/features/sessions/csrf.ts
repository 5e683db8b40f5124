import { Buffer } from 'node:buffer';
import { createHmac, hkdfSync } from 'node:crypto';
import { isSameSecret } from '@flotilla/kit';

/**
 * A session's CSRF token is a keyed digest of the session's id: nothing to store, the same on every controller and after
 * a restart, worth nothing with another session. Its answers are never compressed, so that it needs no mask (BREACH).
 */
export class CsrfTokens {
  readonly #key: Buffer;

  /** `secret`: the installation's, of which a key for this purpose alone is derived. */
  constructor(secret: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), 'flotilla csrf token', 32));
  }

  tokenOf(sessionId: string): string {
    return createHmac('sha256', this.#key).update(sessionId).digest('base64url');
  }

  isTokenOf(sessionId: string, given: unknown): boolean {
    return typeof given === 'string' && isSameSecret(given, this.tokenOf(sessionId));
  }
}
