import type { FieldDescription } from '../schema-source.ts';
import { readDuration, showDuration, toJsonDuration } from './duration.ts';
import { isObject, type Json, type JsonObject, ownValue } from './json.ts';
import { isFloatType, readInteger, readNumber } from './scalar.ts';

/** The rules of protoc-gen-validate for one value, read out of a field's constraint. */
export interface ValueRules {
  readonly type: string;
  readonly rules: JsonObject;
}

/** The rules of a value of the field itself; of a list or a map they are about its size. */
export function rulesOf(field: FieldDescription): ValueRules | undefined {
  const constraint = field.constraint;
  if (!isObject(constraint)) return undefined;
  const type = Object.keys(constraint).find((key) => key !== 'message');
  const rules = type === undefined ? undefined : ownValue(constraint, type);
  return type !== undefined && isObject(rules) ? { type, rules } : undefined;
}

const items = new WeakMap<FieldDescription, FieldDescription>();
const keys = new WeakMap<FieldDescription, FieldDescription>();

/** An item of the list or a value of the map as a field of its own. The same object for the same field. */
export function itemField(field: FieldDescription): FieldDescription {
  const known = items.get(field);
  if (known) return known;
  const rules = rulesOf(field)?.rules;
  const inner = rules && ownValue(rules, field.shape === 'map' ? 'values' : 'items');
  const item: FieldDescription = {
    ...field,
    shape: 'singular',
    key_type: undefined,
    oneof: undefined,
    required: false,
    hint: undefined,
    constraint: isObject(inner) ? inner : undefined,
  };
  items.set(field, item);
  return item;
}

/** A key of the map as a field of its own. */
export function keyField(field: FieldDescription): FieldDescription {
  const known = keys.get(field);
  if (known) return known;
  const rules = rulesOf(field)?.rules;
  const inner = rules && ownValue(rules, 'keys');
  const key: FieldDescription = {
    ...itemField(field),
    value: { kind: 'scalar', type: field.key_type ?? 'string' },
    constraint: isObject(inner) ? inner : undefined,
    refers_to: undefined,
    sensitive: false,
  };
  keys.set(field, key);
  return key;
}

/** Bounds of anything with an order, as the rules write them. */
export interface Bounds<T> {
  readonly lower: { readonly value: T; readonly exclusive: boolean } | undefined;
  readonly upper: { readonly value: T; readonly exclusive: boolean } | undefined;
  readonly equal: T | undefined;
  readonly in: readonly T[];
  readonly notIn: readonly T[];
}

export function readBounds<T>(rules: JsonObject, read: (json: Json | undefined) => T | undefined): Bounds<T> {
  const one = (key: string) => read(ownValue(rules, key));
  const list = (key: string) => {
    const found = ownValue(rules, key);
    return Array.isArray(found) ? found.flatMap((json: Json) => read(json) ?? []) : [];
  };
  const gt = one('gt');
  const gte = one('gte');
  const lt = one('lt');
  const lte = one('lte');
  return {
    lower:
      gt !== undefined
        ? { value: gt, exclusive: true }
        : gte === undefined
          ? undefined
          : { value: gte, exclusive: false },
    upper:
      lt !== undefined
        ? { value: lt, exclusive: true }
        : lte === undefined
          ? undefined
          : { value: lte, exclusive: false },
    equal: one('const'),
    in: list('in') as T[],
    notIn: list('not_in') as T[],
  };
}

/** A number's or duration's bounds with a way to read and to show its values; undefined for types without an order. */
export function boundsOf({ type, rules }: ValueRules):
  | {
      readonly bounds: Bounds<bigint | number>;
      read(json: Json | undefined): bigint | number | undefined;
      show(value: bigint | number): string;
    }
  | undefined {
  if (type === 'duration') {
    return {
      bounds: readBounds(rules, readDuration),
      read: readDuration,
      show: (value) => showDuration(toJsonDuration(BigInt(value))),
    };
  }
  if (isFloatType(type)) return { bounds: readBounds(rules, readNumber), read: readNumber, show: String };
  if (/^(?:u|s)?(?:int|fixed)(?:32|64)$|^sfixed(?:32|64)$/.test(type)) {
    return { bounds: readBounds(rules, readInteger), read: readInteger, show: String };
  }
  return undefined;
}

export function readCount(rules: JsonObject, key: string): number | undefined {
  return readNumber(ownValue(rules, key));
}
