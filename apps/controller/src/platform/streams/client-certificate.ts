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

/** The certificate that a peer has presented, apart from the time. */
export type PresentedCertificate =
  | { readonly kind: 'none' }
  /** This authority did not sign it, or signed it for something else. */
  | { readonly kind: 'foreign'; readonly serial: string }
  | { readonly kind: 'issued'; readonly claim: CertificateClaim; readonly validFrom: Date };

/**
 * Reads a peer's certificate once, when it connects, without trusting the TLS library's verdict, which for a resumed session
 * is that of the first handshake. The certificate itself is not kept: it takes kilobytes per connection, and the check of its
 * signature is expensive.
 */
export function readCertificate(
  certificate: X509Certificate | undefined,
  authority: X509Certificate,
): PresentedCertificate {
  if (!certificate) return { kind: 'none' };
  const serial = certificate.serialNumber.toLowerCase();
  const [, projectId, clientId] = SUBJECT_PATTERN.exec(certificate.subject) ?? [];
  const isOurs = certificate.checkIssued(authority) && certificate.verify(authority.publicKey) && !certificate.ca;
  if (!isOurs || !projectId || !clientId) return { kind: 'foreign', serial };
  const claim = { serial, clientId, projectId, expiresAt: certificate.validToDate };
  return { kind: 'issued', claim, validFrom: certificate.validFromDate };
}

/** Judges it at this time. Revocation and the existence of the client are checked in the database. */
export function judgeCertificate(presented: PresentedCertificate, now: Date): CertificateFinding {
  if (presented.kind === 'none') return presented;
  if (presented.kind === 'foreign') return { kind: 'bad', problem: 'certificate.foreign' };
  const { claim, validFrom } = presented;
  if (claim.expiresAt <= now) return { kind: 'bad', problem: 'certificate.expired', at: claim.expiresAt, claim };
  if (validFrom > now) return { kind: 'bad', problem: 'certificate.not_yet_valid', at: validFrom, claim };
  return { kind: 'valid', claim };
}

/** undefined: it has none. */
export function serialOf(presented: PresentedCertificate): string | undefined {
  switch (presented.kind) {
    case 'none':
      return undefined;
    case 'foreign':
      return presented.serial;
    case 'issued':
      return presented.claim.serial;
  }
}
