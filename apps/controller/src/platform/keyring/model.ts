import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM (NIST SP 800-38D): 96-bit random nonce, 128-bit tag; `context` is authenticated, not stored. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Format 1: a wrapped data key, or a value from the time of a single data key. Format 2 contains the id of its data
 * key.
 */
const FORMAT_UNNUMBERED = 1;
const FORMAT_NUMBERED = 2;
const NUMBER_BYTES = 4;

/** The key of values in format 1. */
export const FIRST_KEY_ID = 1;

export interface DataKey {
  readonly id: number;
  readonly key: Buffer;
}

/** The value can only be decrypted with the same key and the same context. */
export function encrypt({ id, key }: DataKey, plaintext: Buffer, context: string): Buffer {
  const head = Buffer.alloc(1 + NUMBER_BYTES);
  head[0] = FORMAT_NUMBERED;
  head.writeUInt32BE(id, 1);
  return encryptWith(head, key, { plaintext, context });
}

/** Encrypts with a master key, which has no id. */
export function wrap(key: Buffer, plaintext: Buffer, context: string): Buffer {
  return encryptWith(Buffer.of(FORMAT_UNNUMBERED), key, { plaintext, context });
}

/** Returns the id of the data key. Throws if the value has an unknown format. */
export function keyIdOf(sealed: Buffer): number {
  if (sealed[0] === FORMAT_UNNUMBERED) return FIRST_KEY_ID;
  if (sealed[0] === FORMAT_NUMBERED && sealed.length > NUMBER_BYTES) return sealed.readUInt32BE(1);
  throw new Error('sealed value of an unknown format');
}

/** Accepts both formats. Throws if the value was changed, or encrypted with another key or for another context. */
export function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  const start = sealed[0] === FORMAT_NUMBERED ? 1 + NUMBER_BYTES : 1;
  const nonceEnd = start + NONCE_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(start, nonceEnd), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(nonceEnd, nonceEnd + TAG_BYTES));
  decipher.setAAD(Buffer.from(context));
  return Buffer.concat([decipher.update(sealed.subarray(nonceEnd + TAG_BYTES)), decipher.final()]);
}

function encryptWith(
  head: Buffer,
  key: Buffer,
  { plaintext, context }: { plaintext: Buffer; context: string },
): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), body]);
}
