import { isList, isObject, type Json, type JsonObject, ownValue } from './json.ts';
import type { Path } from './path.ts';

/** What stands at the path; undefined when nothing does. */
export function getAt(document: Json | undefined, path: Path): Json | undefined {
  let at = document;
  for (const key of path) {
    if (typeof key === 'number') at = isList(at) ? at[key] : undefined;
    else at = isObject(at) ? ownValue(at, key) : undefined;
  }
  return at;
}

/**
 * A document with `value` at the path. What is not on the way stays the same object; keys keep their order and new ones go last.
 * Missing objects on the way are made, what is no container there is replaced.
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

/** Without the key or the list's item; the same document when there is nothing. */
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
  // From entries, so that a key called `__proto__` is a key
  const entries = Object.entries(object);
  const index = entries.findIndex(([name]) => name === key);
  if (index === -1) entries.push([key, value]);
  else entries[index] = [key, value];
  return Object.fromEntries(entries);
}

export function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** Another name in the same position; the same object when `to` is taken by another pair. */
export function renameKey(object: JsonObject, from: string, to: string): JsonObject {
  if (from === to || Object.hasOwn(object, to)) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}

export function moveItem(list: readonly Json[], from: number, to: number): readonly Json[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length || from === to) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}
