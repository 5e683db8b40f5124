import type { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { fingerprintOf } from './format/index.ts';

export interface BackupSecrets {
  readonly signingKey: KeyObject;
  /** SPKI, DER. */
  readonly publicKey: Buffer;
  readonly fingerprint: string;
  /** Encrypts backups that only this installation can open. */
  readonly secret: Buffer;
}

export async function openBackupSecrets(keyring: Pick<Keyring, 'installationSecret'>): Promise<BackupSecrets> {
  const privateDer = await keyring.installationSecret('backup_signing', () =>
    generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }),
  );
  const signingKey = createPrivateKey({ key: privateDer, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(signingKey).export({ format: 'der', type: 'spki' });
  const secret = await keyring.installationSecret('backup_encryption', () => randomBytes(32));
  return { signingKey, publicKey, fingerprint: fingerprintOf(publicKey), secret };
}
