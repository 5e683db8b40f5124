import { compilePattern, HTTP_HEADER_NAME, HTTP_HEADER_VALUE, NO_LINE_BREAK } from './patterns.ts';
import { parseDuration, parseTimestamp, toNanos } from './well-known.ts';

/** Constraints as they are written in a `.proto` file: `{ "string": { "min_len": "1" } }`. */
export interface RulesSource {
  readonly [key: string]: unknown;
}

/** Bounds of values that have an order. With `lower > upper` the rule means "outside" (protoc-gen-validate, "ranges"). */
export interface OrderRules<T> {
  readonly const: T | undefined;
  readonly lt: T | undefined;
  readonly lte: T | undefined;
  readonly gt: T | undefined;
  readonly gte: T | undefined;
  readonly in: readonly T[];
  readonly notIn: readonly T[];
}

export interface TextRules {
  readonly const: string | undefined;
  readonly len: number | undefined;
  readonly minLen: number | undefined;
  readonly maxLen: number | undefined;
  readonly lenBytes: number | undefined;
  readonly minBytes: number | undefined;
  readonly maxBytes: number | undefined;
  /** `regex` is undefined where this JavaScript engine cannot compile the expression. */
  readonly pattern: { readonly source: string; readonly regex: RegExp | undefined } | undefined;
  readonly prefix: string | undefined;
  readonly suffix: string | undefined;
  readonly contains: string | undefined;
  readonly notContains: string | undefined;
  readonly in: readonly string[];
  readonly notIn: readonly string[];
  /** `email`, `hostname`, `ip`, `HTTP_HEADER_NAME`... */
  readonly format: string | undefined;
  readonly formatRegex: RegExp | undefined;
}

/** The rules of one type. Bytes are a text of one character per byte. */
export type TypeRules =
  | {
      readonly kind: 'number';
      readonly type: string;
      readonly order: OrderRules<number>;
      readonly ignoreEmpty: boolean;
    }
  | {
      readonly kind: 'bigint';
      readonly type: string;
      readonly order: OrderRules<bigint>;
      readonly ignoreEmpty: boolean;
    }
  | { readonly kind: 'bool'; readonly const: boolean | undefined }
  | { readonly kind: 'string' | 'bytes'; readonly text: TextRules; readonly ignoreEmpty: boolean }
  | { readonly kind: 'enum'; readonly order: OrderRules<number>; readonly definedOnly: boolean }
  | {
      readonly kind: 'repeated';
      readonly size: SizeRules;
      readonly unique: boolean;
      readonly items: FieldRules | undefined;
    }
  | {
      readonly kind: 'map';
      readonly size: SizeRules;
      readonly keys: FieldRules | undefined;
      readonly values: FieldRules | undefined;
    }
  | { readonly kind: 'any'; readonly in: readonly string[]; readonly notIn: readonly string[] }
  | {
      readonly kind: 'duration' | 'timestamp';
      readonly order: OrderRules<bigint>;
      readonly now: 'lt' | 'gt' | undefined;
    };

export interface SizeRules {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly ignoreEmpty: boolean;
}

export interface FieldRules {
  /** The message must be set. */
  readonly required: boolean;
  /** The contents of the message are not checked. */
  readonly skip: boolean;
  readonly type: TypeRules | undefined;
  readonly source: RulesSource;
}

const BIG_TYPES: readonly string[] = ['int64', 'uint64', 'sint64', 'fixed64', 'sfixed64'];
const NUMBER_TYPES: readonly string[] = ['float', 'double', 'int32', 'uint32', 'sint32', 'fixed32', 'sfixed32'];

/** Parses the proto-JSON of `validate.FieldRules`. */
export function parseFieldRules(json: unknown): FieldRules | undefined {
  if (!isObject(json)) return undefined;
  const message = isObject(json.message) ? json.message : {};
  const typeName = Object.keys(json).find((key) => key !== 'message');
  const own = typeName === undefined ? undefined : json[typeName];
  const rules = isObject(own) ? own : {};
  return {
    required: message.required === true || (rules.required === true && typeName !== undefined),
    skip: message.skip === true,
    type: typeName === undefined ? undefined : parseTypeRules(typeName, rules),
    source: json,
  };
}

