import { Buffer } from 'node:buffer';
import { createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { isSameSecret, SerialQueue } from '@flotilla/kit';
import { type Encryption, KDF } from './layout.ts';

export type Protection =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  /** `secret` is the backup secret of the installation, which never leaves it. */
  | { readonly kind: 'installation'; readonly secret: Buffer }
  | { readonly kind: 'none' };

export interface ContentKey {
  readonly encryption: Encryption;
  /** 32 bytes; undefined: the content is not encrypted. */
  readonly key: Buffer | undefined;
}

export async function createContentKey(protection: Protection): Promise<ContentKey> {
  if (protection.kind === 'none') return { encryption: { kind: 'none' }, key: undefined };
  const salt = randomBytes(16);
  if (protection.kind === 'installation') {
    const root = deriveFromSecret(protection.secret, salt);
    const encryption = { kind: 'installation', salt: salt.toString('base64'), check: checkOf(root) } as const;
    return { encryption, key: contentKeyOf(root) };
  }
  const root = await derive(protection.passphrase, salt);
  const encryption = { kind: 'passphrase', ...KDF, salt: salt.toString('base64'), check: checkOf(root) } as const;
  return { encryption, key: contentKeyOf(root) };
}

/** Returns the content key, or undefined if `root` does not belong to this file. */
export function openRoot(root: Buffer, check: string): Buffer | undefined {
  return isSameSecret(check, checkOf(root)) ? contentKeyOf(root) : undefined;
}

export function deriveFromSecret(secret: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'flotilla backup root', 32));
}

const deriving = new SerialQueue();

/** Derives the root key from a passphrase. Runs one derivation at a time, because each needs 128 MiB. */
export function derive(passphrase: string, salt: Buffer): Promise<Buffer> {
  return deriving.run(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        const limits = { N: KDF.n, r: KDF.r, p: KDF.p, maxmem: 256 * KDF.n * KDF.r };
        scrypt(passphrase.normalize('NFC'), salt, 32, limits, (error, key) => (error ? reject(error) : resolve(key)));
      }),
  );
}

function contentKeyOf(root: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), 'flotilla backup content', 32));
}

function checkOf(root: Buffer): string {
  return createHmac('sha256', root).update('flotilla backup check').digest().subarray(0, 16).toString('base64');
}
