import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** Arrays, null and scalars are none. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `object[key] = value` for any key: a plain assignment of `__proto__` would set the prototype instead. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
