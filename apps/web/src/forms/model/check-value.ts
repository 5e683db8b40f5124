import { texts } from '../../texts/index.ts';
import type { FieldDescription } from '../schema-source.ts';
import { readDuration } from './duration.ts';
import { isList, isObject, type Json, ownValue } from './json.ts';
import { matchesPattern } from './patterns.ts';
import { type Bounds, boundsOf, readCount, rulesOf, type ValueRules } from './rules.ts';
import { checkScalarForm, fromInput } from './scalar.ts';
import { kindOf } from './well-known.ts';

const words = texts.forms.model.checkValue;

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * What is wrong with a set value in its own place, as sentences that start with "must"; nothing below it is looked at. The server
 * knows more: an empty answer promises nothing.
 */
export function checkValue(field: FieldDescription, value: Json): readonly string[] {
  if (field.shape === 'list') return isList(value) ? checkItems(field, value) : [words.checkValue.list];
  if (field.shape === 'map')
    return isObject(value) ? checkSize(field, Object.keys(value).length) : [words.checkValue.map];
  const form = checkForm(field, value);
  if (form !== undefined) return [form];
  const rules = rulesOf(field);
  return rules ? checkRules(rules, value) : [];
}

/** What is wrong with a key of a map among its other keys. */
export function checkKey(
  key: string,
  options: { readonly field: FieldDescription; readonly others: readonly string[] },
): string | undefined {
  if (key === '' && options.field.value.type !== 'string') return words.checkKey.empty;
  if (options.others.includes(key)) return words.checkKey.twice(JSON.stringify(key));
  const type = options.field.value.type;
  if (type !== 'string') return checkScalarForm(type, fromInput(type, key));
  return checkValue(options.field, key)[0] ?? (key === '' ? words.checkKey.empty : undefined);
}

function checkForm(field: FieldDescription, value: Json): string | undefined {
  const kind = kindOf(field.value);
  switch (kind.kind) {
    case 'scalar':
      return checkScalarForm(kind.type, value);
    case 'enum':
      return checkEnum(field, value);
    case 'duration':
      return readDuration(value) === undefined ? words.checkForm.duration : undefined;
    case 'timestamp':
      return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : words.checkForm.time;
    case 'field_mask':
      return typeof value === 'string' ? undefined : words.checkForm.fieldNames;
    case 'list_value':
      return isList(value) ? undefined : words.checkForm.jsonList;
    case 'value':
      return undefined;
    default:
      return isObject(value) ? undefined : words.checkForm.object;
  }
}

function checkEnum(field: FieldDescription, value: Json): string | undefined {
  if (field.value.kind !== 'enum') return undefined;
  const { values } = field.value;
  if (typeof value === 'number') {
    const open = rulesOf(field)?.rules.defined_only !== true;
    return open || values.some(({ number }) => number === value) ? undefined : words.checkEnum.oneOfValues;
  }
  if (typeof value !== 'string') return words.checkEnum.oneOfValues;
  const name = value.toUpperCase().replaceAll('-', '_');
  const found = values.find((known) => known.name === value || known.name.toUpperCase() === name);
  if (!found) return words.checkEnum.oneOfValues;
  return found.disallowed ? words.checkEnum.disallowed : undefined;
}

function checkRules(value: ValueRules, json: Json): readonly string[] {
  const ordered = boundsOf(value);
  if (ordered) {
    const read = ordered.read(json);
    if (read === undefined || (value.rules.ignore_empty === true && Number(read) === 0)) return [];
    return checkBounds(ordered.bounds, read, ordered.show);
  }
  if (value.type === 'string' && typeof json === 'string') return checkText(value, json);
  if (value.type === 'bool' && typeof value.rules.const === 'boolean' && json !== value.rules.const) {
    return [words.checkRules.const(String(value.rules.const))];
  }
  return [];
}

