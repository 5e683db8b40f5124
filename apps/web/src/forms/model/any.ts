import { withKey, withoutKeys } from './document.ts';
import { isObject, type Json, type JsonObject, ownValue } from './json.ts';

const URL_PREFIX = 'type.googleapis.com/';

/** Returns the message type in an Any; undefined if it has none. */
export function typeOfAny(value: Json | undefined): string | undefined {
  const url = isObject(value) ? ownValue(value, '@type') : undefined;
  if (typeof url !== 'string') return undefined;
  const name = url.slice(url.lastIndexOf('/') + 1);
  return name === '' ? undefined : name;
}

export function toTypeUrl(type: string): string {
  return URL_PREFIX + type;
}

export function emptyAny(type: string): JsonObject {
  return { '@type': toTypeUrl(type) };
}

/** Returns `filters/x` of `{ "$ref": "filters/x" }`. */
export function refOf(value: Json | undefined): string | undefined {
  const ref = isObject(value) ? ownValue(value, '$ref') : undefined;
  return typeof ref === 'string' ? ref : undefined;
}

/** Whether it has content besides its type, which a change of type would discard. */
export function hasContent(any: Json | undefined): boolean {
  return isObject(any) && Object.keys(any).some((key) => key !== '@type' && key !== '$ref');
}

/**
 * Puts the extension into a message with `name` and `typed_config`. Keeps a name that the user chose, and replaces the
 * canonical name of the previous extension.
 */
export function withExtension(
  holder: JsonObject,
  choice: { readonly name: string; readonly type: string },
  options: {
    readonly configKey: string;
    readonly hasName: boolean;
    readonly canonicalNames: ReadonlySet<string> /** An empty name is replaced, too. */;
    readonly config?: Json | undefined;
  },
): JsonObject {
  const given = ownValue(holder, 'name');
  const follows = options.hasName && (typeof given !== 'string' || given === '' || options.canonicalNames.has(given));
  const kept = withoutKeys(holder, ['$ref']);
  const named = !follows
    ? kept
    : given === undefined
      ? { name: choice.name, ...kept }
      : withKey(kept, 'name', choice.name);
  return withKey(named, options.configKey, options.config ?? emptyAny(choice.type));
}
