import type { X509Certificate } from 'node:crypto';
import type { ENROLMENT_ERRORS } from '@flotilla/contract';

/** The identity in a client certificate. */
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
  /** `claim` is set if this authority signed the certificate: the audit log may name the client. */
  | {
      readonly kind: 'bad';
      readonly problem: CertificateProblem;
      readonly at?: Date;
      readonly claim?: CertificateClaim;
    };

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SUBJECT_PATTERN = new RegExp(`^O=(${UUID})\\nCN=(${UUID})$`);

/**
 * Checks a peer's certificate without trusting the TLS library's verdict, which for a resumed session is that of the
 * first handshake. Revocation and the existence of the client are checked in the database.
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
