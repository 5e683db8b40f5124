import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isJsonObject } from './object.ts';
import type { PathNode } from './path.ts';

/** Deeper values are compared and reported as a whole. */
export const DIFFERENCE_DEPTH_MAX = 32;

/** One difference of two JSON values. */
export interface Difference {
  /** Undefined for the whole value. */
  readonly path: PathNode | undefined;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Yields the differences as deep inside as possible. Lists are compared by position; undefined means no value. */
export function* listDifferences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path?: PathNode,
  depth = 0,
): Generator<Difference, void> {
  if (isDeepStrictEqual(before, after)) return;
  if (before === undefined) {
    if (after !== undefined) yield { path, change: 'added', after };
  } else if (after === undefined) yield { path, change: 'removed', before };
  else if (depth < DIFFERENCE_DEPTH_MAX && isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* listDifferences(own(before, key), own(after, key), { parent: path, key }, depth + 1);
  } else if (depth < DIFFERENCE_DEPTH_MAX && Array.isArray(before) && Array.isArray(after)) {
    for (let key = 0; key < Math.max(before.length, after.length); key += 1)
      yield* listDifferences(before[key], after[key], { parent: path, key }, depth + 1);
  } else yield { path, change: 'changed', before, after };
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
