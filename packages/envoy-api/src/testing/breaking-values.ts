import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { FieldDescription, MessageDescription } from '../describe.ts';

/** A message that violates one rule of one field: a check must report `path` and `rule`. */
export interface BrokenMessage {
  readonly json: JsonObject;
  readonly path: string;
  readonly rule: string;
}

/** Options that change how others are read, and rules that no value can violate. */
export type Exempt = { readonly exempt: string };

interface Leaf {
  /** `repeated`, `items`, `string`, `min_len`: the path to the rule in the constraint. */
  readonly way: readonly string[];
  readonly value: JsonValue;
  /** Sibling rules. */
  readonly beside: JsonObject;
}

/** Every rule of a constraint at any depth. */
export function listRules(constraint: JsonObject, way: readonly string[] = []): Leaf[] {
  return Object.entries(constraint).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? listRules(value, [...way, name])
      : [{ way: [...way, name], value, beside: constraint }],
  );
}

export function breakRule(message: MessageDescription, field: FieldDescription, leaf: Leaf): BrokenMessage | Exempt {
  const [type = '', ...rest] = leaf.way;
  const rule = leaf.way.at(-1) ?? '';
  if (['ignore_empty', 'strict', 'skip'].includes(rule)) return { exempt: 'changes how others are read' };
  if (rule === 'min_len' && leaf.value === '1' && leaf.beside.ignore_empty === true)
    return { exempt: 'only an empty text would break it' };
  if (leaf.value === false && rule !== 'const') return { exempt: 'is written out and switched off' };
  if (rule.startsWith('min_') && Number(leaf.value) === 0) return { exempt: 'everything has at least nothing' };
  if (rule === 'required') {
    if (field.oneof !== undefined) return { exempt: 'an arm of a oneof is only looked at when it is chosen' };
    return { json: {}, path: field.name, rule: 'required' };
  }
  const set = (value: JsonValue): JsonObject => ({ [field.name]: value });
  if (type === 'repeated' && rest[0] === 'items') {
    const bad = breakValue(leaf, `${message.typeName}.${field.name}`);
    return isExempt(bad)
      ? bad
      : { json: set([bad.value]), path: `${field.name}[0]`, rule: leaf.way.slice(2).join('.') };
  }
  if (type === 'repeated') return { json: set(breakList(field, rule, Number(leaf.value))), ...listBreach(field, rule) };
  if (type === 'map' && rest[0] === 'keys') {
    const bad = breakValue(leaf, `${message.typeName}.${field.name}`);
    if (isExempt(bad)) return bad;
    return {
      json: set({ [String(bad.value)]: sample(field) }),
      path: keyPath(field, String(bad.value)),
      rule: `map.${leaf.way.slice(1).join('.')}`,
    };
  }
  if (type === 'map' && rest[0] === 'values') {
    const bad = breakValue(leaf, `${message.typeName}.${field.name}`);
    return isExempt(bad)
      ? bad
      : { json: set({ k: bad.value }), path: `${field.name}.k`, rule: leaf.way.slice(2).join('.') };
  }
  if (type === 'map') return { json: set({}), path: field.name, rule: `map.${rule}` };
  const bad = breakValue(leaf, `${message.typeName}.${field.name}`);
  if (isExempt(bad)) return bad;
  return { json: set(bad.value), path: field.name, rule: `${type}.${isOutside(leaf) ? 'range' : rule}` };
}

export function isExempt(value: object): value is Exempt {
  return 'exempt' in value;
}

/** Bounds that exclude what is between them. */
function isOutside({ beside }: Leaf): boolean {
  const bound = (json: JsonValue | undefined) => (json === undefined ? Number.NaN : Number.parseFloat(String(json)));
  return bound(beside.gt ?? beside.gte) > bound(beside.lt ?? beside.lte);
}

function keyPath(field: FieldDescription, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `${field.name}.${key}` : `${field.name}[${JSON.stringify(key)}]`;
}

function listBreach(field: FieldDescription, rule: string): { path: string; rule: string } {
  return { path: rule === 'unique' ? `${field.name}[1]` : field.name, rule: `repeated.${rule}` };
}

function breakList(field: FieldDescription, rule: string, limit: number): JsonValue[] {
  const length = rule === 'unique' ? 2 : rule === 'min_items' ? limit - 1 : limit + 1;
  return Array.from({ length }, () => sample(field));
}

/** Any value of the field's type. */
function sample(field: FieldDescription): JsonValue {
  const { value } = field;
  if (value.kind === 'enum') return value.values[0]?.name ?? 0;
  if (value.kind === 'message') return {};
  if (value.type === 'string' || value.type === 'bytes') return 'aaaa';
  return value.type === 'bool' ? true : 1;
}

function breakValue(leaf: Leaf, place: string): { readonly value: JsonValue } | Exempt {
  const type = leaf.way.at(-2) ?? '';
  const rule = leaf.way.at(-1) ?? '';
  switch (type) {
    case 'string':
    case 'bytes':
      return { value: breakText(type, rule, leaf.value, place) };
    case 'bool':
      return { value: leaf.value !== true };
    case 'enum':
      if (rule === 'defined_only') return { value: 987_654 };
      return { value: Array.isArray(leaf.value) ? (leaf.value[0] ?? 0) : 987_654 };
    case 'duration':
      return breakDuration(rule, String(leaf.value));
    default:
      return breakNumber(type, rule, leaf.value);
  }
}

function breakText(type: 'string' | 'bytes', rule: string, value: JsonValue, place: string): string {
  const encode = (text: string) => (type === 'bytes' ? Buffer.from(text).toString('base64') : text);
  switch (rule) {
    case 'min_len':
    case 'min_bytes':
      return encode('a'.repeat(Number(value) - 1));
    case 'len':
    case 'max_len':
    case 'max_bytes':
      return encode('a'.repeat(Number(value) + 1));
    case 'pattern':
    case 'prefix':
    case 'suffix':
    case 'in':
      return encode('?#/\n§ no such thing');
    case 'well_known_regex':
      return encode('a\u0000b');
    default:
      throw new Error(`no value is known that breaks ${type}.${rule} of ${place}`);
  }
}

function breakNumber(type: string, rule: string, value: JsonValue): { readonly value: JsonValue } | Exempt {
  const big = type.endsWith('64');
  const step = (by: bigint) => (big ? String(BigInt(String(value)) + by) : Number(value) + Number(by));
  const unsigned = type.startsWith('uint') || type.startsWith('fixed');
  switch (rule) {
    case 'gt':
    case 'lt':
      return { value: step(0n) };
    case 'gte':
      return unsigned && BigInt(String(value)) === 0n
        ? { exempt: 'an unsigned number is never below 0' }
        : { value: step(-1n) };
    case 'lte':
      return type === 'uint32' && Number(value) === 2 ** 32 - 1
        ? { exempt: 'the type ends there' }
        : { value: step(1n) };
    default:
      throw new Error(`no value is known that breaks ${type}.${rule}`);
  }
}

function breakDuration(rule: string, bound: string): { readonly value: JsonValue } | Exempt {
  const nanos = BigInt(Math.round(Number(bound.slice(0, -1)) * 1e9));
  const broken = rule === 'gte' ? nanos - 1n : rule === 'lte' ? nanos + 1n : nanos;
  const absolute = broken < 0n ? -broken : broken;
  const text = `${broken < 0n ? '-' : ''}${absolute / 1_000_000_000n}.${String(absolute % 1_000_000_000n).padStart(9, '0')}s`;
  return { value: text };
}
