import { type Change, isSecretPath } from '@flotilla/contract';
import { DIFFERENCE_DEPTH_MAX, formatPath, type JsonValue, keysOf, listDifferences } from '@flotilla/envoy-api';
import type * as z from 'zod';

export interface AuditedDiff {
  readonly diff: readonly Change[];
  /** All there are, also those that found no room in `diff`. */
  readonly total: number;
}

const CHANGES_MAX = 200;
/** Of the JSON of all changes together. */
const CHARACTERS_MAX = 64 * 1024;
/** Longer values are told by their size: an audit record is no second copy of what was changed. */
const VALUE_CHARACTERS_MAX = 500;
const SECRET = '[secret]';
const DEEP = '[too deep]';

/**
 * What differs between two values of `schema`, as the audit log keeps it. That a secret was added, removed or changed is
 * told, and nothing of it; so is what lies where the schema knows of nothing. Undefined: there is no value.
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
    const told = shortenChange({
      path: formatPath(path),
      change,
      ...(values.before !== undefined && { before: tell(values.before) }),
      ...(values.after !== undefined && { after: tell(values.after) }),
    });
    characters += JSON.stringify(told).length;
    diff.push(told);
  }
  return { diff, total };
}

/** As the audit log keeps it: what is large by its size. */
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
  // That there is none tells nothing of it.
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
