import type { JsonObject, JsonValue } from '@flotilla/envoy-api';
import { parsePath, putAt } from './json-path.ts';

/** A value that only snapshots contain. */
export interface PrivatePart {
  readonly path: string;
  readonly value: JsonValue;
}

export function parseParts(text: string | undefined): PrivatePart[] {
  return text === undefined ? [] : (JSON.parse(text) as PrivatePart[]);
}

/** Puts the private values back in place: the whole resource as Envoy receives it. */
export function joinPrivate(visible: JsonObject, parts: readonly PrivatePart[]): JsonObject {
  if (parts.length === 0) return visible;
  const full = structuredClone(visible);
  for (const { path, value } of parts) putAt(full, parsePath(path), value);
  return full;
}
