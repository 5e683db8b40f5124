import { X509Certificate } from 'node:crypto';
import type { Db } from '@flotilla/db';
import type { PublicKey } from '@peculiar/x509';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { findAuthority, insertAuthority } from './authority-store.ts';
import { certificateAuthorityContext } from './encryption-context.ts';
import { deriveFingerprint } from './model.ts';
import {
  type AuthorityKeys,
  createAuthority,
  type IssuedCertificate,
  importAuthority,
  issueClientCertificate,
  issueServerCertificate,
  toPem,
} from './x509.ts';

/** The installation's own certificate authority, the only one that agents trust. Its key is stored only encrypted. */
export interface Authority {
  readonly certificate: X509Certificate;
  readonly certificateDer: Buffer;
  readonly certificatePem: string;
  /** SHA-256 of the certificate, base64url. */
  readonly fingerprint: string;
  issueClient(
    subject: { clientId: string; projectId: string; publicKey: PublicKey },
    validity: { now: Date; lifetimeMs: number },
  ): Promise<IssuedCertificate>;
  issueServer(
    names: { dns: readonly string[]; ip: readonly string[] },
    validity: { now: Date; lifetimeMs: number },
  ): Promise<IssuedCertificate & { keyPem: string }>;
}

/**
 * Reads the authority, or creates it at the very first start. If several controllers start at once, only one creates
 * it.
 */
export async function openAuthority(db: Db, keyring: Keyring, now: Date): Promise<Authority> {
  const stored = (await findAuthority(db)) ?? (await make(db, keyring, now));
  const keys = await importAuthority(
    stored.certificate,
    keyring.decrypt(stored.sealed_key, certificateAuthorityContext()),
  );
  return toAuthority(keys, stored.certificate);
}

export function toAuthority(keys: AuthorityKeys, certificateDer: Buffer): Authority {
  return {
    certificate: new X509Certificate(certificateDer),
    certificateDer,
    certificatePem: toPem(certificateDer),
    fingerprint: deriveFingerprint(certificateDer),
    issueClient: (subject, validity) => issueClientCertificate(keys, subject, validity),
    issueServer: (names, validity) => issueServerCertificate(keys, names, validity),
  };
}

async function make(db: Db, keyring: Keyring, now: Date) {
  const { certificateDer, keyDer, expiresAt } = await createAuthority(now);
  await insertAuthority(db, {
    certificate: certificateDer,
    sealed_key: keyring.encrypt(keyDer, certificateAuthorityContext()),
    created_at: now,
    expires_at: expiresAt,
  });
  const stored = await findAuthority(db);
  if (!stored) throw new Error('the certificate authority was not stored');
  return stored;
}
