import { VALUES_MAX } from './limits.ts';
import type { Method } from './method.ts';
import type { ValueKind } from './placeholders.ts';

/** A place in the tree of paths: what was seen up to a segment. Counts are of answered requests. */
export interface Place {
  readonly words: Map<string, Place>;
  /** By pattern (`{}`, `{}.json`). */
  readonly values: Map<string, ValuePlace>;
  /** Requests that end here. */
  readonly ends: Map<Method, number>;
  /** Requests that end here or below. */
  total: number;
}

/** Values whose shape or number says that they are values. */
export interface ValuePlace extends Place {
  readonly kinds: Map<ValueKind, number>;
  /** Values of kinds that may be known, up to `VALUES_MAX`, with their counts. */
  readonly samples: Map<string, number>;
  /** Requests whose value is not among the samples. */
  unsampled: number;
}

export function createPlace(): Place {
  return { words: new Map(), values: new Map(), ends: new Map(), total: 0 };
}

export function createValuePlace(): ValuePlace {
  return { ...createPlace(), kinds: new Map(), samples: new Map(), unsampled: 0 };
}

export function addTo<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

export function noteValue(place: ValuePlace, kind: ValueKind, sample: string | undefined, count: number): void {
  addTo(place.kinds, kind, count);
  if (sample !== undefined && (place.samples.has(sample) || place.samples.size < VALUES_MAX))
    addTo(place.samples, sample, count);
  else place.unsampled += count;
}

/** Adds everything of `from` to `into`, which shares nothing with it afterwards. */
export function mergePlace(into: Place, from: Place): void {
  into.total += from.total;
  for (const [method, count] of from.ends) addTo(into.ends, method, count);
  for (const [word, place] of from.words) mergePlace(childOf(into.words, word, createPlace), place);
  for (const [pattern, place] of from.values) mergeValues(childOf(into.values, pattern, createValuePlace), place);
}

export function mergeValues(into: ValuePlace, from: ValuePlace): void {
  mergePlace(into, from);
  for (const [kind, count] of from.kinds) addTo(into.kinds, kind, count);
  for (const [sample, count] of from.samples) {
    if (into.samples.has(sample) || into.samples.size < VALUES_MAX) addTo(into.samples, sample, count);
    else into.unsampled += count;
  }
  into.unsampled += from.unsampled;
}

function childOf<P>(places: Map<string, P>, key: string, create: () => P): P {
  let place = places.get(key);
  if (place === undefined) {
    place = create();
    places.set(key, place);
  }
  return place;
}

/** Whether nothing was seen below it. */
export function isLeaf({ words, values }: Place): boolean {
  return words.size === 0 && values.size === 0;
}

export function countPlaces(place: Place): number {
  let count = 1;
  for (const child of place.words.values()) count += countPlaces(child);
  for (const child of place.values.values()) count += countPlaces(child);
  return count;
}
