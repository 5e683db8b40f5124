import { LRUCache } from 'lru-cache';
import type { AddressGuard } from '../../../../platform/outbound/index.ts';
import type { Cloud } from './cloud.ts';
import { type CloudSession, signInTo } from './sign-in.ts';

const SESSIONS_MAX = 500;
/** A token that ends this soon is replaced before it is used. */
const REST_MS = 60_000;

/** The asker of a session. Nobody gets the session of another project, even if both store the same cloud. */
export interface SessionOwner {
  readonly projectId: string;
  readonly cloud: Cloud;
  readonly cloudProject: string;
}

/** Tokens of clouds, each used until it is about to expire. Requests at the same time share one sign-in. */
export class CloudSessions {
  readonly #known = new LRUCache<string, Promise<CloudSession>>({ max: SESSIONS_MAX });
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async get(owner: SessionOwner, guard: AddressGuard): Promise<CloudSession> {
    const key = keyOf(owner);
    const known = this.#known.get(key);
    const session = known && (await known);
    if (session && session.expiresAt - this.#now() > REST_MS) return session;
    // Another request may have begun to replace it.
    const newer = this.#known.get(key);
    if (newer && newer !== known) return newer;
    const next = signInTo(owner.cloud, owner.cloudProject, guard);
    this.#known.set(key, next);
    next.catch(() => this.#forget(key, next));
    return next;
  }

  /** Call it when the cloud refuses the token. */
  async drop(owner: SessionOwner, session: CloudSession): Promise<void> {
    const key = keyOf(owner);
    const known = this.#known.get(key);
    if (known && (await known) === session) this.#forget(key, known);
  }

  #forget(key: string, session: Promise<CloudSession>): void {
    if (this.#known.peek(key) === session) this.#known.delete(key);
  }
}

function keyOf({ projectId, cloud, cloudProject }: SessionOwner): string {
  return JSON.stringify([projectId, cloud.name, cloud.version, cloudProject]);
}
