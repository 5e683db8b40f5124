import { type Resource, type ResourceKey, toResourceKey } from '../resource.ts';
import type { Timers } from '../timers.ts';
import type { WarmthProbe } from '../warmth.ts';

export interface WarmWatchOptions {
  readonly probe: WarmthProbe;
  readonly timers: Timers;
  readonly onWarm: (resources: readonly Resource[]) => void;
  readonly onFailure: () => void;
}

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1_000;

/**
 * Polls a probe about resources until all are warm.
 *
 * Idle: nothing to ask about. Asking: one check is running. Resting: the next check comes after a wait that doubles up
 * to a second and is reset when another resource joins. Closed: a running check is aborted and its answer dropped.
 */
export class WarmWatch {
  readonly #options: WarmWatchOptions;
  readonly #abort = new AbortController();
  #resources: readonly Resource[] = [];
  #asking = false;
  #cancelWait: (() => void) | undefined;
  #waitMs = FIRST_WAIT_MS;

  constructor(options: WarmWatchOptions) {
    this.#options = options;
  }

  /** Replaces the watched resources. */
  set(resources: readonly Resource[]): void {
    const joined = resources.some((resource) => !this.#resources.includes(resource));
    this.#resources = resources;
    if (resources.length === 0) this.#rest();
    if (!joined) return;
    this.#waitMs = FIRST_WAIT_MS;
    this.#rest();
    void this.#ask();
  }

  close(): void {
    this.#resources = [];
    this.#rest();
    this.#abort.abort();
  }

  #rest(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const { probe, timers, onWarm, onFailure } = this.#options;
    const asked = this.#resources;
    let warm: ReadonlySet<ResourceKey> | undefined;
    try {
      warm = await probe.check(asked, this.#abort.signal);
    } catch {
      // A failed probe means only that Envoy could not be asked; the session decides what that implies.
      warm = undefined;
    }
    this.#asking = false;
    if (this.#abort.signal.aborted) return;
    if (warm) onWarm(asked.filter((resource) => warm.has(toResourceKey(resource))));
    else onFailure();
    if (this.#resources.length === 0 || this.#cancelWait) return;
    this.#cancelWait = timers.after(this.#waitMs, () => {
      this.#cancelWait = undefined;
      void this.#ask();
    });
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }
}
