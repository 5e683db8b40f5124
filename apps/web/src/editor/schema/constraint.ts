import type { FieldDescription, ValueDescription } from '../../forms/schema-source.ts';
import { texts } from '../../texts/index.ts';

const wording = texts.editor.schema.constraint;

type Rules = Readonly<Record<string, unknown>>;

/** The rules of one value, whatever its type is called. */
export interface ValueRules {
  readonly family: string;
  readonly rules: Rules;
}

/** Of the field as a whole (`size`), of each of its values and, of a map, of each key. */
export interface FieldRules {
  readonly size: { readonly min: number | undefined; readonly max: number | undefined };
  readonly value: ValueRules | undefined;
  readonly key: ValueRules | undefined;
  readonly unique: boolean;
}

const NONE = { min: undefined, max: undefined } as const;

/** Rules as protoc-gen-validate writes them, sorted by what they apply to. */
export function readRules(field: FieldDescription | undefined): FieldRules {
  const own = valueRules(field?.constraint);
  if (own?.family === 'repeated') {
    const size = { min: toNumber(own.rules.min_items), max: toNumber(own.rules.max_items) };
    return { size, value: valueRules(own.rules.items), key: undefined, unique: own.rules.unique === true };
  }
  if (own?.family === 'map') {
    const size = { min: toNumber(own.rules.min_pairs), max: toNumber(own.rules.max_pairs) };
    return { size, value: valueRules(own.rules.values), key: valueRules(own.rules.keys), unique: false };
  }
  return { size: NONE, value: own, key: undefined, unique: false };
}

function valueRules(json: unknown): ValueRules | undefined {
  if (!isRecord(json)) return undefined;
  const family = Object.keys(json).find((key) => key !== 'message');
  const rules = family === undefined ? undefined : json[family];
  return family !== undefined && isRecord(rules) ? { family, rules } : undefined;
}

/** What breaks a rule, as the end of a sentence; undefined when nothing does or the rule is not one that can be told here. */
export function findBreach(
  value: string | number | bigint | boolean,
  own: ValueRules | undefined,
): { rule: string; message: string } | undefined {
  if (!own) return undefined;
  const { family, rules } = own;
  if (rules.ignore_empty === true && (value === '' || value === 0)) return undefined;
  if (family === 'string' && typeof value === 'string') return textBreach(value, rules);
  if (family === 'duration' && typeof value === 'string') {
    const seconds = secondsOf(value);
    return seconds === undefined ? undefined : orderBreach(seconds, rules, family, secondsOf);
  }
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (family !== 'enum' && (typeof number === 'number' || typeof number === 'bigint'))
    return orderBreach(Number(number), rules, family, toNumber);
  if (family === 'bool' && typeof rules.const === 'boolean' && value !== rules.const)
    return { rule: 'bool.const', message: wording.findBreach.const(String(rules.const)) };
  return undefined;
}

function orderBreach(value: number, rules: Rules, family: string, read: (json: unknown) => number | undefined) {
  const [lt, lte, gt, gte] = [rules.lt, rules.lte, rules.gt, rules.gte].map(read);
  const fixed = read(rules.const);
  const breach = (rule: string, words: string, wanted: unknown) => ({
    rule: `${family}.${rule}`,
    message: wording.orderBreach.mustBe(words, showBound(wanted)),
  });
  if (fixed !== undefined && value !== fixed) return breach('const', '', rules.const);
  const low = gt ?? gte;
  const high = lt ?? lte;
  // Bounds the wrong way round mean "outside"
  if (low !== undefined && high !== undefined && low > high) return undefined;
  if (lt !== undefined && value >= lt) return breach('lt', wording.orderBreach.lessThan, rules.lt);
  if (lte !== undefined && value > lte) return breach('lte', wording.orderBreach.atMost, rules.lte);
  if (gt !== undefined && value <= gt) return breach('gt', wording.orderBreach.greaterThan, rules.gt);
  if (gte !== undefined && value < gte) return breach('gte', wording.orderBreach.atLeast, rules.gte);
  return undefined;
}

