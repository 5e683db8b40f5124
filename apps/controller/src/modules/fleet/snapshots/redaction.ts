import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';

const HIDDEN = '[private]';

/** Returns a copy with a placeholder for everything that Envoy's API marks as sensitive. */
export function hidePrivate(api: EnvoyApi, type: string, resource: JsonObject): JsonObject {
  const copy = structuredClone(resource);
  const sensitive = new Map<string, Set<string>>();
  api.walk(type, resource, {
    field: ({ field }) => {
      if (!field.sensitive) return undefined;
      sensitive.set(field.owner, (sensitive.get(field.owner) ?? new Set()).add(field.name));
      return 'skip';
    },
  });
  if (sensitive.size === 0) return copy;
  api.walk(type, copy, {
    message: ({ typeName, value }) => {
      for (const name of sensitive.get(typeName) ?? []) {
        if (isJsonObject(value) && value[name] !== undefined) value[name] = hide(value[name] as JsonValue);
      }
      return undefined;
    },
  });
  return copy;
}

function hide(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(hide);
  if (!isJsonObject(value)) return HIDDEN;
  return Object.fromEntries(
    Object.keys(value).map((key) => [key, key === 'filename' ? (value[key] as JsonValue) : HIDDEN]),
  );
}
