import { failEnrolment } from '@flotilla/contract';
import { AppError, type Clock, createId } from '@flotilla/kit';
import type { Metadata } from '@grpc/grpc-js';
import {
  type Authority,
  type CallOrigin,
  type CertificateClaim,
  type EnrolmentService,
  type RevocationList,
  readCertificate,
} from '../features/enrolment/index.ts';
import type { PeerTable } from './peers.ts';
import type { Refusals } from './refusals.ts';

/** The parts of a gRPC call that tell where it comes from. */
export interface CallFacts {
  /** `call.getPeer()` */
  readonly address: string;
  readonly metadata: Metadata;
  /** `/flotilla.fleet.v1.CommandService/Connect` */
  readonly path: string;
}

export interface AdmissionOptions {
  readonly authority: Authority;
  readonly enrolment: EnrolmentService;
  readonly revocations: RevocationList;
  readonly peers: PeerTable;
  readonly refusals: Refusals;
  readonly clock: Clock;
}

/**
 * Decides for each call who makes it. TLS lets everybody in as far as here, so that a refusal has a reason and an entry in
 * the audit log: no certificate, another authority's, one that has ended or was revoked, one whose client is gone.
 */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * The holder of the certificate, or the AppError to refuse with, already written down. `lateRenewal` also takes a
   * certificate of ours that has ended not too long ago.
   */
  async admit(call: CallFacts, rule: { action: string; lateRenewal?: boolean }): Promise<CertificateClaim> {
    const { peers, authority, clock, enrolment, revocations } = this.#options;
    const certificate = peers.find(call.address)?.certificate;
    const now = new Date(clock.now());
    const finding = readCertificate(certificate, authority.certificate, now);
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

  /** Writes down that a call is refused. */
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
