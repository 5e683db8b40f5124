import type { Buffer } from 'node:buffer';
import type { X509Certificate } from 'node:crypto';
import type { fleet } from '@flotilla/proto';
import type { AuditEntry } from '../audit/index.ts';
import type { CertificateClaim } from './client-certificate.ts';

/** The origin of a call, for the audit log. */
export type CallOrigin = NonNullable<AuditEntry['request']>;

/** The part of the certificate authority that a listener needs to check peers. */
export interface AuthorityCertificate {
  readonly certificate: X509Certificate;
  readonly certificateDer: Buffer;
  readonly certificatePem: string;
}

export interface Enrolled {
  readonly clientId: string;
  readonly projectId: string;
  readonly certificateDer: Buffer;
}

/** Enrols hosts and renews their certificates. */
export interface EnrolmentPort {
  /** Throws enrolment.* without changing anything. */
  enrol(
    request: { token: string; csrDer: Uint8Array; facts: fleet.HostFacts },
    origin: CallOrigin,
    now: Date,
  ): Promise<Enrolled>;
  /** The caller has checked `claim` with `checkPeer`. */
  renew(claim: CertificateClaim, csrDer: Uint8Array, origin: CallOrigin, now: Date): Promise<Buffer>;
  /** Throws certificate.* unless the certificate is valid and its client exists in its project. */
  checkPeer(claim: CertificateClaim): Promise<void>;
  isWithinGrace(claim: CertificateClaim, now: Date): boolean;
}

/** The revoked client certificates, by serial number. */
export interface RevocationPort {
  has(serial: string): boolean;
  /** Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}

export interface ServerIdentity {
  readonly keyPem: string;
  /**
   * The server's certificate followed by the authority's: an agent that only knows the fingerprint finds the authority
   * here.
   */
  readonly chainPem: string;
  readonly expiresAt: Date;
}

/** Issues the certificate of the gRPC port and renews it in time. */
export interface ServerCertificatePort {
  issue(): Promise<ServerIdentity>;
  /** Passes every renewed identity to `install`. */
  keepFresh(first: ServerIdentity, install: (identity: ServerIdentity) => void): void;
  close(): void;
}
