import { createHash, type X509Certificate } from 'node:crypto';
import type { ENROLMENT_ERRORS } from '@flotilla/contract';

/** For hosts that were off: renewing is all that a client's certificate is good for after its end. */
export const RENEWAL_GRACE_MS = 30 * 86_400_000;

export function deriveFingerprint(certificateDer: Uint8Array): string {
  return createHash('sha256').update(certificateDer).digest('base64url');
}

/** What a client certificate says of its holder. */
export interface CertificateClaim {
  readonly serial: string;
  readonly clientId: string;
  readonly projectId: string;
  readonly expiresAt: Date;
}

type CertificateProblem = Extract<keyof typeof ENROLMENT_ERRORS, `certificate.${string}`>;

export type CertificateFinding =
  | { readonly kind: 'valid'; readonly claim: CertificateClaim }
  | { readonly kind: 'none' }
  /** `claim` is there when this authority did sign it: it may be named in the audit log. */
  | {
      readonly kind: 'bad';
      readonly problem: CertificateProblem;
      readonly at?: Date;
      readonly claim?: CertificateClaim;
    };

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SUBJECT_PATTERN = new RegExp(`^O=(${UUID})\\nCN=(${UUID})$`);

/**
 * Reads a peer's certificate without trusting the TLS library's verdict, which for a resumed session is that of the
 * first handshake. Whether it was revoked and whether its client exists is for the database to say.
 */
export function readCertificate(
  certificate: X509Certificate | undefined,
  authority: X509Certificate,
  now: Date,
): CertificateFinding {
  if (!certificate) return { kind: 'none' };
  const [, projectId, clientId] = SUBJECT_PATTERN.exec(certificate.subject) ?? [];
  const isOurs = certificate.checkIssued(authority) && certificate.verify(authority.publicKey) && !certificate.ca;
  if (!isOurs || !projectId || !clientId) return { kind: 'bad', problem: 'certificate.foreign' };
  const claim = {
    serial: certificate.serialNumber.toLowerCase(),
    clientId,
    projectId,
    expiresAt: certificate.validToDate,
  };
  if (certificate.validToDate <= now) {
    return { kind: 'bad', problem: 'certificate.expired', at: certificate.validToDate, claim };
  }
  if (certificate.validFromDate > now) {
    return { kind: 'bad', problem: 'certificate.not_yet_valid', at: certificate.validFromDate, claim };
  }
  return { kind: 'valid', claim };
}
