import { describeItemRules, describeRules } from '@flotilla/envoy-rules';
import { rulesOf } from '../../forms/model/rules.ts';
import type { FieldDescription, ValueDescription } from '../../forms/schema-source.ts';
import { texts } from './texts.ts';

const wording = texts.constraint;

/** Describes the constraints of a field, one sentence each, without a full stop. */
export function describeConstraints(field: FieldDescription): string[] {
  const rules = rulesOf(field);
  const phrases = [...describeRules(rules), ...describeItemRules(rules)].map(capitalize);
  return field.required ? [wording.required, ...phrases] : phrases;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns the display name of a type. */
export function describeType(
  value: ValueDescription,
  shape: FieldDescription['shape'] = 'singular',
  keyType?: string | null,
): string {
  const name =
    value.kind === 'enum'
      ? wording.enumOf(shortName(value.type))
      : value.kind === 'message'
        ? shortName(value.type)
        : value.type;
  if (shape === 'list') return wording.listOf(name);
  return shape === 'map' ? wording.mapOf(keyType ?? 'string', name) : name;
}

export function shortName(typeName: string): string {
  return typeName.slice(typeName.lastIndexOf('.') + 1);
}
