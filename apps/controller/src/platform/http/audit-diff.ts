import { type Change, isSecretPath } from '@flotilla/contract';
import { DIFFERENCE_DEPTH_MAX, formatPath, type JsonValue, keysOf, listDifferences } from '@flotilla/envoy-api';
import type * as z from 'zod';

export interface AuditedDiff {
  readonly diff: readonly Change[];
  /** Number of all changes, including those left out of `diff`. */
  readonly total: number;
}

const CHANGES_MAX = 200;
/** Limit for the JSON of all changes together. */
const CHARACTERS_MAX = 64 * 1024;
/** Longer values are replaced by their size: an audit entry is not a second copy of the record. */
const VALUE_CHARACTERS_MAX = 500;
const SECRET = '[secret]';
const DEEP = '[too deep]';

/**
 * The difference between two values of `schema`, as the audit log stores it. It says that a secret was added, removed
 * or changed, and nothing about its value; values unknown to the schema are treated as secrets. undefined: the value
 * does not exist.
 */
export function diffForAudit(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  schema: z.ZodType,
): AuditedDiff {
  const diff: Change[] = [];
  let total = 0;
  let characters = 0;
  for (const { path, change, ...values } of listDifferences(before, after)) {
    total += 1;
    if (diff.length >= CHANGES_MAX || characters >= CHARACTERS_MAX) continue;
    const tell = (value: JsonValue) => withoutSecrets(value, keysOf(path), schema);
    const shortened = shortenChange({
      path: formatPath(path),
      change,
      ...(values.before !== undefined && { before: tell(values.before) }),
      ...(values.after !== undefined && { after: tell(values.after) }),
    });
    characters += JSON.stringify(shortened).length;
    diff.push(shortened);
  }
  return { diff, total };
}

/** Replaces large values by their size, as the audit log stores them. */
export function shortenChange({ path, change, ...values }: Change): Change {
  return {
    path,
    change,
    ...('before' in values && { before: shorten(values.before) }),
    ...('after' in values && { after: shorten(values.after) }),
  };
}

function shorten(value: unknown): unknown {
  const { length } = JSON.stringify(value) ?? '';
  return length > VALUE_CHARACTERS_MAX ? `[${length} characters of JSON]` : value;
}

function withoutSecrets(value: JsonValue, path: readonly (string | number)[], schema: z.ZodType): JsonValue {
  // null reveals nothing.
  if (value === null) return null;
  if (typeof value === 'object') {
    if (path.length >= DIFFERENCE_DEPTH_MAX) return DEEP;
    if (Array.isArray(value)) return value.map((one, i) => withoutSecrets(one, [...path, i], schema));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, [...path, key], schema)]),
    );
  }
  return isSecretPath(schema, path) ? SECRET : value;
}
