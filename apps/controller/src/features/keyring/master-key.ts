import { createHash, randomBytes, scrypt } from 'node:crypto';
import * as z from 'zod';

/** How a pass phrase becomes a key (RFC 7914), kept beside what the key wraps. */
export const derivationSchema = z.strictObject({
  kind: z.literal('scrypt'),
  // Bounded: a row that somebody changed must not take all memory of the start.
  n: z
    .int()
    .min(2)
    .max(2 ** 20),
  r: z.int().min(1).max(16),
  p: z.int().min(1).max(4),
  salt: z.base64(),
});

export type Derivation = z.infer<typeof derivationSchema>;

/** 128 MiB and about half a second for each guess. */
const COST = { n: 2 ** 17, r: 8, p: 1 };
const SALT_BYTES = 16;

const PASSPHRASE_MIN_LENGTH = 32;

/** The key that wraps all others: itself, or what it is derived from. */
export type MasterKey =
  | { readonly kind: 'key'; readonly key: Buffer }
  | { readonly kind: 'phrase'; readonly phrase: string };

/** 32 bytes as hex or base64, else a pass phrase of 32 characters or more. No error holds any of it. */
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

/** For what is wrapped from now on; a key that is no pass phrase needs none. */
export function chooseDerivation(master: MasterKey): Derivation | undefined {
  if (master.kind === 'key') return undefined;
  return { kind: 'scrypt', ...COST, salt: randomBytes(SALT_BYTES).toString('base64') };
}

/** 32 bytes. Without a derivation a pass phrase is read as databases of before scrypt were wrapped: by one SHA-256. */
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
