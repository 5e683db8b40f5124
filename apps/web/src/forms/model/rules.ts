import { type FieldRules, parseFieldRules } from '@flotilla/envoy-rules';
import type { FieldDescription } from '../schema-source.ts';

const parsed = new WeakMap<object, FieldRules | undefined>();

/** Returns the constraints of the field. Those of a list or a map are about its size, its items and its keys. */
export function rulesOf({ constraint }: FieldDescription): FieldRules | undefined {
  if (typeof constraint !== 'object' || constraint === null) return undefined;
  if (!parsed.has(constraint)) parsed.set(constraint, parseFieldRules(constraint));
  return parsed.get(constraint);
}

/** Returns the constraints of one value: of the field itself, or of an item of its list or map. */
export function valueRulesOf(field: FieldDescription): FieldRules | undefined {
  const rules = rulesOf(field);
  if (rules?.type?.kind === 'repeated') return rules.type.items;
  return rules?.type?.kind === 'map' ? rules.type.values : rules;
}

export function keyRulesOf(field: FieldDescription): FieldRules | undefined {
  const type = rulesOf(field)?.type;
  return type?.kind === 'map' ? type.keys : undefined;
}

const items = new WeakMap<FieldDescription, FieldDescription>();
const keys = new WeakMap<FieldDescription, FieldDescription>();

/** Describes an item of the list or a value of the map as a field of its own. Returns the same object for the same field. */
export function itemField(field: FieldDescription): FieldDescription {
  const known = items.get(field);
  if (known) return known;
  const item: FieldDescription = {
    ...field,
    shape: 'singular',
    key_type: undefined,
    oneof: undefined,
    required: false,
    hint: undefined,
    constraint: valueRulesOf(field)?.source,
  };
  items.set(field, item);
  return item;
}

/** Describes a key of the map as a field of its own. */
export function keyField(field: FieldDescription): FieldDescription {
  const known = keys.get(field);
  if (known) return known;
  const key: FieldDescription = {
    ...itemField(field),
    value: { kind: 'scalar', type: field.key_type ?? 'string' },
    constraint: keyRulesOf(field)?.source,
    refers_to: undefined,
    sensitive: false,
  };
  keys.set(field, key);
  return key;
}
