import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import type { EnvoyApi, JsonObject, JsonValue } from '@flotilla/envoy-api';
import { isJsonObject } from '@flotilla/envoy-api';
import { type PrivatePart, parseParts } from '../../../platform/json/join-private.ts';
import { getAt, parsePath, putAt, removeAt } from '../../../platform/json/json-path.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { documentContext } from './encryption-context.ts';

export interface SplitResource {
  readonly visible: JsonObject;
  readonly parts: readonly PrivatePart[];
}

/** Removes the values that Envoy's API marks as sensitive. The name of a file or variable is not a secret and stays. */
export function splitPrivate(api: EnvoyApi, type: string, full: JsonObject): SplitResource {
  const visible = structuredClone(full);
  const parts = api.sensitivePaths(type, full).flatMap((path): PrivatePart[] => {
    const value = getAt(full, parsePath(path));
    return value === undefined || value === null || namesOnly(value) ? [] : [{ path, value }];
  });
  // From the end, so that a removal from a list does not shift the remaining indexes.
  for (const { path } of parts.toReversed()) removeAt(visible, parsePath(path));
  return { visible, parts };
}

/** A DataSource that only says where the secret is. */
function namesOnly(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return (
    keys.length > 0 && keys.every((key) => ['filename', 'environment_variable', 'watched_directory'].includes(key))
  );
}

/**
 * Completes a resource by a writer who cannot see private values: omitted values are kept while their place still
 * exists; `null` deletes a value. A list with private values is kept if it was written back as it was read; otherwise
 * it replaces the whole list.
 */
export function keepPrivate(written: JsonObject, stored: SplitResource): JsonObject {
  if (stored.parts.length === 0) return written;
  const full = structuredClone(written);
  for (const { path, value } of stored.parts) {
    const keys = parsePath(path);
    if (typeof keys.at(-1) === 'number') {
      const list = keys.slice(0, -1);
      if (isDeepStrictEqual(getAt(written, list), getAt(stored.visible, list))) putAt(full, keys, value);
      continue;
    }
    const given = getAt(written, keys);
    if (given === undefined) putAt(full, keys, value);
    else if (given === null) removeAt(full, keys);
  }
  return full;
}

/**
 * Removes kept private values if the message around them became one in which they are not sensitive: an Any of another
 * type may have public members of the same name.
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

export function encryptParts(keyring: Keyring, documentId: string, parts: readonly PrivatePart[]): Buffer | null {
  return parts.length === 0 ? null : keyring.encrypt(Buffer.from(JSON.stringify(parts)), documentContext(documentId));
}

export function decryptParts(keyring: Keyring, documentId: string, sealed: Buffer | null): PrivatePart[] {
  return parseParts(decryptPartsText(keyring, documentId, sealed));
}

/** The unparsed JSON text of the private values; undefined without any. */
export function decryptPartsText(keyring: Keyring, documentId: string, sealed: Buffer | null): string | undefined {
  return sealed === null ? undefined : keyring.decrypt(sealed, documentContext(documentId)).toString();
}
