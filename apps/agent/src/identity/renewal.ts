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
  /** A connection that presents the identity, for one call; closed afterwards. */
  readonly openClient: (identity: Identity) => Client;
  /** The new identity is on disk. */
  readonly onRenewed: (identity: Identity) => void;
  readonly random?: () => number;
  /** Interval between checks and delay after a failure. */
  readonly checkMs?: number;
}

const CHECK_MS = 60_000;
/** The controller lets certificates begin so long before it makes them. */
const BACKDATE_MS = 5 * 60_000;
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** While the clock is wrong the next certificate tells whether it still is. */
const CLOCK_CHECK_MS = 3_600_000;
/** Renewals that follow each other without need are this many times `checkMs` apart in the end. */
const GAP_MAX_FACTOR = 30;

/** When to renew: at half of the certificate's life, spread by a tenth of it so that a fleet does not come at once. */
function deriveRenewalTime(certificate: X509Certificate, random: number): number {
  const from = certificate.validFromDate.getTime();
  const life = certificate.validToDate.getTime() - from;
  return from + life * (0.5 + 0.1 * random);
}

/**
 * Keeps the certificate fresh. Waiting until half of its life is over; then renewing, again and again until it works: the
 * controller also takes a certificate that has ended while this host was off. Each renewal makes a new key.
 *
 * A certificate that has just come shows what time it is for the controller. The wait for the next renewal counts from there, so that a
 * clock that is wrong, however far, makes no renewal follow at once; and renewals that do follow each other, because another
 * controller finds each new certificate ended, are further and further apart.
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

  /** The controller refused the certificate as expired, so renew without delay. */
  renewNow(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** What is wrong with this host's clock, as of the newest certificate; undefined when nothing is. */
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
      // The steady clock stands still while a host sleeps, the other one may be set
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
