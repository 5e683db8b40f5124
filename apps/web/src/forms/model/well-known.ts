import { wellKnownOf, wrappedScalar } from '@flotilla/envoy-rules';
import type { FieldDescription, MessageDescription, ValueDescription } from '../schema-source.ts';

const ANY = 'google.protobuf.Any';

/** How a value is edited. `message` has fields of its own; `wrapper` is a scalar that may be unset. */
export type ValueKind =
  | { readonly kind: 'scalar'; readonly type: string; readonly wrapper: boolean }
  | { readonly kind: 'enum' }
  | { readonly kind: 'any' | 'duration' | 'timestamp' | 'struct' | 'value' | 'list_value' | 'field_mask' | 'empty' }
  | { readonly kind: 'message'; readonly type: string };

export function kindOf(value: ValueDescription): ValueKind {
  if (value.kind === 'scalar') return { kind: 'scalar', type: value.type, wrapper: false };
  if (value.kind === 'enum') return { kind: 'enum' };
  return kindOfMessage(value.type);
}

export function kindOfMessage(type: string): ValueKind {
  const scalar = wrappedScalar(type);
  if (scalar !== undefined) return { kind: 'scalar', type: scalar, wrapper: true };
  const wellKnown = wellKnownOf(type);
  return wellKnown === undefined || wellKnown === 'wrapper' ? { kind: 'message', type } : { kind: wellKnown };
}

/** Returns the Any of a message that wraps an extension (`name` and `typed_config`). */
export function findConfigField(message: MessageDescription): FieldDescription | undefined {
  return message.fields.find(
    ({ name, shape, value }) => name === 'typed_config' && shape === 'singular' && value.type === ANY,
  );
}

/** Whether the field fits into one row, next to its label. */
export function isInline(field: FieldDescription): boolean {
  if (field.shape !== 'singular') return false;
  const { kind } = kindOf(field.value);
  return kind !== 'message' && kind !== 'any';
}
