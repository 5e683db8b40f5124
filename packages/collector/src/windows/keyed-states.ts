import { EvidenceTable } from './evidence-table.ts';

interface Kept<State> {
  readonly state: State;
  lastMs: number;
  hits: number;
}

export interface KeyedStatesOptions<State> {
  readonly max: number;
  /** A state that was not used for so long says nothing any more. */
  readonly idleMs: number;
  readonly create: (timeMs: number) => State;
}

const VICTIMS_LOOKED_AT = 8;
const TABLE_PLACES = 16_384;

/**
 * States by key, at most `max`. While there is room, every key gets a state. When it is full, a new key must show more evidence than the weakest of the
 * states that were not used for longest: a scanner with a million keys that it uses once displaces nobody. The evidence of keys without a state is counted
 * in a table of fixed size.
 */
export class KeyedStates<State> {
  readonly #options: KeyedStatesOptions<State>;
  /** When it is full, the one that was not used for longest comes first. */
  readonly #kept = new Map<string, Kept<State>>();
  #table: EvidenceTable | undefined;
  #agedMs = 0;
  #refused = 0;

  constructor(options: KeyedStatesOptions<State>) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** How often a key got no state. */
  get refused(): number {
    return this.#refused;
  }

  /** The state of the key, which is created if it may have one. Counts as evidence for it. */
  use(key: string, timeMs: number): State | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      if (this.#kept.size >= this.#options.max) {
        this.#kept.delete(key);
        this.#kept.set(key, kept);
      }
      kept.lastMs = Math.max(kept.lastMs, timeMs);
      kept.hits += 1;
      return kept.state;
    }
    const hits = this.#kept.size < this.#options.max ? 1 : this.#displace(key, timeMs);
    if (hits === 0) {
      this.#refused += 1;
      return undefined;
    }
    const state = this.#options.create(timeMs);
    this.#kept.set(key, { state, lastMs: timeMs, hits });
    return state;
  }

  /** The state of the key if it has one. Counts as nothing. */
  peek(key: string): State | undefined {
    return this.#kept.get(key)?.state;
  }

  /** Makes room for the key. Returns its evidence; 0 if it has less than all others. */
  #displace(key: string, timeMs: number): number {
    const { idleMs } = this.#options;
    if (this.#table === undefined) this.#table = new EvidenceTable(TABLE_PLACES);
    if (timeMs - this.#agedMs >= idleMs) {
      this.#agedMs = timeMs;
      this.#table.age();
      for (const kept of this.#kept.values()) kept.hits = Math.ceil(kept.hits / 2);
    }
    const hits = this.#table.add(key);
    let weakest: string | undefined;
    let least = hits;
    let looked = 0;
    for (const [other, kept] of this.#kept) {
      if (timeMs - kept.lastMs > idleMs) {
        weakest = other;
        break;
      }
      if (kept.hits < least) [weakest, least] = [other, kept.hits];
      looked += 1;
      if (looked >= VICTIMS_LOOKED_AT) break;
    }
    if (weakest === undefined) {
      this.#rotate();
      return 0;
    }
    this.#kept.delete(weakest);
    return hits;
  }

  /** The states that were looked at were stronger. The next time, others are looked at. */
  #rotate(): void {
    const [first] = this.#kept;
    if (first === undefined) return;
    this.#kept.delete(first[0]);
    this.#kept.set(first[0], first[1]);
  }
}
