import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM (NIST SP 800-38D): 96-bit random nonce, 128-bit tag; `context` is authenticated, not stored. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 1;

/** `key` is 32 bytes. A sealed value opens only with the same key and the same context. */
export function seal(key: Buffer, plaintext: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), body]);
}

/** Throws when the value was changed, or sealed with another key or for another context. */
export function unseal(key: Buffer, sealed: Buffer, context: string): Buffer {
  if (sealed[0] !== FORMAT) throw new Error('sealed value of an unknown format');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAuthTag(tag);
  decipher.setAAD(Buffer.from(context));
  return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
