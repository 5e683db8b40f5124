import type { OrderRules, SizeRules, TextRules, TypeRules } from './field-rules.ts';
import { describeFormat, isFormat } from './formats.ts';
import type { Scalar } from './scalars.ts';
import { count } from './wording.ts';

/** A rule that a value breaks: the rule's name (`string.min_len`) and a sentence that begins with "must". */
export interface Breach {
  readonly rule: string;
  readonly message: string;
}

export type Report = (breach: Breach) => void;

/** The names of an enum's values. */
export interface EnumNames {
  readonly all: () => readonly string[];
  /** Returns the name of a value; undefined if the enum has no such value. */
  readonly of: (number: number) => string | undefined;
}

/** Applies the rules of a number, a bool, a string, bytes (one character per byte) or an enum (its number). */
export function applyValueRules(
  rules: TypeRules,
  value: Scalar,
  enumeration: EnumNames | undefined,
  report: Report,
): void {
  switch (rules.kind) {
    case 'number':
      if (typeof value !== 'number' || (rules.ignoreEmpty && value === 0)) return;
      applyOrder({ type: rules.type, format: String }, rules.order, value, report);
      return;
    case 'bigint':
      if (typeof value !== 'bigint' || (rules.ignoreEmpty && value === 0n)) return;
      applyOrder({ type: rules.type, format: String }, rules.order, value, report);
      return;
    case 'bool':
      if (rules.const !== undefined && value !== rules.const)
        report({ rule: 'bool.const', message: `must be ${rules.const}` });
      return;
    case 'string':
    case 'bytes':
      if (typeof value !== 'string' || (rules.ignoreEmpty && value === '')) return;
      applyText(rules.kind, rules.text, value, report);
      return;
    case 'enum':
      if (typeof value !== 'number') return;
      if (rules.definedOnly && enumeration && enumeration.of(value) === undefined) {
        report({ rule: 'enum.defined_only', message: `must be one of ${enumeration.all().join(', ')}` });
      }
      applyOrder(
        { type: 'enum', format: (number) => enumeration?.of(number) ?? String(number) },
        rules.order,
        value,
        report,
      );
      return;
    default:
      return;
  }
}

/** Names values that have an order in breaches: `type` is the first part of the rule's name. */
export interface OrderWords<T> {
  readonly type: string;
  readonly format: (value: T) => string;
}

/** Applies bounds, constants and sets to numbers, durations and timestamps. */
export function applyOrder<T extends number | bigint>(
  words: OrderWords<T>,
  rules: OrderRules<T>,
  value: T,
  report: Report,
): void {
  const { type, format } = words;
  if (rules.const !== undefined && value !== rules.const) {
    report({ rule: `${type}.const`, message: `must be ${format(rules.const)}` });
  }
  applyBounds(words, rules, value, report);
  if (rules.in.length > 0 && !rules.in.includes(value)) {
    report({ rule: `${type}.in`, message: `must be one of ${rules.in.map(format).join(', ')}` });
  }
  if (rules.notIn.includes(value)) report({ rule: `${type}.not_in`, message: `must not be ${format(value)}` });
}

function applyBounds<T extends number | bigint>(
  { type, format }: OrderWords<T>,
  rules: OrderRules<T>,
  value: T,
  report: Report,
): void {
  const lower = rules.gt ?? rules.gte;
  const upper = rules.lt ?? rules.lte;
  // NaN is outside of all bounds.
  const above = lower === undefined || (rules.gt !== undefined ? value > lower : value >= lower);
  const below = upper === undefined || (rules.lt !== undefined ? value < upper : value <= upper);
  const lowerText =
    lower === undefined ? '' : `${rules.gt !== undefined ? 'greater than' : 'at least'} ${format(lower)}`;
  const upperText = upper === undefined ? '' : `${rules.lt !== undefined ? 'less than' : 'at most'} ${format(upper)}`;
  if (lower !== undefined && upper !== undefined && lower > upper) {
    if (!above && !below) report({ rule: `${type}.range`, message: `must be ${lowerText} or ${upperText}` });
    return;
  }
  if (!above) report({ rule: `${type}.${rules.gt !== undefined ? 'gt' : 'gte'}`, message: `must be ${lowerText}` });
  if (!below) report({ rule: `${type}.${rules.lt !== undefined ? 'lt' : 'lte'}`, message: `must be ${upperText}` });
}

