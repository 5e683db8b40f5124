import { isDeepStrictEqual } from 'node:util';
import { isSecretPath } from '@flotilla/contract';
import { isJsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { z } from 'zod';

/** One difference. Lists are compared by position. */
export interface AuditedChange {
  /** `servers[0].url`; names that are no words in brackets and quotes: `labels["a b"]`. Empty: the whole. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface AuditedDiff {
  readonly diff: readonly AuditedChange[];
  /** All there are, also those that found no room in `diff`. */
  readonly total: number;
}

const CHANGES_MAX = 200;
/** Of the JSON of all changes together. */
const CHARACTERS_MAX = 64 * 1024;
/** Longer values are told by their size: an audit record is no second copy of what was changed. */
const VALUE_CHARACTERS_MAX = 500;
/** Further down values are compared and told as a whole, without their members. */
const DEPTH_MAX = 32;
const SECRET = '[secret]';
const DEEP = '[too deep]';

type Path = readonly (string | number)[];

/**
 * What differs between two values of `schema`, as the audit log keeps it. That a secret was added, removed or changed is
 * told, and nothing of it; so is what lies where the schema knows of nothing. Undefined: there is no value.
 */
export function diffForAudit(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  schema: z.ZodType,
): AuditedDiff {
  const diff: AuditedChange[] = [];
  let total = 0;
  let characters = 0;
  for (const { path, change, ...values } of differences(before, after, [])) {
    total += 1;
    if (diff.length >= CHANGES_MAX || characters >= CHARACTERS_MAX) continue;
    const told = {
      path: formatPath(path),
      change,
      ...('before' in values && { before: tell(values.before, path, schema) }),
      ...('after' in values && { after: tell(values.after, path, schema) }),
    };
    characters += JSON.stringify(told).length;
    diff.push(told);
  }
  return { diff, total };
}

interface Difference extends Omit<AuditedChange, 'path'> {
  readonly path: Path;
}

function* differences(before: JsonValue | undefined, after: JsonValue | undefined, path: Path): Generator<Difference> {
  if (isDeepStrictEqual(before, after)) return;
  if (before === undefined) yield { path, change: 'added', after };
  else if (after === undefined) yield { path, change: 'removed', before };
  else if (path.length < DEPTH_MAX && isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* differences(own(before, key), own(after, key), [...path, key]);
  } else if (path.length < DEPTH_MAX && Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i += 1)
      yield* differences(before[i], after[i], [...path, i]);
  } else yield { path, change: 'changed', before, after };
}

function own(value: Readonly<Record<string, JsonValue>>, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function tell(value: unknown, path: Path, schema: z.ZodType): unknown {
  const told = withoutSecrets(value as JsonValue, path, schema);
  const { length } = JSON.stringify(told);
  return length > VALUE_CHARACTERS_MAX ? `[${length} characters of JSON]` : told;
}

function withoutSecrets(value: JsonValue, path: Path, schema: z.ZodType): JsonValue {
  // That there is none tells nothing of it.
  if (value === null) return null;
  if (typeof value === 'object') {
    if (path.length >= DEPTH_MAX) return DEEP;
    if (Array.isArray(value)) return value.map((one, i) => withoutSecrets(one, [...path, i], schema));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, [...path, key], schema)]),
    );
  }
  return isSecretPath(schema, path) ? SECRET : value;
}

const WORD = /^[A-Za-z_@$][\w@$-]*$/;

function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    if (!WORD.test(part)) return `${text}[${JSON.stringify(part)}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
