import { createHash, randomBytes, scrypt } from 'node:crypto';
import * as z from 'zod';

/** Derives a key from a passphrase (RFC 7914). Stored next to the wrapped keys. */
export const derivationSchema = z.strictObject({
  kind: z.literal('scrypt'),
  // Bounded: a manipulated row must not exhaust the memory at start.
  n: z
    .int()
    .min(2)
    .max(2 ** 20),
  r: z.int().min(1).max(16),
  p: z.int().min(1).max(4),
  salt: z.base64(),
});

export type Derivation = z.infer<typeof derivationSchema>;

/** 128 MiB and about half a second per guess. */
const COST = { n: 2 ** 17, r: 8, p: 1 };
const SALT_BYTES = 16;

const PASSPHRASE_MIN_LENGTH = 32;

/** A master key, or the passphrase that it is derived from. */
export type MasterKey =
  | { readonly kind: 'key'; readonly key: Buffer }
  | { readonly kind: 'phrase'; readonly phrase: string };

/** Accepts 32 bytes as hex or base64, or a passphrase of at least 32 characters. Errors never contain any of it. */
export function parseMasterKey(text: string): MasterKey {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return { kind: 'key', key: Buffer.from(trimmed, 'hex') };
  const decoded = Buffer.from(trimmed, 'base64');
  if (/^[\w+/-]{43}=?$/.test(trimmed) && decoded.length === 32) return { kind: 'key', key: decoded };
  if (trimmed.length < PASSPHRASE_MIN_LENGTH) {
    throw new Error(
      'the master key must be 32 bytes (64 hex digits or 44 base64 characters) or a passphrase of 32 characters or more',
    );
  }
  return { kind: 'phrase', phrase: trimmed };
}

/** For new wraps. undefined for a key that is not a passphrase. */
export function chooseDerivation(master: MasterKey): Derivation | undefined {
  if (master.kind === 'key') return undefined;
  return { kind: 'scrypt', ...COST, salt: randomBytes(SALT_BYTES).toString('base64') };
}

/**
 * Returns 32 bytes. Without a derivation, a passphrase is hashed once with SHA-256, as in databases older than scrypt.
 */
export async function deriveKey(master: MasterKey, derivation: Derivation | undefined): Promise<Buffer> {
  if (master.kind === 'key') return master.key;
  if (derivation === undefined) return createHash('sha256').update(`flotilla master key\0${master.phrase}`).digest();
  const { n, r, p, salt } = derivation;
  return new Promise((resolve, reject) => {
    const limits = { N: n, r, p, maxmem: 256 * n * r };
    scrypt(master.phrase, Buffer.from(salt, 'base64'), 32, limits, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
