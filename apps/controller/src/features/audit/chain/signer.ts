import type { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The end of a chain at one time, before it is signed. */
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
  sign(head: Head): Buffer;
}

/** Reads the Ed25519 key that signs checkpoints, or makes one. It stays in this file, outside of the database and of backups. */
export async function openHeadSigner(keyFile: string): Promise<HeadSigner> {
  let pem = await readFile(keyFile, 'utf8').catch(() => undefined);
  if (pem === undefined) {
    await mkdir(dirname(keyFile), { recursive: true });
    const own = `${keyFile}.${process.pid}`;
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFile(own, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    // Of two that start at once one file wins, and both read that one.
    await link(own, keyFile).catch(() => undefined);
    await rm(own);
    pem = await readFile(keyFile, 'utf8');
  }
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  const keyId = keyIdOf(publicKey);
  return { keyId, publicKey, sign: (head) => sign(null, signedBytes(head, keyId), privateKey) };
}

/** First 16 hex digits of the SHA-256 of the key (SPKI, DER). */
export function keyIdOf(publicKey: string): string {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

export function isSignedBy(publicKey: string, head: Head, signature: Buffer): boolean {
  return verify(null, signedBytes(head, keyIdOf(publicKey)), createPublicKey(publicKey), signature);
}

function signedBytes({ projectKey, seq, hash, at }: Head, keyId: string): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify(['flotilla audit head 1', projectKey, seq, hash.toString('hex'), at.toISOString(), keyId]),
  );
}
