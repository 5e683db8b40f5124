import { CHILDREN_MAX, NODES_MAX, POPULAR_KEPT } from './limits.ts';
import type { Method } from './method.ts';
import {
  countPlaces,
  createPlace,
  createValuePlace,
  mergePlace,
  noteValue,
  type Place,
  type ValuePlace,
} from './place.ts';
import { readSegment } from './segment-kind.ts';
import { decideShape, divide, type Position, ROOT, type Shape, sampleOf } from './shape.ts';

interface Step extends Position {
  /** Requests that take it. */
  readonly count: number;
}

/** The paths of one host whose requests were answered. Counts do not depend on the order of requests until a limit is reached. */
export class HostTree {
  readonly #nodesMax: number;
  #root: Place;
  #nodes: number;

  constructor({ root = createPlace(), nodesMax = NODES_MAX }: { root?: Place; nodesMax?: number } = {}) {
    this.#nodesMax = nodesMax;
    this.#root = root;
    this.#nodes = countPlaces(root);
  }

  get nodes(): number {
    return this.#nodes;
  }

  get root(): Place {
    return this.#root;
  }

  add(method: Method, segments: readonly string[], count = 1): void {
    let place: Place = this.#root;
    place.total += count;
    let step: Step = { ...ROOT, count };
    for (const segment of segments) {
      const next = this.#step(place, segment, step);
      next.total += count;
      step = { parent: 'kinds' in next ? undefined : segment, depth: step.depth + 1, count };
      place = next;
    }
    place.ends.set(method, (place.ends.get(method) ?? 0) + count);
    if (this.#nodes > this.#nodesMax) this.#shrink();
  }

  /** `others` are trees of the same host that grew elsewhere. */
  decide(others: readonly Place[] = []): Shape {
    if (others.length === 0) return decideShape(this.#root);
    const all = createPlace();
    for (const place of [this.#root, ...others]) mergePlace(all, place);
    return decideShape(all);
  }

  #step(place: Place, segment: string, step: Step): Place {
    const { pattern, value, kind } = readSegment(segment);
    if (kind !== undefined) {
      const values = this.#valuePlace(place, pattern);
      noteValue(values, kind, sampleOf(kind, value), step.count);
      return values;
    }
    let child = place.words.get(segment);
    if (child === undefined) {
      if (place.words.size >= CHILDREN_MAX) this.#fold(place, step);
      child = createPlace();
      place.words.set(segment, child);
      this.#nodes += 1;
    }
    return child;
  }

  #valuePlace(place: Place, pattern: string): ValuePlace {
    let values = place.values.get(pattern);
    if (values === undefined) {
      values = createValuePlace();
      place.values.set(pattern, values);
      this.#nodes += 1;
    }
    return values;
  }

  /** Merges what is decided to be values for good, and drops the rarest words if too many remain. */
  #fold(place: Place, position: Position): void {
    const before = countPlaces(place);
    foldPlace(place, position);
    const room = (CHILDREN_MAX * 3) / 4;
    if (place.words.size > room) {
      const rarest = [...place.words].sort(([a, one], [b, other]) => one.total - other.total || (a < b ? 1 : -1));
      for (const [word] of rarest.slice(0, place.words.size - room)) place.words.delete(word);
    }
    this.#nodes += countPlaces(place) - before;
  }

  #shrink(): void {
    foldAll(this.#root, ROOT);
    this.#nodes = countPlaces(this.#root);
    for (let requests = 1; this.#nodes > (this.#nodesMax * 3) / 4; requests *= 2) {
      prune(this.#root, requests);
      this.#nodes = countPlaces(this.#root);
    }
  }
}

function foldPlace(place: Place, position: Position): void {
  const { words, values } = divide(place, position, { areKept: popularOf(place) });
  for (const word of place.words.keys()) if (!words.has(word)) place.words.delete(word);
  // A constant stays what it was seen as, because it may get a second value.
  const constants = new Set<Place>(words.values());
  for (const [pattern, typed] of place.values)
    if (!values.has(pattern) && !constants.has(typed)) place.values.delete(pattern);
  for (const [pattern, merged] of values) place.values.set(pattern, merged);
}

/** The words that stay words when a place is folded: with few requests, a resource looks like a value, and is the one that must not be lost. */
function popularOf({ words }: Place): ReadonlySet<string> {
  if (words.size <= POPULAR_KEPT) return new Set();
  const popular = [...words].sort(([a, one], [b, other]) => other.total - one.total || (a < b ? -1 : 1));
  return new Set(popular.slice(0, POPULAR_KEPT).map(([word]) => word));
}

function foldAll(place: Place, position: Position): void {
  foldPlace(place, position);
  const depth = position.depth + 1;
  for (const [word, child] of place.words) foldAll(child, { parent: word, depth });
  for (const child of place.values.values()) foldAll(child, { parent: undefined, depth });
}

/** Drops places that had at most so many requests. */
function prune(place: Place, requests: number): void {
  for (const places of [place.words, place.values] as Map<string, Place>[]) {
    for (const [key, child] of places) {
      if (child.total <= requests) places.delete(key);
      else prune(child, requests);
    }
  }
}
