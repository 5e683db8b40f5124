import { X509Certificate } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Clock, type Closable, type Logger, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { Client } from '@grpc/grpc-js';
import { callRenew, describeFailure, readErrorCode } from '../link/controller-client.ts';
import type { Identity, IdentityFiles } from './identity-files.ts';
import { createKeyPem, createRequest, toCertificatePem } from './keys.ts';

export interface RenewalOptions {
  readonly files: IdentityFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A connection that presents the identity, for one call; closed afterwards. */
  readonly openClient: (identity: Identity) => Client;
  /** The new identity is on disk. */
  readonly onRenewed: (identity: Identity) => void;
  readonly random?: () => number;
  /** How often we look and how long we wait after a failure. */
  readonly checkMs?: number;
}

const CHECK_MS = 60_000;

/** When to renew: at half of the certificate's life, spread by a tenth of it so that a fleet does not come at once. */
function deriveRenewalTime(certificate: X509Certificate, random: number): number {
  const from = certificate.validFromDate.getTime();
  const life = certificate.validToDate.getTime() - from;
  return from + life * (0.5 + 0.1 * random);
}

/**
 * Keeps the certificate fresh. Waiting until half of its life is over; then renewing, again and again until it works: the
 * controller also takes a certificate that has ended while this host was off. Each renewal makes a new key.
 */
export class Renewal implements Closable {
  readonly #options: RenewalOptions;
  readonly #stopped = new AbortController();
  #identity: Identity;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isDue = false;

  constructor(identity: Identity, options: RenewalOptions) {
    this.#identity = identity;
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** The controller refused the certificate as expired: do not wait. */
  renewNow(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random = Math.random, checkMs = CHECK_MS, logger } = this.#options;
    let dueAt = deriveRenewalTime(new X509Certificate(this.#identity.certificatePem), random());
    while (!this.#stopped.signal.aborted) {
      if (!this.#isDue && clock.now() < dueAt) {
        await this.#pause(Math.min(checkMs, dueAt - clock.now()));
        continue;
      }
      try {
        await this.#renew();
        this.#isDue = false;
        dueAt = deriveRenewalTime(new X509Certificate(this.#identity.certificatePem), random());
      } catch (error) {
        logger.warn({ code: readErrorCode(error), reason: describeFailure(error) }, 'certificate.not_renewed');
        await this.#pause(checkMs * (0.5 + random() / 2));
      }
    }
  }

  async #renew(): Promise<void> {
    const { files, openClient, onRenewed, logger } = this.#options;
    const keyPem = await createKeyPem();
    const client = openClient(this.#identity);
    try {
      const request = create(fleet.RenewRequestSchema, { csrDer: await createRequest(keyPem) });
      const { certificateDer } = await callRenew(client, request);
      const next = { ...this.#identity, keyPem, certificatePem: toCertificatePem(certificateDer) };
      await files.write(next);
      this.#identity = next;
      logger.info({ expires_at: new X509Certificate(certificateDer).validToDate }, 'certificate.renewed');
      onRenewed(next);
    } finally {
      client.close();
    }
  }

  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(ms, AbortSignal.any([woken.signal, this.#stopped.signal]));
    this.#wake = undefined;
  }
}
