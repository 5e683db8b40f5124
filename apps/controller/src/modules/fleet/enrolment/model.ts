import { createHash } from 'node:crypto';

/** A host that was off may renew its certificate for this time after its expiry. */
export const RENEWAL_GRACE_MS = 30 * 86_400_000;

/** SHA-256 of a certificate, base64url. */
export function deriveFingerprint(certificateDer: Uint8Array): string {
  return createHash('sha256').update(certificateDer).digest('base64url');
}
