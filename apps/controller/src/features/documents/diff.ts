import type { Change } from '@flotilla/contract';
import {
  formatPath,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listDifferences,
  setOwn,
} from '@flotilla/envoy-api';

/** More differences than these help nobody. */
const CHANGES_MAX = 200;

/** What differs between two JSON values, as the API tells it: bounded in number. */
export function diffJson(before: JsonValue | undefined, after: JsonValue | undefined): Change[] {
  const changes: Change[] = [];
  for (const { path, ...change } of listDifferences(before, after)) {
    changes.push({ path: formatPath(path), ...change });
    if (changes.length === CHANGES_MAX) break;
  }
  return changes;
}

/** JSON merge patch (RFC 7396 section 2). */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[key];
    else setOwn(merged, key, mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value));
  }
  return merged;
}
