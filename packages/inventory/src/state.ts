import type { Method } from './method.ts';
import { createPlace, createValuePlace, type Place, type ValuePlace } from './place.ts';
import type { ValueKind } from './placeholders.ts';

/** JSON. Fields without content are left out. */
export interface PlaceState {
  readonly total: number;
  readonly ends?: Readonly<Record<string, number>>;
  readonly words?: Readonly<Record<string, PlaceState>>;
  readonly values?: Readonly<Record<string, ValueState>>;
}

export interface ValueState extends PlaceState {
  readonly kinds: Readonly<Record<string, number>>;
  readonly samples?: Readonly<Record<string, number>>;
  readonly unsampled?: number;
}

export interface LearnerState {
  readonly version: 1;
  readonly hosts: Readonly<Record<string, PlaceState>>;
}

export function placeToState(place: Place): PlaceState {
  return {
    total: place.total,
    ...(place.ends.size > 0 && { ends: toRecord(place.ends) }),
    ...(place.words.size > 0 && { words: toRecord(place.words, placeToState) }),
    ...(place.values.size > 0 && { values: toRecord(place.values, valueToState) }),
  };
}

function valueToState(place: ValuePlace): ValueState {
  return {
    ...placeToState(place),
    kinds: toRecord(place.kinds),
    ...(place.samples.size > 0 && { samples: toRecord(place.samples) }),
    ...(place.unsampled > 0 && { unsampled: place.unsampled }),
  };
}

function toRecord<V>(map: ReadonlyMap<string, V>): Record<string, V>;
function toRecord<V, R>(map: ReadonlyMap<string, V>, convert: (value: V) => R): Record<string, R>;
function toRecord<V, R>(map: ReadonlyMap<string, V>, convert?: (value: V) => R): Record<string, V | R> {
  // Without a prototype, so that a segment may be called __proto__.
  const record: Record<string, V | R> = Object.create(null);
  for (const [key, value] of map) record[key] = convert === undefined ? value : convert(value);
  return record;
}

export function placeFromState(state: PlaceState): Place {
  const place = createPlace();
  fillPlace(place, state);
  return place;
}

function fillPlace(place: Place, { total, ends = {}, words = {}, values = {} }: PlaceState): void {
  place.total = total;
  for (const [method, count] of Object.entries(ends)) place.ends.set(method as Method, count);
  for (const [word, child] of Object.entries(words)) place.words.set(word, placeFromState(child));
  for (const [pattern, child] of Object.entries(values)) place.values.set(pattern, valueFromState(child));
}

function valueFromState(state: ValueState): ValuePlace {
  const place = createValuePlace();
  fillPlace(place, state);
  for (const [kind, count] of Object.entries(state.kinds)) place.kinds.set(kind as ValueKind, count);
  for (const [sample, count] of Object.entries(state.samples ?? {})) place.samples.set(sample, count);
  place.unsampled = state.unsampled ?? 0;
  return place;
}

const DEPTH_MAX = 40;

/** Checks what was read from a store. Returns a complaint about what is not a state of this version. */
export function readState(state: unknown): LearnerState | string {
  if (!isRecord(state) || state.version !== 1) return 'The state of the learner has another version.';
  if (!isRecord(state.hosts)) return 'The state of the learner has no hosts.';
  for (const [host, place] of Object.entries(state.hosts)) {
    if (!isPlace(place, 0)) return `The state of the learner is damaged at host ${host}.`;
  }
  return state as unknown as LearnerState;
}

function isPlace(place: unknown, depth: number): boolean {
  if (depth > DEPTH_MAX || !isRecord(place) || !isCount(place.total) || !isCounts(place.ends)) return false;
  const values = place.values ?? {};
  const words = place.words ?? {};
  if (!isRecord(values) || !isRecord(words)) return false;
  return (
    Object.values(words).every((child) => isPlace(child, depth + 1)) &&
    Object.values(values).every((child) => isValue(child, depth + 1))
  );
}

function isValue(place: unknown, depth: number): boolean {
  if (!isPlace(place, depth) || !isRecord(place)) return false;
  return (
    isRecord(place.kinds) &&
    isCounts(place.kinds) &&
    isCounts(place.samples) &&
    (place.unsampled === undefined || isCount(place.unsampled))
  );
}

function isCounts(counts: unknown): boolean {
  return counts === undefined || (isRecord(counts) && Object.values(counts).every(isCount));
}

function isCount(count: unknown): boolean {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
