import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';

/**
 * Copies `resource` with every field under its snake_case name, because Envoy also accepts camelCase and a single
 * spelling is easier to search. Keeps the order and everything else.
 */
export function toNormalForm(api: EnvoyApi, type: string, resource: JsonObject): JsonObject {
  const copy = structuredClone(resource);
  api.walk(type, copy, {
    message: ({ typeName, value }) => {
      if (isJsonObject(value)) renameKeys(api, typeName, value);
      return undefined;
    },
  });
  return copy;
}

function renameKeys(api: EnvoyApi, typeName: string, object: JsonObject): void {
  const keys = Object.keys(object);
  // snake_case names have no capitals, and only few fields end in a digit after an underscore (`http_1`, in camelCase
  // `http1`).
  if (!keys.some((key) => /[A-Z]|[a-z]\d/.test(key))) return;
  const message = api.registry.getMessage(typeName);
  if (!message) return;
  const entries = Object.entries(object) as [string, JsonValue][];
  for (const key of keys) delete object[key];
  for (const [key, value] of entries) {
    const exact = message.fields.some((field) => field.name === key);
    const name = exact ? key : (message.fields.find((field) => field.jsonName === key)?.name ?? key);
    setOwn(object, name, value);
  }
}
