import type { Buffer } from 'node:buffer';

/**
 * Encrypts values at rest. `context` says what the value belongs to, e.g. `documents/<id>`; the value cannot be
 * decrypted under another context.
 */
export interface Cipher {
  encrypt(plaintext: Buffer, context: string): Buffer;
  /** Throws keys.not_read for a value encrypted with a key that this controller has not read yet. */
  decrypt(encrypted: Buffer, context: string): Buffer;
}
