import type { FieldDescription, MessageDescription, ValueDescription } from '../schema-source.ts';

const WRAPPED: Readonly<Record<string, string>> = {
  DoubleValue: 'double',
  FloatValue: 'float',
  Int64Value: 'int64',
  UInt64Value: 'uint64',
  Int32Value: 'int32',
  UInt32Value: 'uint32',
  BoolValue: 'bool',
  StringValue: 'string',
  BytesValue: 'bytes',
};
const PREFIX = 'google.protobuf.';

/** How a value is edited. `message` has fields of its own; `wrapper` is a scalar that knows whether it is set. */
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
  if (!type.startsWith(PREFIX)) return { kind: 'message', type };
  const name = type.slice(PREFIX.length);
  const wrapped = WRAPPED[name];
  if (wrapped !== undefined) return { kind: 'scalar', type: wrapped, wrapper: true };
  switch (name) {
    case 'Any':
      return { kind: 'any' };
    case 'Duration':
      return { kind: 'duration' };
    case 'Timestamp':
      return { kind: 'timestamp' };
    case 'Struct':
      return { kind: 'struct' };
    case 'Value':
      return { kind: 'value' };
    case 'ListValue':
      return { kind: 'list_value' };
    case 'FieldMask':
      return { kind: 'field_mask' };
    case 'Empty':
      return { kind: 'empty' };
    default:
      return { kind: 'message', type };
  }
}

/** The Any of a message that wraps an extension (`name` and `typed_config`): Envoy's way of naming what it carries. */
export function findConfigField(message: MessageDescription): FieldDescription | undefined {
  return message.fields.find(
    ({ name, shape, value }) => name === 'typed_config' && shape === 'singular' && value.type === `${PREFIX}Any`,
  );
}

/** Fits into one row, next to its label. */
export function isInline(field: FieldDescription): boolean {
  if (field.shape !== 'singular') return false;
  const { kind } = kindOf(field.value);
  return kind !== 'message' && kind !== 'any';
}
