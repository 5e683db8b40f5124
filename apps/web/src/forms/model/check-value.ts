import * as rules from '@flotilla/envoy-rules';
import { texts } from '../../texts/index.ts';
import type { FieldDescription } from '../schema-source.ts';
import { readDuration } from './duration.ts';
import { isList, isObject, type Json } from './json.ts';
import { rulesOf } from './rules.ts';
import { fromInput } from './scalar.ts';
import { kindOf } from './well-known.ts';

const words = texts.forms.model.checkValue;

/**
 * Checks a value in its own place, without looking below it. Returns sentences that begin with "must". The controller knows more: an
 * empty answer promises nothing.
 */
export function checkValue(field: FieldDescription, value: Json): readonly string[] {
  if (field.shape === 'list') return isList(value) ? checkItems(field, value) : [words.list];
  if (field.shape === 'map') return isObject(value) ? checkSize(field, Object.keys(value).length) : [words.map];
  const { kind } = kindOf(field.value);
  if (kind === 'duration' && readDuration(value) === undefined) return [words.duration];
  // The form shows the fields of a message one by one, and an Any is begun without its type.
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
