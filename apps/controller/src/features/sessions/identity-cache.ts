import type { Role } from '@flotilla/contract';
import type { Clock } from '@flotilla/kit';
import { Recent } from '../../http/recent.ts';

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

/** Remembers live sessions, see `Recent`. Sessions that have ended never are. */
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

  /** Undefined where there is no such session, it has ended, or its user is switched off. */
  find(sessionId: string): Promise<Identity | undefined> {
    return this.#recent.find(sessionId, () => this.#load(sessionId));
  }

  forget(): void {
    this.#recent.forget();
  }
}
