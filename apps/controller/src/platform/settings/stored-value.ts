import type { SettingsType } from '@flotilla/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type * as z from 'zod';
import { toViolations } from '../http/validate.ts';

/** A part of a stored value that this version's schema refuses. Never contains the value. */
export interface Refusal {
  readonly path: string;
  readonly rule: string;
}

/** Removes unknown members at any depth: those of newer or older versions. */
export function withoutUnknown(schema: z.ZodObject, stored: JsonObject): JsonObject {
  let known = stored;
  for (;;) {
    const issues = schema.safeParse(known).error?.issues ?? [];
    const unknown = issues.filter((issue) => issue.code === 'unrecognized_keys');
    if (unknown.length === 0) return known;
    known = structuredClone(known);
    let isSmaller = false;
    for (const { path, keys } of unknown) for (const key of keys) isSmaller = remove(known, path, key) || isSmaller;
    if (!isSmaller) return known;
  }
}

/** The stored value as this version reads it. Throws a ZodError. */
export function readStored<S extends z.ZodObject>({ schema }: SettingsType<S>, stored: JsonObject): z.output<S> {
  return schema.parse(withoutUnknown(schema, stored));
}

/**
 * Reads a stored value that the schema may refuse: each refused field falls back to its `whenRefused` or its default;
 * all fields do if the type is `refusedWhole` or if that is not enough.
 */
export function readAcceptable<S extends z.ZodObject>(
  { schema, whenRefused, refusedWhole }: SettingsType<S>,
  stored: JsonObject,
): { readonly value: z.output<S>; readonly refused: readonly Refusal[] } {
  const strict = (whenRefused ?? {}) as JsonObject;
  const held = structuredClone(withoutUnknown(schema, stored));
  const refused: Refusal[] = [];
  const fallen = new Set<string>();
  for (;;) {
    const parsed = schema.safeParse(held);
    if (parsed.success) return { value: parsed.data, refused };
    const { issues } = parsed.error;
    const fields = new Set(issues.map(({ path }) => String(path[0] ?? '')));
    const next = [...fields].filter((field) => Object.hasOwn(schema.shape, field) && !fallen.has(field));
    for (const issue of issues) refused.push(...toViolations(issue).map(({ path, rule }) => ({ path, rule })));
    if (refusedWhole || next.length === 0) return { value: schema.parse(strict), refused };
    for (const field of next) {
      fallen.add(field);
      const value = strict[field];
      if (value === undefined) delete held[field];
      else held[field] = value;
    }
  }
}

/** Lists what the schema refuses, for those who may fix it. */
export function listRefusals({ schema }: SettingsType, stored: JsonObject): Refusal[] {
  const issues = schema.safeParse(withoutUnknown(schema, stored)).error?.issues ?? [];
  return issues.flatMap((issue) => toViolations(issue).map(({ path, rule }) => ({ path, rule })));
}

/** True if the member existed. */
function remove(from: JsonObject, path: readonly PropertyKey[], key: string): boolean {
  let at: JsonValue | undefined = from;
  for (const step of path) {
    if (Array.isArray(at)) at = at[Number(step)];
    else at = isJsonObject(at) && Object.hasOwn(at, String(step)) ? at[String(step)] : undefined;
  }
  return isJsonObject(at) && Object.hasOwn(at, key) && delete at[key];
}
