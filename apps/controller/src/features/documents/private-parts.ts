import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import type { EnvoyApi, JsonObject, JsonValue } from '@flotilla/envoy-api';
import { isJsonObject } from '@flotilla/envoy-api';
import { type Keyring, sealContexts } from '../keyring/index.ts';
import { getAt, parsePath, putAt, removeAt } from './json-path.ts';

/** A value that only snapshots see. */
export interface PrivatePart {
  readonly path: string;
  readonly value: JsonValue;
}

export interface SplitResource {
  readonly visible: JsonObject;
  readonly parts: readonly PrivatePart[];
}

/** Takes what Envoy's API marks sensitive out of a resource. A file name or a variable's name is no secret and stays. */
export function splitPrivate(api: EnvoyApi, type: string, full: JsonObject): SplitResource {
  const visible = structuredClone(full);
  const parts = api.sensitivePaths(type, full).flatMap((path): PrivatePart[] => {
    const value = getAt(full, parsePath(path));
    return value === undefined || value === null || namesOnly(value) ? [] : [{ path, value }];
  });
  // From the end, so that what is taken out of a list does not move what is still to come.
  for (const { path } of parts.toReversed()) removeAt(visible, parsePath(path));
  return { visible, parts };
}

/** A DataSource that says where the secret is, and not what it is. */
function namesOnly(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return (
    keys.length > 0 && keys.every((key) => ['filename', 'environment_variable', 'watched_directory'].includes(key))
  );
}

/** Puts private values back to where they were: the whole resource as Envoy gets it. */
export function joinPrivate(visible: JsonObject, parts: readonly PrivatePart[]): JsonObject {
  if (parts.length === 0) return visible;
  const full = structuredClone(visible);
  for (const { path, value } of parts) putAt(full, parsePath(path), value);
  return full;
}

/**
 * What a caller wrote, who could not see the private values: those that the text leaves out are kept as long as the place
 * where they belong is still there; `null` clears one. A list of private values is kept when it was written back as it was
 * read; a list that differs is taken as the whole list.
 */
export function keepPrivate(written: JsonObject, before: SplitResource): JsonObject {
  if (before.parts.length === 0) return written;
  const full = structuredClone(written);
  for (const { path, value } of before.parts) {
    const keys = parsePath(path);
    if (typeof keys.at(-1) === 'number') {
      const list = keys.slice(0, -1);
      if (isDeepStrictEqual(getAt(written, list), getAt(before.visible, list))) putAt(full, keys, value);
      continue;
    }
    const given = getAt(written, keys);
    if (given === undefined) putAt(full, keys, value);
    else if (given === null) removeAt(full, keys);
  }
  return full;
}

/**
 * Takes away private values that the caller did not write, where the message around them has become one that shows them: an
 * Any of another type has members of the same name that are no secrets.
 */
export function dropExposed(
  api: EnvoyApi,
  { type, full, written }: { readonly type: string; readonly full: JsonObject; readonly written: JsonObject },
  parts: readonly PrivatePart[],
): JsonObject {
  if (parts.length === 0 || !api.hasMessage(type)) return full;
  const hidden = api.sensitivePaths(type, full);
  const isHidden = (path: string) =>
    hidden.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
  const exposed = parts.filter(({ path, value }) => {
    const keys = parsePath(path);
    const isKept = isDeepStrictEqual(getAt(full, keys), value) && !isDeepStrictEqual(getAt(written, keys), value);
    return isKept && !isHidden(path);
  });
  if (exposed.length === 0) return full;
  const safe = structuredClone(full);
  for (const { path } of exposed.toReversed()) removeAt(safe, parsePath(path));
  return safe;
}

export function sealParts(keyring: Keyring, documentId: string, parts: readonly PrivatePart[]): Buffer | null {
  return parts.length === 0
    ? null
    : keyring.seal(Buffer.from(JSON.stringify(parts)), sealContexts.document(documentId));
}

export function unsealParts(keyring: Keyring, documentId: string, sealed: Buffer | null): PrivatePart[] {
  return sealed === null
    ? []
    : (JSON.parse(keyring.unseal(sealed, sealContexts.document(documentId)).toString()) as PrivatePart[]);
}
