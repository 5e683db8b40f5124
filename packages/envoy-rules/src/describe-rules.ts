import type { FieldRules, OrderRules, SizeRules, TextRules, TypeRules } from './field-rules.ts';
import { describeFormat } from './formats.ts';
import { formatTimestamp, fromNanos, showDuration } from './well-known.ts';
import { count } from './wording.ts';

/** Describes constraints in short phrases: `1 to 100`, `at least 1 item`. Returns an empty list if there is no constraint. */
export function describeRules(rules: FieldRules | undefined): string[] {
  return rules?.type === undefined ? [] : describeType(rules.type);
}

function describeType(rules: TypeRules): string[] {
  switch (rules.kind) {
    case 'number':
    case 'bigint':
      return describeOrder<number | bigint>(rules.order, String);
    case 'duration':
      return describeOrder(rules.order, showDuration);
    case 'timestamp':
      return describeOrder(rules.order, (nanos) => formatTimestamp(fromNanos(nanos)));
    case 'bool':
      return rules.const === undefined ? [] : [String(rules.const)];
    case 'string':
    case 'bytes':
      return describeText(rules.text, rules.kind === 'string' ? 'character' : 'byte');
    case 'repeated':
      return [...describeSize(rules.size, 'item'), ...(rules.unique ? ['no item twice'] : [])];
    case 'map':
      return describeSize(rules.size, 'pair');
    case 'any':
      return rules.in.length === 0 ? [] : [`one of ${rules.in.join(', ')}`];
    case 'enum':
      return [];
  }
}

/** Describes the constraints of the items of a list, or of the keys and values of a map: `each item: not empty`. */
export function describeItemRules(rules: FieldRules | undefined): string[] {
  const type = rules?.type;
  if (type?.kind === 'repeated') return prefixed('each item', type.items);
  return type?.kind === 'map' ? [...prefixed('each key', type.keys), ...prefixed('each value', type.values)] : [];
}

function prefixed(prefix: string, rules: FieldRules | undefined): string[] {
  const phrases = describeRules(rules);
  return phrases.length === 0 ? [] : [`${prefix}: ${phrases.join(', ')}`];
}

function describeOrder<T extends number | bigint>(rules: OrderRules<T>, show: (value: T) => string): string[] {
  const { gt, gte, lt, lte } = rules;
  if (rules.const !== undefined) return [`exactly ${show(rules.const)}`];
  if (rules.in.length > 0) return [`one of ${rules.in.map(show).join(', ')}`];
  const low = gt ?? gte;
  const high = lt ?? lte;
  const isInside = low === undefined || high === undefined || low <= high;
  if (gte !== undefined && lte !== undefined && gt === undefined && lt === undefined && isInside)
    return [`${show(gte)} to ${show(lte)}`];
  const phrases = [
    low === undefined ? undefined : `${gt === undefined ? 'at least' : 'more than'} ${show(low)}`,
    high === undefined ? undefined : `${lt === undefined ? 'at most' : 'less than'} ${show(high)}`,
  ].filter((phrase) => phrase !== undefined);
  const bounds = isInside ? phrases : [phrases.join(' or ')];
  return rules.notIn.length === 0 ? bounds : [...bounds, `not ${rules.notIn.map(show).join(', ')}`];
}

function describeSize({ min, max }: SizeRules, unit: string): string[] {
  return [
    ...(min === undefined || min === 0 ? [] : [`at least ${count(min, unit)}`]),
    ...(max === undefined ? [] : [`at most ${count(max, unit)}`]),
  ];
}

function describeText(rules: TextRules, unit: string): string[] {
  const quoted = (text: string) => JSON.stringify(text);
  return [
    rules.const === undefined ? undefined : `exactly ${quoted(rules.const)}`,
    rules.len === undefined ? undefined : `exactly ${count(rules.len, unit)}`,
    describeMinimum(rules.minLen, unit),
    rules.maxLen === undefined ? undefined : `at most ${count(rules.maxLen, unit)}`,
    rules.lenBytes === undefined ? undefined : `exactly ${count(rules.lenBytes, 'byte')}`,
    describeMinimum(rules.minLen === undefined ? rules.minBytes : undefined, 'byte'),
    rules.maxBytes === undefined ? undefined : `at most ${count(rules.maxBytes, 'byte')}`,
    rules.prefix === undefined ? undefined : `starts with ${quoted(rules.prefix)}`,
    rules.suffix === undefined ? undefined : `ends with ${quoted(rules.suffix)}`,
    rules.contains === undefined ? undefined : `contains ${quoted(rules.contains)}`,
    rules.notContains === undefined ? undefined : `does not contain ${quoted(rules.notContains)}`,
    rules.in.length === 0 ? undefined : `one of ${rules.in.join(', ')}`,
    rules.notIn.length === 0 ? undefined : `not ${rules.notIn.map(quoted).join(', ')}`,
    rules.pattern === undefined ? undefined : `matches ${rules.pattern.source}`,
    rules.format === undefined ? undefined : describeFormat(rules.format),
  ].filter((phrase) => phrase !== undefined);
}

function describeMinimum(min: number | undefined, unit: string): string | undefined {
  if (min === undefined || min === 0) return undefined;
  return min === 1 ? 'not empty' : `at least ${count(min, unit)}`;
}
