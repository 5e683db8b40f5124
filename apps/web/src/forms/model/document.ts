import { isList, isObject, type Json, type JsonObject, ownValue } from './json.ts';
import type { Path } from './path.ts';

/** Returns the value at the path; undefined if it does not exist. */
export function getAt(document: Json | undefined, path: Path): Json | undefined {
  let at = document;
  for (const key of path) {
    if (typeof key === 'number') at = isList(at) ? at[key] : undefined;
    else at = isObject(at) ? ownValue(at, key) : undefined;
  }
  return at;
}

/**
 * Returns a document with `value` at the path. Other parts keep their identity; keys keep their order and new ones go last. Creates missing
 * objects on the path, and replaces non-containers.
 */
export function setAt(document: Json | undefined, path: Path, value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list = isList(document) ? [...document] : [];
    list[Math.min(key, list.length)] = setAt(list[key], rest, value);
    return list;
  }
  const object = isObject(document) ? document : {};
  return withKey(object, key, setAt(ownValue(object, key), rest, value));
}

/** Removes the key or the list item; returns the same document if it is missing. */
export function removeAt(document: Json, path: Path): Json {
  const key = path.at(-1);
  if (key === undefined) return document;
  const parentPath = path.slice(0, -1);
  const parent = getAt(document, parentPath);
  if (typeof key === 'number') {
    if (!isList(parent) || key >= parent.length) return document;
    return setAt(document, parentPath, parent.toSpliced(key, 1));
  }
  if (!isObject(parent) || !Object.hasOwn(parent, key)) return document;
  return setAt(document, parentPath, withoutKeys(parent, [key]));
}

export function withKey(object: JsonObject, key: string, value: Json): JsonObject {
  if (Object.is(ownValue(object, key), value)) return object;
  // From entries, so that a key named `__proto__` stays a key.
  const entries = Object.entries(object);
  const index = entries.findIndex(([name]) => name === key);
  if (index === -1) entries.push([key, value]);
  else entries[index] = [key, value];
  return Object.fromEntries(entries);
}

export function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** Renames a key in its position; returns the same object if `to` is taken. */
export function renameKey(object: JsonObject, from: string, to: string): JsonObject {
  if (from === to || Object.hasOwn(object, to)) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}

export function moveItem(list: readonly Json[], from: number, to: number): readonly Json[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length || from === to) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}
