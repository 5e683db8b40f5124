import { type Resource, type ResourceKey, type ResourceRef, toResourceKey } from '../resource.ts';
import { isWarmedType, isWholeType } from '../resource-type.ts';
import type { AskedNames } from './asked-names.ts';
import type { Entry } from './entry.ts';
import type { EnvoyCopies } from './envoy-copies.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import { WarmWatch } from './warm-watch.ts';

/** After this time without warming, the dependencies of a resource are sent again: Envoy may wait for a fresh copy. */
const NUDGE_AFTER_MS = 1_000;

export interface WarmingOptions {
  readonly memory: Pick<RolloutMemory, 'clock' | 'limits' | 'probe' | 'timers'>;
  readonly copies: EnvoyCopies;
  readonly asked: AskedNames;
  /** A resource became warm, the probe began to fail, or resources must be sent again. */
  readonly onChange: (resend: readonly ResourceRef[]) => void;
}

/**
 * Determines when the resources that one Envoy has acknowledged are warm, that is, in use.
 *
 * A copy is cold from its acknowledgement until the probe finds it warm. One that stays cold is nudged once: its
 * dependencies are sent again. Without a probe, every acknowledged resource counts as warm.
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

  /** The last attempt to ask Envoy failed. */
  get probeFails(): boolean {
    return this.#probeFails;
  }

  noteAcknowledged(key: ResourceKey): void {
    if (!this.#watch) this.#options.copies.markWarm(key);
  }

  /** Makes the probe check the resources that are cold now. */
  follow(): void {
    const cold = [...this.#options.copies.entries()].flatMap(([, { live, warm }]) =>
      live && !warm && isWarmedType(live.resource.typeUrl) ? [live.resource] : [],
    );
    this.#watch?.set(cold);
  }

  /** When the first awaited resource exceeds its warm limit; monotonic ms, Infinity if none is awaited. */
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
      // Envoy may have acknowledged a newer version in the meantime.
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
