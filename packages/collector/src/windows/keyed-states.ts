import { EvidenceTable } from './evidence-table.ts';
import { DamagedStateError, type PlainState, type StateAge, StateReader, StateWriter } from './plain-state.ts';

interface Kept<State> {
  readonly key: string;
  readonly state: State;
  lastMs: number;
  hits: number;
}

export interface KeyedStatesOptions<State> {
  readonly max: number;
  /** A state that was not used for so long says nothing any more. */
  readonly idleMs: number;
  readonly create: (timeMs: number) => State;
  readonly write: (state: State, to: StateWriter) => void;
  /** The same state again. Throws DamagedStateError. */
  readonly read: (from: StateReader) => State;
}

/** A table of states, for code that does not know what a state is. */
export interface StateTable {
  readonly size: number;
  /** How often a key got no state. */
  readonly refused: number;
  delete(key: string): void;
  clear(): void;
  /** States that are not idle, the strongest first, until they have so many values. */
  write(nowMs: number, valuesMax: number): readonly PlainState[];
  /** Takes what `write` returned, except for what has become idle. Throws DamagedStateError, and then takes nothing. */
  read(rows: unknown, age: StateAge): void;
}

const VICTIMS_LOOKED_AT = 8;
const TABLE_PLACES = 16_384;

/**
 * States by key, at most `max`. While there is room, every key gets a state. When it is full, a new key must show more evidence than the weakest of the next
 * few states: a scanner with a million keys that it uses once displaces nobody. The evidence of keys without a state is counted in a table of fixed size.
 */
export class KeyedStates<State> implements StateTable {
  readonly #options: KeyedStatesOptions<State>;
  readonly #kept = new Map<string, Kept<State>>();
  /** The same states, to look at a few of them. A map with deleted keys would be slow to begin with. */
  readonly #list: Kept<State>[] = [];
  /** The place in the list where the next look begins. */
  #hand = 0;
  #table: EvidenceTable | undefined;
  #agedMs = 0;
  #refused = 0;

  constructor(options: KeyedStatesOptions<State>) {
    this.#options = options;
  }

  get size(): number {
    return this.#list.length;
  }

  get refused(): number {
    return this.#refused;
  }

  /** The state of the key, which is created if it may have one. Counts as evidence for it. */
  use(key: string, timeMs: number): State | undefined {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      known.lastMs = Math.max(known.lastMs, timeMs);
      known.hits += 1;
      return known.state;
    }
    const hits = this.#list.length < this.#options.max ? 1 : this.#displace(key, timeMs);
    if (hits === 0) {
      this.#refused += 1;
      return undefined;
    }
    const state = this.#options.create(timeMs);
    this.#add({ key, state, lastMs: timeMs, hits });
    return state;
  }

  /** The state of the key if it has one. Counts as nothing. */
  peek(key: string): State | undefined {
    return this.#kept.get(key)?.state;
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#remove(this.#list.indexOf(kept));
  }

  clear(): void {
    this.#kept.clear();
    this.#list.length = 0;
  }

  write(nowMs: number, valuesMax: number): PlainState[] {
    const { idleMs, write } = this.#options;
    const rows: PlainState[] = [];
    let values = 0;
    for (const { key, state, lastMs, hits } of this.#list.toSorted((a, b) => b.hits - a.hits)) {
      if (nowMs - lastMs > idleMs) continue;
      const to = new StateWriter(nowMs);
      to.text(key);
      to.time(lastMs);
      to.number(hits);
      write(state, to);
      values += to.values.length;
      if (values > valuesMax) break;
      rows.push(to.values);
    }
    return rows;
  }

  read(rows: unknown, age: StateAge): void {
    const { max, idleMs, read } = this.#options;
    if (!Array.isArray(rows) || rows.length > max) throw new DamagedStateError('the states are no list, or too many');
    const found = new Map<string, Kept<State>>();
    for (const row of rows as unknown[]) {
      const from = new StateReader(row, age);
      const [key, lastMs, hits] = [from.text(), from.time(), from.amount()];
      const state = read(from);
      if (from.left !== 0) throw new DamagedStateError('a state has another length');
      if (age.nowMs - lastMs <= idleMs) found.set(key, { key, state, lastMs, hits });
    }
    this.clear();
    for (const kept of found.values()) this.#add(kept);
  }

  #add(kept: Kept<State>): void {
    this.#kept.set(kept.key, kept);
    this.#list.push(kept);
  }

  #remove(at: number): void {
    const kept = this.#list[at];
    const last = this.#list.pop();
    if (kept === undefined || last === undefined) return;
    if (last !== kept) this.#list[at] = last;
    this.#kept.delete(kept.key);
  }

  /** Makes room for the key. Returns its evidence; 0 if it has less than all others. */
  #displace(key: string, timeMs: number): number {
    const hits = this.#noteEvidence(key, timeMs);
    let weakest = -1;
    let least = hits;
    for (let looked = 0; looked < VICTIMS_LOOKED_AT; looked += 1) {
      this.#hand = (this.#hand + 1) % this.#list.length;
      const kept = this.#list[this.#hand];
      if (kept === undefined) continue;
      if (timeMs - kept.lastMs > this.#options.idleMs) {
        weakest = this.#hand;
        break;
      }
      if (kept.hits < least) [weakest, least] = [this.#hand, kept.hits];
    }
    if (weakest < 0) return 0;
    this.#remove(weakest);
    return hits;
  }

  #noteEvidence(key: string, timeMs: number): number {
    this.#table ??= new EvidenceTable(TABLE_PLACES);
    if (timeMs - this.#agedMs >= this.#options.idleMs) {
      this.#agedMs = timeMs;
      this.#table.age();
      for (const kept of this.#list) kept.hits = Math.ceil(kept.hits / 2);
    }
    return this.#table.add(key);
  }
}
