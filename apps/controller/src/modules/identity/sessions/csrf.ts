import { Buffer } from 'node:buffer';
import { createHmac, hkdfSync } from 'node:crypto';
import { isSameSecret } from '@flotilla/kit';

/**
 * A session's CSRF token is a keyed digest of the session's id: it needs no storage, is the same on every controller
 * and after a restart, and does not work with another session. It needs no mask against BREACH, because answers with it
 * are never compressed.
 */
export class CsrfTokens {
  readonly #key: Buffer;

  /** `secret`: the installation's secret, from which a separate key is derived. */
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