function checkBounds<T extends bigint | number>(bounds: Bounds<T>, value: T, show: (value: T) => string): string[] {
  const { lower, upper, equal } = bounds;
  const found: string[] = [];
  const above = !lower || (lower.exclusive ? value > lower.value : value >= lower.value);
  const below = !upper || (upper.exclusive ? value < upper.value : value <= upper.value);
  const lowerText = lower
    ? `${lower.exclusive ? words.checkBounds.greaterThan : words.checkBounds.atLeast} ${show(lower.value)}`
    : '';
  const upperText = upper
    ? `${upper.exclusive ? words.checkBounds.lessThan : words.checkBounds.atMost} ${show(upper.value)}`
    : '';
  // With the bounds the other way round the rule means "outside" (protoc-gen-validate, "ranges")
  if (lower && upper && lower.value > upper.value) {
    if (!above && !below) found.push(words.checkBounds.between(lowerText, upperText));
  } else {
    if (!above) found.push(words.checkBounds.above(lowerText));
    if (!below) found.push(words.checkBounds.below(upperText));
  }
  if (equal !== undefined && value !== equal) found.push(words.checkBounds.const(show(equal)));
  if (bounds.in.length > 0 && !bounds.in.includes(value))
    found.push(words.checkBounds.oneOf(bounds.in.map(show).join(', ')));
  if (bounds.notIn.includes(value)) found.push(words.checkBounds.notIn(show(value)));
  return found;
}

function checkText({ rules }: ValueRules, text: string): string[] {
  if (rules.ignore_empty === true && text === '') return [];
  const found: string[] = [];
  const length = [...text].length;
  const bytes = new TextEncoder().encode(text).length;
  const text_ = (key: string) => {
    const rule = ownValue(rules, key);
    return typeof rule === 'string' ? rule : undefined;
  };
  const size = (key: string, actual: number, unit: string) => {
    const limit = readCount(rules, key);
    if (limit === undefined) return;
    const kind = key.startsWith('min')
      ? words.checkText.atLeast
      : key.startsWith('max')
        ? words.checkText.atMost
        : 'exactly';
    const broken = kind === 'at least' ? actual < limit : kind === 'at most' ? actual > limit : actual !== limit;
    if (broken)
      found.push(
        limit === 1 && kind === 'at least'
          ? texts.forms.model.checkValue.checkKey.empty
          : words.checkText.length(kind, limit, unit),
      );
  };
  size('len', length, 'characters');
  size('min_len', length, 'characters');
  size('max_len', length, 'characters');
  size('len_bytes', bytes, 'bytes');
  if (text !== '' || readCount(rules, 'min_len') === undefined) size('min_bytes', bytes, 'bytes');
  size('max_bytes', bytes, 'bytes');
  const equal = text_('const');
  if (equal !== undefined && text !== equal) found.push(words.checkText.const(JSON.stringify(equal)));
  const prefix = text_('prefix');
  if (prefix !== undefined && !text.startsWith(prefix)) found.push(words.checkText.prefix(JSON.stringify(prefix)));
  const suffix = text_('suffix');
  if (suffix !== undefined && !text.endsWith(suffix)) found.push(words.checkText.suffix(JSON.stringify(suffix)));
  const contains = text_('contains');
  if (contains !== undefined && !text.includes(contains))
    found.push(words.checkText.contains(JSON.stringify(contains)));
  const pattern = text_('pattern');
  if (pattern !== undefined && !matchesPattern(pattern, text)) found.push(words.checkText.pattern(pattern));
  const known = text_('well_known_regex');
  if (known !== undefined && !matchesPattern(known, text, rules.strict !== false)) {
    found.push(known === 'HTTP_HEADER_NAME' ? words.checkText.headerName : words.checkText.headerValue);
  }
  if (isList(rules.in) && !rules.in.includes(text))
    found.push(texts.forms.model.checkValue.checkBounds.oneOf(rules.in.join(', ')));
  if (isList(rules.not_in) && rules.not_in.includes(text)) found.push(words.checkText.notIn(JSON.stringify(text)));
  return found;
}

function checkItems(field: FieldDescription, list: readonly Json[]): readonly string[] {
  const found = checkSize(field, list.length);
  if (rulesOf(field)?.rules.unique !== true) return found;
  const texts = list.map((item) => JSON.stringify(item));
  const twice = texts.find((text, index) => texts.indexOf(text) !== index);
  return twice === undefined ? found : [...found, words.checkItems.twice(twice)];
}

function checkSize(field: FieldDescription, size: number): string[] {
  const rules = rulesOf(field)?.rules;
  if (!rules || (rules.ignore_empty === true && size === 0)) return [];
  const unit = field.shape === 'map' ? 'pair' : 'item';
  const min = readCount(rules, `min_${unit}s`);
  const max = readCount(rules, `max_${unit}s`);
  if (min !== undefined && size < min) return [words.checkSize.atLeast(min, unit, min === 1 ? '' : 's')];
  return max !== undefined && size > max ? [words.checkSize.atMost(max, unit, max === 1 ? '' : 's')] : [];
}
