import type { Role } from '@flotilla/contract';
import type { Clock } from '@flotilla/kit';

/** What a request needs to know of the session it came with. */
export interface Identity {
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
  readonly isOwner: boolean;
  readonly mustChangePassword: boolean;
  readonly expiresAt: Date;
  /** Project id -> role. Owners of the installation have every role in every project. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Projects where they reach what permissions name, and no more. */
  readonly listed: ReadonlySet<string>;
}

/** What is remembered is older than that at no time: the bound of every revocation, also where no news arrives. */
export const IDENTITY_MAX_AGE_MS = 500;
const ENTRIES_MAX = 10_000;

interface Entry {
  readonly identity: Identity;
  readonly staleAtMs: number;
}

/**
 * Remembers live sessions for half a second, counted from the start of the query that told of them. What was asked
 * before a change and answered after it is not remembered. Sessions that have ended never are.
 */
export class IdentityCache {
  readonly #load: (sessionId: string) => Promise<Identity | undefined>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #entries = new Map<string, Entry>();
  /** Counts what was forgotten, so that a load knows of what happened meanwhile. */
  #generation = 0;

  constructor(load: (sessionId: string) => Promise<Identity | undefined>, clock: Pick<Clock, 'monotonic'>) {
    this.#load = load;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined where there is no such session, it has ended, or its user is switched off. */
  async find(sessionId: string): Promise<Identity | undefined> {
    const startedMs = this.#clock.monotonic();
    const entry = this.#entries.get(sessionId);
    if (entry && startedMs < entry.staleAtMs) return entry.identity;
    this.#entries.delete(sessionId);
    const generation = this.#generation;
    const identity = await this.#load(sessionId);
    if (identity && generation === this.#generation) this.#remember(identity, startedMs + IDENTITY_MAX_AGE_MS);
    return identity;
  }

  /** Of what is on its way from the database nothing is remembered either. */
  forget(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  /** An entry is put in once and never moved, so the first one is the oldest. */
  #remember(identity: Identity, staleAtMs: number): void {
    this.#entries.delete(identity.sessionId);
    if (this.#entries.size >= ENTRIES_MAX) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    this.#entries.set(identity.sessionId, { identity, staleAtMs });
  }
}
