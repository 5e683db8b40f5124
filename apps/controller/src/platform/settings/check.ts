import { fail, SETTINGS, type SettingsType, secretPathsOf } from '@flotilla/contract';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';
import { describeIssue } from '../http/describe-issue.ts';
import { toViolations } from '../http/validate.ts';
import { mergePatch } from '../json/merge-patch.ts';

/** Secrets by path: a string replaces the secret, null deletes it, and an absent path keeps it. */
export type GivenSecrets = ReadonlyMap<string, string | null>;

/** A checked value and its secrets, separated. */
export interface CheckedSetting {
  readonly value: JsonObject;
  readonly secrets: GivenSecrets;
}

/** Throws record.not_found. Kinds with many documents require a name, others forbid it. */
export function findType(key: string, name: string | undefined): SettingsType {
  const type = SETTINGS.find((one) => one.key === key);
  const isNamed = type?.named?.safeParse(name).success ?? name === undefined;
  if (!type || !isNamed) throw fail('record.not_found', { kind: 'setting', name: name ?? key });
  return type;
}

/** Checks a whole document. Throws request.invalid without repeating any input. */
export function checkWhole(type: SettingsType, body: unknown): CheckedSetting {
  const parsed = type.schema.safeParse(body, { error: describeIssue });
  if (!parsed.success) throw invalid(parsed.error.issues.flatMap((issue) => toViolations(issue)));
  const value = structuredClone(parsed.data) as JsonObject;
  const secrets = new Map<string, string | null>();
  for (const path of secretPathsOf(type.schema)) {
    const secret = take(value, path.split('.'));
    if (typeof secret === 'string' || secret === null) secrets.set(path, secret);
  }
  return { value, secrets };
}

/** Applies a merge patch to the stored value and checks the result as a whole. */
export function checkPatch(type: SettingsType, stored: JsonObject, patch: JsonObject): CheckedSetting {
  const merged = mergePatch(stored, patch);
  // A null in a merge patch deletes the member; for a secret it must be preserved.
  for (const path of secretPathsOf(type.schema)) {
    if (read(patch, path.split('.')) === null) put(merged, path.split('.'), null);
  }
  return checkWhole(type, merged);
}

/** The document's value before it was first written. */
export function defaultsOf(type: SettingsType): JsonObject {
  return type.named ? {} : checkWhole(type, {}).value;
}

/** Inserts the decrypted secrets into the stored value. */
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
