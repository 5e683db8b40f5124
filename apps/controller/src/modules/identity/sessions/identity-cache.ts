import type { Role } from '@flotilla/contract';
import type { Clock } from '@flotilla/kit';
import { Recent } from '../../../platform/http/recent.ts';

/** The facts about a session that every request needs. */
export interface Identity {
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
  readonly isOwner: boolean;
  readonly mustChangePassword: boolean;
  readonly expiresAt: Date;
  /**
   * Roles by id of the projects that the session may use. Owners of the installation have every role in every project.
   */
  readonly roles: ReadonlyMap<string, Role>;
  /** Roles in projects that require a second factor which the session lacks. */
  readonly closed: ReadonlyMap<string, Role>;
  /** Projects in which permissions restrict the user. */
  readonly listed: ReadonlySet<string>;
}

/** Caches live sessions, see `Recent`. Ended sessions are never cached. */
export class IdentityCache {
  readonly #load: (sessionId: string) => Promise<Identity | undefined>;
  readonly #recent: Recent<Identity>;

  constructor(load: (sessionId: string) => Promise<Identity | undefined>, clock: Pick<Clock, 'monotonic'>) {
    this.#load = load;
    this.#recent = new Recent(clock);
  }

  get size(): number {
    return this.#recent.size;
  }

  /** undefined if the session does not exist or has ended, or its user is disabled. */
  find(sessionId: string): Promise<Identity | undefined> {
    return this.#recent.find(sessionId, () => this.#load(sessionId));
  }

  forget(): void {
    this.#recent.forget();
  }
}
