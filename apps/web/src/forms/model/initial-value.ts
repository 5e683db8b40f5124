import type { FieldDescription } from '../schema-source.ts';
import type { Json } from './json.ts';
import { isFloatType, isIntegerType } from './scalar.ts';
import { kindOf } from './well-known.ts';

/** What a new item or a chosen arm begins with: the emptiest value of its type. A text that no number can be asks to be written over. */
export function initialValue(field: FieldDescription): Json {
  const kind = kindOf(field.value);
  switch (kind.kind) {
    case 'scalar':
      if (kind.type === 'bool') return true;
      return isIntegerType(kind.type) || isFloatType(kind.type) ? 0 : '';
    case 'enum': {
      const values = field.value.kind === 'enum' ? field.value.values : [];
      return (values.find(({ deprecated, disallowed }) => !deprecated && !disallowed) ?? values[0])?.name ?? 0;
    }
    case 'duration':
      return '0s';
    case 'timestamp':
    case 'field_mask':
      return '';
    case 'list_value':
      return [];
    case 'value':
      return null;
    default:
      return {};
  }
}

/** What choosing an arm of a oneof writes at once; undefined where only a value of the person's own makes sense. */
export function initialArm(field: FieldDescription): Json | undefined {
  const kind = kindOf(field.value);
  if (field.value.kind === 'enum') return undefined;
  if (kind.kind === 'scalar') return kind.type === 'bool' ? true : undefined;
  return kind.kind === 'message' || kind.kind === 'empty' || kind.kind === 'struct' ? {} : undefined;
}
