import { integerRange, isFloatType } from '@flotilla/envoy-rules';
import type { FieldDescription } from '../schema-source.ts';
import type { Json } from './json.ts';
import { kindOf } from './well-known.ts';

/**
 * Returns the initial value of a new item or a selected arm: the emptiest value of its type. A required string is empty, for the user to
 * fill in.
 */
export function initialValue(field: FieldDescription): Json {
  const kind = kindOf(field.value);
  switch (kind.kind) {
    case 'scalar':
      if (kind.type === 'bool') return true;
      return integerRange(kind.type) || isFloatType(kind.type) ? 0 : '';
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

/** Returns the value that the selection of an arm sets at once; undefined if only the user can enter one. */
export function initialArm(field: FieldDescription): Json | undefined {
  const kind = kindOf(field.value);
  if (field.value.kind === 'enum') return undefined;
  if (kind.kind === 'scalar') return kind.type === 'bool' ? true : undefined;
  return kind.kind === 'message' || kind.kind === 'empty' || kind.kind === 'struct' ? {} : undefined;
}
