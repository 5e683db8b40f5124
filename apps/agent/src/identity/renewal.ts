import { X509Certificate } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Backoff, type Clock, type Closable, type Logger, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { Client } from '@grpc/grpc-js';
import { callRenew, describeFailure, readErrorCode } from '../link/controller-client.ts';
import type { Identity, IdentityFiles } from './identity-files.ts';
import { createKeyPem, createRequest, toCertificatePem } from './keys.ts';

export interface RenewalOptions {
  readonly files: IdentityFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Opens a connection that presents the identity. It is closed after one call. */
  readonly openClient: (identity: Identity) => Client;
  /** Called when the new identity is on disk. */
  readonly onRenewed: (identity: Identity) => void;
  readonly random?: () => number;
  /** Interval between checks and delay after a failure. */
  readonly checkMs?: number;
}

const CHECK_MS = 60_000;
/** The controller issues certificates whose validity begins this long in the past. */
const BACKDATE_MS = 5 * 60_000;
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** Interval of renewals while the clock is wrong. Each new certificate shows whether it still is. */
const CLOCK_CHECK_MS = 3_600_000;
/** Limit of the delay between renewals that follow each other too early, as a multiple of `checkMs`. */
const GAP_MAX_FACTOR = 30;

/** Renewal is due after half of the certificate's lifetime plus up to a tenth, so that a fleet does not renew all at once. */
function deriveRenewalTime(certificate: X509Certificate, random: number): number {
  const from = certificate.validFromDate.getTime();
  const life = certificate.validToDate.getTime() - from;
  return from + life * (0.5 + 0.1 * random);
}

/**
 * Renews the certificate after half of its lifetime, and retries until it succeeds. The controller also accepts a certificate
 * that expired while this host was off. Each renewal creates a new key.
 *
 * A new certificate shows the controller's time. The delay until the next renewal counts from it, so a wrong clock does not
 * cause another renewal at once. If renewals still follow each other, because another controller considers each new
 * certificate expired, the delay between them grows.
 */
export class Renewal implements Closable {
  readonly #options: RenewalOptions;
  readonly #stopped = new AbortController();
  #identity: Identity;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isDue = false;
  #clockOffsetMs = 0;

  constructor(identity: Identity, options: RenewalOptions) {
    this.#identity = identity;
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Renews without delay, after the controller has refused the certificate as expired. */
  renewNow(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** Describes the error of this host's clock at the time of the newest certificate. Undefined if the clock is right. */
  get clockProblem(): string | undefined {
    const offset = this.#clockOffsetMs;
    if (Math.abs(offset) <= CLOCK_TOLERANCE_MS) return undefined;
    return `${formatDuration(Math.abs(offset))} ${offset > 0 ? 'ahead of' : 'behind'} the controller's clock: set the time of this host`;
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random = Math.random, checkMs = CHECK_MS, logger } = this.#options;
    const gaps = new Backoff({ initialMs: checkMs, maxMs: GAP_MAX_FACTOR * checkMs, random });
    let due = {
      wall: deriveRenewalTime(new X509Certificate(this.#identity.certificatePem), random()),
      steady: Infinity,
    };
    let rest = { from: -Infinity, ms: 0 };
    while (!this.#stopped.signal.aborted) {
      // The steady clock stops while a host is suspended, and the wall clock may be set.
      const left = this.#isDue ? 0 : Math.min(due.wall - clock.now(), due.steady - clock.monotonic());
      const resting = rest.from + rest.ms - clock.monotonic();
      if (left > 0 || resting > 0) {
        await this.#pause(Math.min(checkMs, Math.max(left, resting)));
        continue;
      }
      try {
        await this.#renew();
        this.#isDue = false;
        const certificate = new X509Certificate(this.#identity.certificatePem);
        const wait = deriveRenewalTime(certificate, random()) - certificate.validFromDate.getTime() - BACKDATE_MS;
        const now = clock.monotonic();
        due =
          this.clockProblem === undefined
            ? { wall: clock.now() + wait, steady: now + wait }
            : { wall: Infinity, steady: now + Math.min(wait, CLOCK_CHECK_MS) };
        if (now - rest.from > wait / 2) gaps.reset();
        rest = { from: now, ms: gaps.next() };
      } catch (error) {
        logger.warn({ code: readErrorCode(error), reason: describeFailure(error) }, 'certificate.not_renewed');
        await this.#pause(checkMs * (0.5 + random() / 2));
      }
    }
  }

  async #renew(): Promise<void> {
    const { files, openClient, onRenewed, logger, clock } = this.#options;
    const keyPem = await createKeyPem();
    const client = openClient(this.#identity);
    try {
      const request = create(fleet.RenewRequestSchema, { csrDer: await createRequest(keyPem) });
      const { certificateDer } = await callRenew(client, request);
      const next = { ...this.#identity, keyPem, certificatePem: toCertificatePem(certificateDer) };
      await files.write(next);
      this.#identity = next;
      const { validFromDate, validToDate } = new X509Certificate(certificateDer);
      logger.info({ expires_at: validToDate }, 'certificate.renewed');
      this.#clockOffsetMs = clock.now() - validFromDate.getTime() - BACKDATE_MS;
      if (this.clockProblem !== undefined) logger.error({ problem: this.clockProblem }, 'clock.wrong');
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

function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
