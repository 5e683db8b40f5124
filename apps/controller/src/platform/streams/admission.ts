import { failEnrolment } from '@flotilla/contract';
import { AppError, type Clock, createId } from '@flotilla/kit';
import type { Metadata } from '@grpc/grpc-js';
import { type CertificateClaim, judgeCertificate } from './client-certificate.ts';
import type { CallOrigin, EnrolmentPort, RevocationPort } from './enrolment-port.ts';
import type { PeerTable } from './peers.ts';
import type { Refusals } from './refusals.ts';

/** The parts of a gRPC call that identify its origin. */
export interface CallFacts {
  /** `call.getPeer()` */
  readonly address: string;
  readonly metadata: Metadata;
  /** `/flotilla.fleet.v1.CommandService/Connect` */
  readonly path: string;
}

export interface AdmissionOptions {
  readonly enrolment: EnrolmentPort;
  readonly revocations: RevocationPort;
  readonly peers: PeerTable;
  readonly refusals: Refusals;
  readonly clock: Clock;
}

/**
 * Identifies the caller of each call. TLS accepts every connection, so that a refusal has a reason and an audit entry:
 * a missing, foreign, expired or revoked certificate, or a deleted client.
 */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Returns the holder of the certificate, or the AppError to refuse with, which is already recorded. `lateRenewal`
   * also accepts our own certificates that expired recently.
   */
  async admit(call: CallFacts, rule: { action: string; lateRenewal?: boolean }): Promise<CertificateClaim> {
    const { peers, clock, enrolment, revocations } = this.#options;
    const now = new Date(clock.now());
    const finding = judgeCertificate(peers.find(call.address)?.certificate ?? { kind: 'none' }, now);
    const claim = finding.kind === 'none' ? undefined : finding.claim;
    try {
      if (finding.kind === 'none') throw failEnrolment('certificate.missing');
      if (finding.kind === 'bad') {
        const { problem, at } = finding;
        const isLate = problem === 'certificate.expired' && rule.lateRenewal === true && claim !== undefined;
        if (!isLate || !enrolment.isWithinGrace(claim, now)) throw failEnrolment(problem, { at: at?.toISOString() });
      }
      if (!claim) throw failEnrolment('certificate.foreign');
      if (revocations.has(claim.serial)) throw failEnrolment('certificate.revoked');
      await enrolment.checkPeer(claim);
      return claim;
    } catch (error) {
      if (error instanceof AppError) await this.refuse(call, { action: rule.action, error, claim });
      throw error;
    }
  }

  /** Records a refused call. */
  async refuse(
    call: CallFacts,
    refusal: {
      action: string;
      error: AppError;
      claim?: CertificateClaim | undefined;
      changes?: Readonly<Record<string, unknown>>;
    },
  ): Promise<void> {
    await this.#options.refusals.record({ ...refusal, origin: toOrigin(call) });
  }
}

export function toOrigin({ address, metadata, path }: CallFacts): CallOrigin {
  const userAgent = metadata.get('user-agent')[0];
  return {
    method: 'GRPC',
    path,
    ip: address.slice(0, address.lastIndexOf(':')),
    userAgent: typeof userAgent === 'string' ? userAgent.slice(0, 256) : undefined,
    requestId: createId(),
  };
}
