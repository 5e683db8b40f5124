import * as rules from '@flotilla/envoy-rules';
import type { FieldDescription } from '../schema-source.ts';
import { readDuration } from './duration.ts';
import { isList, isObject, type Json } from './json.ts';
import { rulesOf } from './rules.ts';
import { fromInput } from './scalar.ts';
import { texts } from './texts.ts';
import { kindOf } from './well-known.ts';

const words = texts.checkValue;

/**
 * Checks a value without its children. Returns sentences that begin with "must". The controller checks more, so an empty result does not
 * mean that the value is valid.
 */
export function checkValue(field: FieldDescription, value: Json): readonly string[] {
  if (field.shape === 'list') return isList(value) ? checkItems(field, value) : [words.list];
  if (field.shape === 'map') return isObject(value) ? checkSize(field, Object.keys(value).length) : [words.map];
  const { kind } = kindOf(field.value);
  if (kind === 'duration' && readDuration(value) === undefined) return [words.duration];
  // The form shows the fields of a message one by one, and a new Any has no type yet.
  if ((kind === 'message' || kind === 'any') && isObject(value)) return [];
  return rules.checkValue(field.value, rulesOf(field), value).map(({ message }) => message);
}

/** Checks a key of a map, also against its other keys. */
export function checkKey(
  key: string,
  options: { readonly field: FieldDescription; readonly others: readonly string[] },
): string | undefined {
  const { field, others } = options;
  if (key === '') return words.emptyKey;
  if (others.includes(key)) return words.keyTwice(JSON.stringify(key));
  return checkValue(field, fromInput(field.value.type, key))[0];
}

function checkItems(field: FieldDescription, list: readonly Json[]): readonly string[] {
  const found = checkSize(field, list.length);
  const type = rulesOf(field)?.type;
  if (type?.kind !== 'repeated' || !type.unique) return found;
  const written = list.map((item) => JSON.stringify(item));
  const twice = written.find((text, index) => written.indexOf(text) !== index);
  return twice === undefined ? found : [...found, words.itemTwice(twice)];
}

function checkSize(field: FieldDescription, size: number): string[] {
  const type = rulesOf(field)?.type;
  const found: string[] = [];
  if (type?.kind === 'repeated' || type?.kind === 'map')
    rules.applySize(type.kind, type.size, size, ({ message }) => found.push(message));
  return found;
}
