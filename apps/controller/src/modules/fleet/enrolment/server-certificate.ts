import { isIP } from 'node:net';
import type { Clock, Logger } from '@flotilla/kit';
import type { ServerCertificatePort, ServerIdentity } from '../../../platform/streams/enrolment-port.ts';
import type { Authority } from './authority.ts';
import { toPem } from './x509.ts';

const LIFETIME_MS = 7 * 86_400_000;
/** Node's timers are limited to 2^31 ms; this interval is far shorter. */
const CHECK_INTERVAL_MS = 3_600_000;

export interface ServerCertificateOptions {
  /** In addition to localhost and the loopback addresses. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Interval of checking its age. */
  readonly checkMs?: number;
}

/** Issues the certificate of the gRPC port and renews it at half its lifetime, without closing connections. */
export class ServerCertificate implements ServerCertificatePort {
  readonly #authority: Authority;
  readonly #options: ServerCertificateOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(authority: Authority, options: ServerCertificateOptions) {
    this.#authority = authority;
    this.#options = options;
  }

  async issue(): Promise<ServerIdentity> {
    const { names, clock } = this.#options;
    const all = new Set(['localhost', '127.0.0.1', '::1', ...names]);
    const dns = [...all].filter((name) => isIP(name) === 0);
    const ip = [...all].filter((name) => isIP(name) !== 0);
    const issued = await this.#authority.issueServer(
      { dns, ip },
      { now: new Date(clock.now()), lifetimeMs: LIFETIME_MS },
    );
    return {
      keyPem: issued.keyPem,
      chainPem: `${toPem(issued.der)}\n${this.#authority.certificatePem}\n`,
      expiresAt: issued.expiresAt,
    };
  }

  /** Passes every renewed identity to `install`. */
  keepFresh(first: ServerIdentity, install: (identity: ServerIdentity) => void): void {
    let current = first;
    const check = async (): Promise<void> => {
      if (current.expiresAt.getTime() - this.#options.clock.now() > LIFETIME_MS / 2) return;
      current = await this.issue();
      install(current);
      this.#options.logger.info({ expires_at: current.expiresAt }, 'server_certificate.replaced');
    };
    this.#timer = setInterval(() => {
      check().catch((error: unknown) => this.#options.logger.error({ err: error }, 'server_certificate.not_replaced'));
    }, this.#options.checkMs ?? CHECK_INTERVAL_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
