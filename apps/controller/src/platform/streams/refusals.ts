import type { Db } from '@flotilla/db';
import type { AppError, Clock, Logger } from '@flotilla/kit';
import { type AuditEntry, recordAudit } from '../audit/index.ts';
import { networkOf } from '../http/network.ts';
import type { CertificateClaim } from './client-certificate.ts';
import type { CallOrigin } from './enrolment-port.ts';

/** Audit entries per minute and network: enough for honest mistakes, too few to fill a disk. */
const ENTRIES_PER_MINUTE = 30;
const NETWORKS_MAX = 1000;
const MINUTE_MS = 60_000;

interface Window {
  startedAt: number;
  entries: number;
  omitted: number;
}

export interface RefusalsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for every refusal, including those left out of the audit log. */
  readonly onRefused: (code: string) => void;
}

/**
 * Records refused calls within bounds: the refusals beyond a network's share are counted, and the count is part of its
 * next entry.
 */
export class Refusals {
  readonly #deps: RefusalsDeps;
  readonly #windows = new Map<string, Window>();

  constructor(deps: RefusalsDeps) {
    this.#deps = deps;
  }

  /** Never rejects: a call is refused even if it cannot be recorded. */
  async record(refusal: {
    action: string;
    error: AppError;
    origin: CallOrigin;
    claim?: CertificateClaim | undefined;
    changes?: Readonly<Record<string, unknown>>;
  }): Promise<void> {
    const { action, error, origin, claim } = refusal;
    const { db, clock, logger, onRefused } = this.#deps;
    onRefused(error.code);
    const omitted = this.#take(networkOf(origin.ip));
    if (omitted === undefined) return;
    const changes = { reason: error.message, ...refusal.changes, ...(omitted > 0 && { omitted_before: omitted }) };
    const entry: AuditEntry = {
      at: new Date(clock.now()),
      actor: claim ? { kind: 'client', id: claim.clientId, name: claim.clientId } : { kind: 'anonymous' },
      actorRole: undefined,
      projectId: claim?.projectId,
      action,
      outcome: 'denied',
      status: error.httpStatus,
      errorCode: error.code,
      subject: { type: 'client', changes, ...(claim && { id: claim.clientId }) },
      request: origin,
    };
    try {
      await recordAudit(db, entry);
    } catch (cause) {
      logger.error({ err: cause, action, code: error.code, ip: origin.ip }, 'refusal.not_recorded');
    }
  }

  /** Number of refusals left out before this one; undefined if this one is left out too. */
  #take(network: string): number | undefined {
    const now = this.#deps.clock.monotonic();
    let window = this.#windows.get(network);
    if (!window || now - window.startedAt >= MINUTE_MS) {
      window = { startedAt: now, entries: 0, omitted: window?.omitted ?? 0 };
      this.#windows.delete(network);
      this.#windows.set(network, window);
      this.#forgetOldest();
    }
    if (window.entries >= ENTRIES_PER_MINUTE) {
      window.omitted += 1;
      return undefined;
    }
    window.entries += 1;
    const { omitted } = window;
    window.omitted = 0;
    return omitted;
  }

  #forgetOldest(): void {
    for (const network of this.#windows.keys()) {
      if (this.#windows.size <= NETWORKS_MAX) return;
      this.#windows.delete(network);
    }
  }
}
