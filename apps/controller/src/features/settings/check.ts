import { fail, SETTINGS, type SettingsType, secretPathsOf } from '@flotilla/contract';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';
import { toViolations } from '../../http/validate.ts';
import { mergePatch } from '../documents/index.ts';

/** Secrets by path: a text is to be kept, null to be taken away; one that is not named stays as it is. */
export type GivenSecrets = ReadonlyMap<string, string | null>;

/** What is to be written, checked, with its secrets apart. */
export interface CheckedSetting {
  readonly value: JsonObject;
  readonly secrets: GivenSecrets;
}

/** Throws record.not_found. Kinds of which there are many are asked for with a name, the others without. */
export function findType(key: string, name: string | undefined): SettingsType {
  const type = SETTINGS.find((one) => one.key === key);
  const isNamed = type?.named?.safeParse(name).success ?? name === undefined;
  if (!type || !isNamed) throw fail('record.not_found', { kind: 'setting', name: name ?? key });
  return type;
}

/** Checks a whole document. Throws request.invalid, which never tells what was sent. */
export function checkWhole(type: SettingsType, body: unknown): CheckedSetting {
  const parsed = type.schema.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues.flatMap((issue) => toViolations(issue)));
  const value = structuredClone(parsed.data) as JsonObject;
  const secrets = new Map<string, string | null>();
  for (const path of secretPathsOf(type.schema)) {
    const secret = take(value, path.split('.'));
    if (typeof secret === 'string' || secret === null) secrets.set(path, secret);
  }
  return { value, secrets };
}

/** The stored value with a merge patch applied, checked as a whole. */
export function checkPatch(type: SettingsType, stored: JsonObject, patch: JsonObject): CheckedSetting {
  const merged = mergePatch(stored, patch);
  // A null of a merge patch takes a member away; that of a secret has to be seen.
  for (const path of secretPathsOf(type.schema)) {
    if (read(patch, path.split('.')) === null) put(merged, path.split('.'), null);
  }
  return checkWhole(type, merged);
}

/** What the document holds where nothing was written. */
export function defaultsOf(type: SettingsType): JsonObject {
  return type.named ? {} : checkWhole(type, {}).value;
}

/** The stored value with its opened secrets in their places. */
export function withSecrets(value: JsonObject, secrets: ReadonlyMap<string, string>): JsonObject {
  const whole = structuredClone(value);
  for (const [path, secret] of secrets) put(whole, path.split('.'), secret);
  return whole;
}

export function invalid(details: readonly { path: string; rule: string; message: string }[]): Error {
  const [first] = details;
  return fail('request.invalid', { reason: `${first?.path}: ${first?.message}` }, { details });
}

export function read(from: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    from,
  );
}

function take(from: JsonObject, path: readonly string[]): JsonValue | undefined {
  const holder = read(from, path.slice(0, -1));
  const name = path.at(-1) ?? '';
  if (!isJsonObject(holder) || !Object.hasOwn(holder, name)) return undefined;
  const value = holder[name];
  delete holder[name];
  return value;
}

function put(into: JsonValue, path: readonly string[], value: JsonValue): void {
  const [name = '', ...rest] = path;
  if (!isJsonObject(into)) return;
  if (rest.length === 0) {
    setOwn(into, name, value);
    return;
  }
  const inner = Object.hasOwn(into, name) ? into[name] : undefined;
  const holder = isJsonObject(inner) ? inner : {};
  put(holder, rest, value);
  setOwn(into, name, holder);
}