/** Checks the number of items of a list or of pairs of a map. */
export function applySize(type: 'repeated' | 'map', rules: SizeRules, size: number, report: Report): void {
  if (rules.ignoreEmpty && size === 0) return;
  const unit = type === 'repeated' ? 'item' : 'pair';
  if (rules.min !== undefined && size < rules.min) {
    report({ rule: `${type}.min_${unit}s`, message: `must have at least ${count(rules.min, unit)}` });
  }
  if (rules.max !== undefined && size > rules.max) {
    report({ rule: `${type}.max_${unit}s`, message: `must have at most ${count(rules.max, unit)}` });
  }
}

/** For bytes, `value` has one character per byte. */
function applyText(type: 'string' | 'bytes', rules: TextRules, value: string, report: Report): void {
  const breach = (rule: string, message: string) => report({ rule: `${type}.${rule}`, message: `must ${message}` });
  if (rules.const !== undefined && value !== rules.const) breach('const', `be ${JSON.stringify(rules.const)}`);
  applyLength(type, rules, value, breach);
  if (rules.pattern?.regex?.test(value) === false) breach('pattern', `match ${rules.pattern.source}`);
  if (rules.prefix !== undefined && !value.startsWith(rules.prefix))
    breach('prefix', `start with ${JSON.stringify(rules.prefix)}`);
  if (rules.suffix !== undefined && !value.endsWith(rules.suffix))
    breach('suffix', `end with ${JSON.stringify(rules.suffix)}`);
  if (rules.contains !== undefined && !value.includes(rules.contains)) {
    breach('contains', `contain ${JSON.stringify(rules.contains)}`);
  }
  if (rules.notContains !== undefined && value.includes(rules.notContains)) {
    breach('not_contains', `not contain ${JSON.stringify(rules.notContains)}`);
  }
  if (rules.in.length > 0 && !rules.in.includes(value)) breach('in', `be one of ${rules.in.join(', ')}`);
  if (rules.notIn.includes(value)) breach('not_in', `not be ${JSON.stringify(value)}`);
  if (rules.formatRegex) {
    if (!rules.formatRegex.test(value)) breach('well_known_regex', `be ${describeFormat(rules.format ?? '')}`);
  } else if (rules.format !== undefined && !isFormat(rules.format, type, value))
    breach(rules.format, `be ${describeFormat(rules.format)}`);
}

function applyLength(
  type: 'string' | 'bytes',
  rules: TextRules,
  value: string,
  breach: (rule: string, message: string) => void,
): void {
  const unit = type === 'string' ? 'character' : 'byte';
  if (rules.len !== undefined || rules.minLen !== undefined || rules.maxLen !== undefined) {
    // The rules count code points, not UTF-16 units.
    const length = type === 'string' ? codePoints(value) : value.length;
    if (rules.len !== undefined && length !== rules.len) breach('len', `be exactly ${count(rules.len, unit)} long`);
    if (rules.minLen !== undefined && length < rules.minLen) breach('min_len', describeShort(rules.minLen, unit));
    if (rules.maxLen !== undefined && length > rules.maxLen)
      breach('max_len', `be at most ${count(rules.maxLen, unit)} long`);
  }
  if (rules.lenBytes === undefined && rules.minBytes === undefined && rules.maxBytes === undefined) return;
  const bytes = type === 'string' ? utf8Bytes(value) : value.length;
  if (rules.lenBytes !== undefined && bytes !== rules.lenBytes)
    breach('len_bytes', `be exactly ${count(rules.lenBytes, 'byte')} long`);
  // An empty text that breaks both minima is reported once.
  if (rules.minBytes !== undefined && bytes < rules.minBytes && (bytes > 0 || rules.minLen === undefined))
    breach('min_bytes', describeShort(rules.minBytes, 'byte'));
  if (rules.maxBytes !== undefined && bytes > rules.maxBytes)
    breach('max_bytes', `be at most ${count(rules.maxBytes, 'byte')} long`);
}

function describeShort(min: number, unit: string): string {
  return min === 1 ? 'not be empty' : `be at least ${count(min, unit)} long`;
}

function codePoints(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff) length -= 1;
  }
  return length;
}

/** Counts without a copy of the text. Lone surrogates count as U+FFFD, which replaces them in UTF-8. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.codePointAt(i) ?? 0;
    if (unit > 0xffff) i += 1;
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit < 0x10000 ? 3 : 4;
  }
  return bytes;
}
