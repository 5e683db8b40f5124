import type { ReplayFlip, ReplayGroup, ReplayGroups } from './report.ts';

/** Maximum number of separate names; later ones share an entry. */
const NAMES_MAX = 20_000;
const GROUPS_SHOWN_MAX = 50;
const NAME_MAX_CHARS = 512;

type Counts = { -readonly [K in keyof Omit<ReplayGroup, 'name'>]: ReplayGroup[K] };

/** Counts requests and flips per name, with bounded memory. */
export class GroupCounts {
  readonly #byName = new Map<string, Counts>();
  readonly #rest = createCounts();

  add(name: string, { flip, weight }: { readonly flip: ReplayFlip | undefined; readonly weight: number }): void {
    const counts = this.#countsOf(name.length > NAME_MAX_CHARS ? `${name.slice(0, NAME_MAX_CHARS - 1)}…` : name);
    counts.requests += weight;
    if (flip !== undefined) counts[flip] += weight;
  }

  read(): ReplayGroups {
    const all = [...this.#byName]
      .map(([name, counts]): ReplayGroup => ({ name, ...counts }))
      .sort((a, b) => flipsOf(b) - flipsOf(a) || b.requests - a.requests || (a.name < b.name ? -1 : 1));
    const others = { requests: this.#rest.requests, flips: flipsOf(this.#rest) };
    for (const group of all.slice(GROUPS_SHOWN_MAX)) {
      others.requests += group.requests;
      others.flips += flipsOf(group);
    }
    return { groups: all.slice(0, GROUPS_SHOWN_MAX), others };
  }

  #countsOf(name: string): Counts {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    if (this.#byName.size >= NAMES_MAX) return this.#rest;
    const counts = createCounts();
    this.#byName.set(name, counts);
    return counts;
  }
}

function createCounts(): Counts {
  return { requests: 0, allow_to_block: 0, block_to_allow: 0, other_reason: 0, detection_changed: 0 };
}

function flipsOf(counts: Omit<ReplayGroup, 'name'>): number {
  return counts.allow_to_block + counts.block_to_allow + counts.other_reason + counts.detection_changed;
}
