import { type Resource, type ResourceKey, type ResourceRef, toResourceKey } from '../resource.ts';
import { isWarmedType, isWholeType } from '../resource-type.ts';
import type { AskedNames } from './asked-names.ts';
import type { Entry } from './entry.ts';
import type { EnvoyCopies } from './envoy-copies.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import { WarmWatch } from './warm-watch.ts';

/** After so long without warming, what a resource refers to is sent again: Envoy may wait for a fresh copy. */
const NUDGE_AFTER_MS = 1_000;

export interface WarmingOptions {
  readonly memory: Pick<RolloutMemory, 'clock' | 'limits' | 'probe' | 'timers'>;
  readonly copies: EnvoyCopies;
  readonly asked: AskedNames;
  /** Something became warm, the probe began to fail, or something is to be sent again. */
  readonly onChange: (resend: readonly ResourceRef[]) => void;
}

/**
 * Finds out when what one Envoy has acknowledged is warm, that is, in use.
 *
 * A copy is cold from its acknowledgement until the probe finds it warm; one that stays cold is nudged once: what it refers
 * to is sent again. Without a probe whatever is acknowledged counts as warm.
 */
export class Warming {
  readonly #options: WarmingOptions;
  readonly #watch: WarmWatch | undefined;
  readonly #nudged = new Set<Entry>();
  #probeFails = false;

  constructor(options: WarmingOptions) {
    this.#options = options;
    const { probe, timers } = options.memory;
    this.#watch =
      probe &&
      new WarmWatch({
        probe,
        timers,
        onWarm: (resources) => this.#noteWarm(resources),
        onFailure: () => this.#noteFailure(),
      });
  }

  /** Envoy could not be asked the last time. */
  get probeFails(): boolean {
    return this.#probeFails;
  }

  noteAcknowledged(key: ResourceKey): void {
    if (!this.#watch) this.#options.copies.markWarm(key);
  }

  /** From now on the probe is asked about what is cold now. */
  follow(): void {
    const cold = [...this.#options.copies.entries()].flatMap(([, { live, warm }]) =>
      live && !warm && isWarmedType(live.resource.typeUrl) ? [live.resource] : [],
    );
    this.#watch?.set(cold);
  }

  /** When the first of those that are still awaited has been cold for too long; monotonic ms, Infinity without any. */
  nextLimit(): number {
    const { copies, memory } = this.#options;
    const now = memory.clock.monotonic();
    let next = Infinity;
    for (const [, { live, warm, ackedAt }] of copies.entries()) {
      const limit = ackedAt + memory.limits.warmMs;
      if (live && !warm && limit > now) next = Math.min(next, limit);
    }
    return next;
  }

  close(): void {
    this.#watch?.close();
  }

  #noteWarm(resources: readonly Resource[]): void {
    const { copies, onChange } = this.#options;
    this.#probeFails = false;
    for (const resource of resources) {
      const key = toResourceKey(resource);
      // By now Envoy may have acknowledged a newer version.
      if (copies.get(key)?.live?.resource.version === resource.version) copies.markWarm(key);
    }
    const resend = this.#nudge();
    if (resources.length > 0 || resend.length > 0) onChange(resend);
  }

  #noteFailure(): void {
    const resend = this.#nudge();
    if (this.#probeFails && resend.length === 0) return;
    this.#probeFails = true;
    this.#options.onChange(resend);
  }

  #nudge(): ResourceRef[] {
    const { copies, asked, memory } = this.#options;
    const now = memory.clock.monotonic();
    const resend: ResourceRef[] = [];
    for (const [, { live, warm, ackedAt }] of copies.entries()) {
      if (!live || warm || now - ackedAt < NUDGE_AFTER_MS || this.#nudged.has(live)) continue;
      this.#nudged.add(live);
      resend.push(...asked.listNeeds(live).filter(({ typeUrl }) => !isWholeType(typeUrl)));
    }
    return resend;
  }
}
