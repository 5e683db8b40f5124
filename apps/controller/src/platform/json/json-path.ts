import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';

export type PathKeys = readonly (string | number)[];

/** Parses the paths of envoy-api: `a.b[0]["odd key"].c`. */
export function parsePath(path: string): PathKeys {
  const keys: (string | number)[] = [];
  for (const [, name, index, quoted] of path.matchAll(/([A-Za-z_@$][\w@$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (name !== undefined) keys.push(name);
    else if (index !== undefined) keys.push(Number(index));
    else if (quoted !== undefined) keys.push(JSON.parse(quoted) as string);
  }
  return keys;
}

/** undefined if the path does not exist. Ignores inherited members. */
export function getAt(root: JsonValue, keys: PathKeys): JsonValue | undefined {
  let at: JsonValue | undefined = root;
  for (const key of keys) {
    if (typeof key === 'number') at = Array.isArray(at) ? at[key] : undefined;
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

/** Sets a member of an existing object, or inserts into an existing list. False if neither exists. */
export function putAt(root: JsonObject, keys: PathKeys, value: JsonValue): boolean {
  const parent = getAt(root, keys.slice(0, -1));
  const last = keys.at(-1);
  if (typeof last === 'number' && Array.isArray(parent)) {
    parent.splice(last, 0, value);
    return true;
  }
  if (typeof last === 'string' && isJsonObject(parent)) {
    setOwn(parent, last, value);
    return true;
  }
  return false;
}

export function removeAt(root: JsonObject, keys: PathKeys): void {
  const parent = getAt(root, keys.slice(0, -1));
  const last = keys.at(-1);
  if (typeof last === 'number' && Array.isArray(parent)) parent.splice(last, 1);
  else if (typeof last === 'string' && isJsonObject(parent)) delete parent[last];
}
