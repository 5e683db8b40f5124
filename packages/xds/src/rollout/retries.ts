import type { Clock } from '@flotilla/kit';
import type { ResourceKey } from '../resource.ts';
import type { Refusal } from './verdict.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** The words of Envoy if the address of a listener is taken or not on the host. */
const OF_HOST = /\b(?:cannot|failed to) (?:bind|listen)\b/;

interface Retry {
  readonly version: string;
  readonly at: number;
  readonly waitMs: number;
}

/**
 * Refusals that are about the host and not about the content: Envoy could not bind the address of a listener. Such a version is sent
 * again after a second, then after twice as long each time, up to a minute.
 */
export class Retries {
  readonly #clock: Clock;
  readonly #retries = new Map<ResourceKey, Retry>();

  constructor(clock: Clock, earlier: ReadonlyMap<ResourceKey, Refusal>) {
    this.#clock = clock;
    for (const [key, refusal] of earlier) this.note(key, refusal);
  }

  note(key: ResourceKey, { version, reason }: Refusal): void {
    if (!OF_HOST.test(reason)) {
      this.#retries.delete(key);
      return;
    }
    const before = this.#retries.get(key);
    const waitMs = before?.version === version ? Math.min(before.waitMs * 2, LONGEST_WAIT_MS) : FIRST_WAIT_MS;
    this.#retries.set(key, { version, at: this.#clock.monotonic() + waitMs, waitMs });
  }

  /** Envoy has accepted a version. */
  clear(key: ResourceKey): void {
    this.#retries.delete(key);
  }

  /** Time at which the next version is due, if any. */
  next(): number | undefined {
    const next = Math.min(...[...this.#retries.values()].map(({ at }) => at));
    return next === Infinity ? undefined : next;
  }

  /** Each is due once for each refusal. */
  takeDue(): { readonly key: ResourceKey; readonly version: string }[] {
    const now = this.#clock.monotonic();
    const due = [...this.#retries].filter(([, { at }]) => at <= now);
    for (const [key, retry] of due) this.#retries.set(key, { ...retry, at: Infinity });
    return due.map(([key, { version }]) => ({ key, version }));
  }
}
