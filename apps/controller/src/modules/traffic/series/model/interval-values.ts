import { toKey } from './block.ts';
import type { Wanted } from './codec.ts';
import { isSameText, openReader, type Reader, readText, type TextPlace } from './reader.ts';

interface Name {
  readonly scope: number;
  readonly place: TextPlace | null;
  readonly name: string | null;
  readonly key: string;
}

/**
 * The values of one interval, read from the bytes of a block with one step. An instance is used for many intervals, because objects for each
 * value caused much of the garbage: `read` replaces what it holds. Intervals of a node have the same names in the same order, so a name
 * is decoded only if it differs.
 */
export class IntervalValues {
  /** Number of series. */
  size = 0;
  readonly ids: number[] = [];
  readonly values: number[] = [];
  readonly #names: Name[] = [];
  readonly #ends: number[] = [];

  nameAt(series: number): Name {
    const name = this.#names[series];
    if (!name) throw new RangeError(`there is no series ${series}`);
    return name;
  }

  /** The end of the values of a series, which begin at the end of the previous one. */
  endAt(series: number): number {
    return series < 0 ? 0 : (this.#ends[series] ?? 0);
  }

  /** false: the bytes are not those of an interval. */
  read(bytes: Uint8Array, wanted: Wanted = {}): boolean {
    this.size = 0;
    try {
      return this.#read(openReader(bytes), wanted);
    } catch {
      this.size = 0;
      return false;
    }
  }

  #read(input: Reader, wanted: Wanted): boolean {
    if (input.number() !== 1) return false;
    input.skipColumn(1);
    let end = 0;
    for (let left = input.number(); left > 0; left -= 1) {
      const name = this.#readName(input);
      const isWanted =
        (wanted.scope === undefined || wanted.scope === name.scope) &&
        (wanted.name === undefined || wanted.name === name.name);
      for (let columns = input.number(); columns > 0; columns -= 1) {
        const id = input.number();
        const value = input.number();
        if (value === 0) input.number();
        if (!isWanted) continue;
        this.ids[end] = id;
        this.values[end] = value;
        end += 1;
      }
      if (!isWanted) continue;
      this.#names[this.size] = name;
      this.#ends[this.size] = end;
      this.size += 1;
    }
    return true;
  }

  #readName(input: Reader): Name {
    const scope = input.number();
    const place = input.textPlace();
    const last = this.#names[this.size];
    if (last?.scope === scope && isSame(last.place, place)) return last;
    const name = place && readText(place);
    return { scope, place, name, key: toKey(scope, name) };
  }
}

function isSame(one: TextPlace | null, other: TextPlace | null): boolean {
  return one === null || other === null ? one === other : isSameText(one, other);
}
