import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';

export interface Change {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** More differences than these help nobody; the last one then says that there are more. */
const CHANGES_MAX = 200;

/** What differs between two JSON values, by path. Lists are compared by position. */
export function diffJson(before: JsonValue | undefined, after: JsonValue | undefined, path = ''): Change[] {
  const changes: Change[] = [];
  collect(before, after, path, changes);
  return changes;
}

function collect(before: JsonValue | undefined, after: JsonValue | undefined, path: string, changes: Change[]): void {
  if (changes.length >= CHANGES_MAX || isDeepStrictEqual(before, after)) return;
  if (before === undefined) changes.push({ path, change: 'added', after });
  else if (after === undefined) changes.push({ path, change: 'removed', before });
  else if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const at = /^[A-Za-z_@$][\w@$-]*$/.test(key)
        ? path
          ? `${path}.${key}`
          : key
        : `${path}[${JSON.stringify(key)}]`;
      collect(before[key], after[key], at, changes);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i += 1) {
      collect(before[i], after[i], `${path}[${i}]`, changes);
    }
  } else changes.push({ path, change: 'changed', before, after });
}

/** Longer values are told by their size: an audit record is no second copy of the documents. */
const AUDITED_CHARACTERS_MAX = 500;

/** Changes as the audit log keeps them. */
export function toAuditedChanges(changes: readonly Change[]): Change[] {
  const shorten = (value: unknown): unknown => {
    const { length } = JSON.stringify(value) ?? '';
    return length > AUDITED_CHARACTERS_MAX ? `[${length} characters of JSON]` : value;
  };
  return changes.map(({ path, change, ...values }) => ({
    path,
    change,
    ...('before' in values && { before: shorten(values.before) }),
    ...('after' in values && { after: shorten(values.after) }),
  }));
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
