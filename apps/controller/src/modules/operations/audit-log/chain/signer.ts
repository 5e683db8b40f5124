import type { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The end of a chain at a time, before it is signed. */
export interface Head {
  readonly projectKey: string;
  readonly seq: number;
  readonly hash: Buffer;
  readonly at: Date;
}

export interface HeadSigner {
  readonly keyId: string;
  /** SPKI, PEM. */
  readonly publicKey: string;
  sign(head: Head, as?: SignedAs): Buffer;
}

/** The meaning of a signature: the chain reached this point, or it was pruned up to it. */
export type SignedAs = 'head' | 'base';

/**
 * Reads the Ed25519 key that signs checkpoints, or creates it. It is stored only in this file, outside the database and
 * backups.
 */
export async function openHeadSigner(keyFile: string): Promise<HeadSigner> {
  let pem = await readFile(keyFile, 'utf8').catch(() => undefined);
  if (pem === undefined) {
    await mkdir(dirname(keyFile), { recursive: true });
    const own = `${keyFile}.${process.pid}`;
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFile(own, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    // If two controllers start at once, one file wins and both read it.
    await link(own, keyFile).catch(() => undefined);
    await rm(own);
    pem = await readFile(keyFile, 'utf8');
  }
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  const keyId = keyIdOf(publicKey);
  return { keyId, publicKey, sign: (head, as = 'head') => sign(null, signedBytes(head, keyId, as), privateKey) };
}

/** First 16 hex digits of the SHA-256 of the key (SPKI, DER). */
export function keyIdOf(publicKey: string): string {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

export function isSignedBy(publicKey: string, head: Head, signature: Buffer, as: SignedAs = 'head'): boolean {
  return verify(null, signedBytes(head, keyIdOf(publicKey), as), createPublicKey(publicKey), signature);
}

/**
 * The trusted public keys of checkpoints by id: our own, and those in `trustedFile` (PEM, concatenated), where an
 * operator adds the keys of other controllers. Keys in the database are never trusted: an attacker with write access
 * could sign a forged log.
 */
export async function readTrustedKeys(own: HeadSigner, trustedFile: string): Promise<Map<string, string>> {
  const text = await readFile(trustedFile, 'utf8').catch(() => '');
  const others = text.match(/-----BEGIN PUBLIC KEY-----[\s\S]+?-----END PUBLIC KEY-----/g) ?? [];
  return new Map([own.publicKey, ...others].map((key) => [keyIdOf(key), key]));
}

function signedBytes({ projectKey, seq, hash, at }: Head, keyId: string, as: SignedAs): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify([`flotilla audit ${as} 1`, projectKey, seq, hash.toString('hex'), at.toISOString(), keyId]),
  );
}
