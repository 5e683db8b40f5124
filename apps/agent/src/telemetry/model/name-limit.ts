import { fleet } from '@flotilla/proto';
import type { Catalog, Series } from './catalog.ts';
import { type SeriesSums, TrafficSums } from './traffic-sums.ts';

/** Limits of the names of one service. Others are summed up per scope. */
export interface NameLimits {
  readonly names: number;
  /** Names can have two kilobytes. */
  readonly bytes: number;
}

export const NAME_LIMITS: NameLimits = { names: 2_000, bytes: 256 * 1024 };

/** Names of an earlier scope are admitted first, and in a scope the shorter ones, because more of them fit. */
const ORDER: readonly fleet.TrafficScope[] = [
  fleet.TrafficScope.SERVER,
  fleet.TrafficScope.LISTENER,
  fleet.TrafficScope.ROUTE_CONFIGURATION,
  fleet.TrafficScope.CLUSTER,
  fleet.TrafficScope.VIRTUAL_HOST,
];

/**
 * Bounds the number of names that are reported about one service. A name that was reported once keeps its place as long as Envoy
 * counts something for it, so that no series is interrupted by a newer name.
 */
export class NameLimit {
  readonly #limits: NameLimits;
  /** Maps the admitted names to their size in bytes. */
  #admitted = new Map<string, number>();

  constructor(limits: NameLimits = NAME_LIMITS) {
    this.#limits = limits;
  }

  /** Returns the sums with the names beyond the limit in `other`, and their number. */
  apply(sums: TrafficSums, catalog: Catalog): { readonly sums: TrafficSums; readonly omitted: number } {
    const entries = [...sums.entries].sort(([a], [b]) => rankOf(a) - rankOf(b) || a.name.length - b.name.length);
    const admitted = this.#admit(entries);
    if (admitted === entries.length) return { sums, omitted: 0 };
    const bounded = new TrafficSums();
    for (const [series, one] of entries) {
      const isAdmitted = series.name === '' || this.#admitted.has(toKey(series));
      bounded.merge(isAdmitted ? series : catalog.intern(series.scope, ''), one);
    }
    return { sums: bounded, omitted: entries.length - admitted };
  }

  /** Returns the number of admitted names. */
  #admit(entries: ReadonlyArray<readonly [Series, SeriesSums]>): number {
    const current = new Set(entries.map(([series]) => toKey(series)));
    const kept = new Map([...this.#admitted].filter(([key]) => current.has(key)));
    let bytes = [...kept.values()].reduce((total, size) => total + size, 0);
    let unnamed = 0;
    for (const [series] of entries) {
      const key = toKey(series);
      if (series.name === '') unnamed += 1;
      if (series.name === '' || kept.has(key)) continue;
      const size = Buffer.byteLength(series.name);
      if (kept.size >= this.#limits.names || bytes + size > this.#limits.bytes) continue;
      kept.set(key, size);
      bytes += size;
    }
    this.#admitted = kept;
    return kept.size + unnamed;
  }
}

function rankOf({ scope }: Series): number {
  return ORDER.indexOf(scope);
}

function toKey({ scope, name }: Series): string {
  return `${scope}\n${name}`;
}