function textBreach(value: string, rules: Rules) {
  const letters = [...value].length;
  const bytes = () => new TextEncoder().encode(value).length;
  const [min, max] = [toNumber(rules.min_len), toNumber(rules.max_len)];
  const [minBytes, maxBytes] = [toNumber(rules.min_bytes), toNumber(rules.max_bytes)];
  const breach = (rule: string, message: string) => ({ rule: `string.${rule}`, message });
  if (letters === 0 && ((min ?? 0) >= 1 || (minBytes ?? 0) >= 1))
    return breach(min === undefined ? 'min_bytes' : 'min_len', wording.textBreach.empty);
  if (min !== undefined && letters < min) return breach('min_len', wording.textBreach.minChars(min));
  if (max !== undefined && letters > max) return breach('max_len', wording.textBreach.maxChars(max));
  if (minBytes !== undefined && bytes() < minBytes) return breach('min_bytes', wording.textBreach.minBytes(minBytes));
  if (maxBytes !== undefined && bytes() > maxBytes) return breach('max_bytes', wording.textBreach.maxBytes(maxBytes));
  if (typeof rules.prefix === 'string' && !value.startsWith(rules.prefix))
    return breach('prefix', wording.textBreach.prefix(JSON.stringify(rules.prefix)));
  if (typeof rules.suffix === 'string' && !value.endsWith(rules.suffix))
    return breach('suffix', wording.textBreach.suffix(JSON.stringify(rules.suffix)));
  if (typeof rules.const === 'string' && value !== rules.const)
    return breach('const', wording.textBreach.const(JSON.stringify(rules.const)));
  if (Array.isArray(rules.in) && !rules.in.includes(value))
    return breach('in', wording.textBreach.oneOf(rules.in.join(', ')));
  return undefined;
}

/** The rules of a field for people, one sentence each, without a full stop. */
export function describeRules(field: FieldDescription): string[] {
  const rules = readRules(field);
  const { min, max } = rules.size;
  const [one, many] = field.shape === 'map' ? (['entry', 'entries'] as const) : (['item', 'items'] as const);
  const sentences: string[] = [];
  if (field.required) sentences.push(wording.describeRules.required);
  if (min !== undefined && min > 0) sentences.push(wording.describeRules.atLeast(min, min === 1 ? one : many));
  if (max !== undefined) sentences.push(wording.describeRules.atMost(max, max === 1 ? one : many));
  if (rules.unique) sentences.push(wording.describeRules.noItemTwice);
  if (rules.value) sentences.push(...describeValueRules(rules.value, field.shape === 'singular' ? '' : 'Each: '));
  if (rules.key) sentences.push(...describeValueRules(rules.key, wording.describeRules.eachKey));
  return sentences;
}

const WORDS: Readonly<Record<string, string>> = {
  const: 'is',
  lt: wording.words.lt,
  lte: wording.words.lte,
  gt: wording.words.gt,
  gte: wording.words.gte,
  min_len: wording.words.minLen,
  max_len: wording.words.maxLen,
  min_bytes: wording.words.minBytes,
  max_bytes: wording.words.maxBytes,
  len: 'length',
  prefix: wording.words.prefix,
  suffix: wording.words.suffix,
  contains: 'contains',
  not_contains: wording.words.notContains,
  in: wording.words.inWord,
  not_in: wording.words.notIn,
  pattern: 'pattern',
};

function describeValueRules({ family, rules }: ValueRules, prefix: string): string[] {
  const sentences: string[] = [];
  for (const [rule, value] of Object.entries(rules)) {
    if (rule === 'min_len' && value === '1') sentences.push(capital(wording.describeValueRules.notEmpty(prefix)));
    else if (rule === 'well_known_regex')
      sentences.push(capital(`${prefix}${String(value).toLowerCase().replaceAll('_', ' ')}`));
    else if (rule in WORDS && !(family === 'enum')) {
      const shown = Array.isArray(value) ? value.map(showBound).join(', ') : showBound(value);
      sentences.push(capital(`${prefix}${WORDS[rule]} ${shown}`));
    } else if (value === true && !['required', 'defined_only', 'ignore_empty', 'strict'].includes(rule)) {
      sentences.push(capital(`${prefix}${rule.replaceAll('_', ' ')}`));
    }
  }
  return sentences;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function showBound(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What the type is called where a person reads it. */
export function describeType(
  value: ValueDescription,
  shape: FieldDescription['shape'] = 'singular',
  keyType?: string | null,
): string {
  const name =
    value.kind === 'enum'
      ? wording.describeType.enum(shortName(value.type))
      : value.kind === 'message'
        ? shortName(value.type)
        : value.type;
  if (shape === 'list') return wording.describeType.list(name);
  return shape === 'map' ? wording.describeType.map(keyType ?? 'string', name) : name;
}

export function shortName(typeName: string): string {
  return typeName.slice(typeName.lastIndexOf('.') + 1);
}

function secondsOf(json: unknown): number | undefined {
  const match = typeof json === 'string' ? /^(-?\d{1,12}(?:\.\d{1,9})?)s$/.exec(json) : null;
  return match ? Number(match[1]) : undefined;
}

function toNumber(json: unknown): number | undefined {
  if (typeof json === 'number') return json;
  return typeof json === 'string' && json !== '' && !Number.isNaN(Number(json)) ? Number(json) : undefined;
}

function isRecord(value: unknown): value is Rules {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