function parseTypeRules(type: string, rules: RulesSource): TypeRules | undefined {
  const ignoreEmpty = rules.ignore_empty === true;
  if (NUMBER_TYPES.includes(type)) return { kind: 'number', type, order: parseOrder(rules, toNumber), ignoreEmpty };
  if (BIG_TYPES.includes(type)) return { kind: 'bigint', type, order: parseOrder(rules, toBigInt), ignoreEmpty };
  switch (type) {
    case 'bool':
      return { kind: 'bool', const: typeof rules.const === 'boolean' ? rules.const : undefined };
    case 'string':
    case 'bytes':
      return { kind: type, text: parseText(type, rules), ignoreEmpty };
    case 'enum':
      return { kind: 'enum', order: parseOrder(rules, toNumber), definedOnly: rules.defined_only === true };
    case 'repeated':
      return {
        kind: 'repeated',
        size: { min: toNumber(rules.min_items), max: toNumber(rules.max_items), ignoreEmpty },
        unique: rules.unique === true,
        items: rules.items === undefined ? undefined : parseFieldRules(rules.items),
      };
    case 'map':
      return {
        kind: 'map',
        size: { min: toNumber(rules.min_pairs), max: toNumber(rules.max_pairs), ignoreEmpty },
        keys: rules.keys === undefined ? undefined : parseFieldRules(rules.keys),
        values: rules.values === undefined ? undefined : parseFieldRules(rules.values),
      };
    case 'any':
      return { kind: 'any', in: toStrings(rules.in), notIn: toStrings(rules.not_in) };
    case 'duration':
      return {
        kind: 'duration',
        order: parseOrder(rules, (json) => toNanos(parseDuration(json))),
        now: undefined,
      };
    case 'timestamp': {
      const now = rules.lt_now === true ? 'lt' : rules.gt_now === true ? 'gt' : undefined;
      return { kind: 'timestamp', order: parseOrder(rules, (json) => toNanos(parseTimestamp(json))), now };
    }
    default:
      return undefined;
  }
}

function parseOrder<T>(rules: RulesSource, read: (json: unknown) => T | undefined): OrderRules<T> {
  const list = (json: unknown) =>
    Array.isArray(json) ? json.map(read).filter((value): value is T & {} => value !== undefined) : [];
  return {
    const: read(rules.const),
    lt: read(rules.lt),
    lte: read(rules.lte),
    gt: read(rules.gt),
    gte: read(rules.gte),
    in: list(rules.in),
    notIn: list(rules.not_in),
  };
}

const FORMATS = ['email', 'hostname', 'ip', 'ipv4', 'ipv6', 'uri', 'uri_ref', 'address', 'uuid'];

function parseText(type: 'string' | 'bytes', rules: RulesSource): TextRules {
  const text = (json: unknown) => {
    if (typeof json !== 'string') return undefined;
    return type === 'bytes' ? atob(json) : json;
  };
  const pattern = typeof rules.pattern === 'string' ? rules.pattern : undefined;
  const wellKnown = typeof rules.well_known_regex === 'string' ? rules.well_known_regex : undefined;
  const strict = rules.strict !== false;
  return {
    const: text(rules.const),
    len: toNumber(rules.len),
    minLen: toNumber(rules.min_len),
    maxLen: toNumber(rules.max_len),
    lenBytes: toNumber(rules.len_bytes),
    minBytes: toNumber(rules.min_bytes),
    maxBytes: toNumber(rules.max_bytes),
    pattern: pattern === undefined ? undefined : { source: pattern, regex: compilePattern(pattern) },
    prefix: text(rules.prefix),
    suffix: text(rules.suffix),
    contains: text(rules.contains),
    notContains: text(rules.not_contains),
    in: toTexts(rules.in, text),
    notIn: toTexts(rules.not_in, text),
    format: wellKnown ?? FORMATS.find((name) => rules[name] === true),
    formatRegex: wellKnown === undefined ? undefined : wellKnownRegex(wellKnown, strict),
  };
}

function wellKnownRegex(name: string, strict: boolean): RegExp | undefined {
  if (name === 'HTTP_HEADER_NAME') return strict ? HTTP_HEADER_NAME : NO_LINE_BREAK;
  if (name === 'HTTP_HEADER_VALUE') return strict ? HTTP_HEADER_VALUE : NO_LINE_BREAK;
  return undefined;
}

function toNumber(json: unknown): number | undefined {
  if (typeof json === 'number') return json;
  return typeof json === 'string' && json !== '' ? Number(json) : undefined;
}

function toBigInt(json: unknown): bigint | undefined {
  return typeof json === 'string' || typeof json === 'number' ? BigInt(json) : undefined;
}

function toStrings(json: unknown): string[] {
  return Array.isArray(json) ? json.filter((value) => typeof value === 'string') : [];
}

function toTexts(json: unknown, text: (json: unknown) => string | undefined): string[] {
  return Array.isArray(json) ? json.map(text).filter((value) => value !== undefined) : [];
}

function isObject(value: unknown): value is RulesSource {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
