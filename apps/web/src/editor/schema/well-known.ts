import type { ValueDescription } from '../../forms/schema-source.ts';

type WellKnown = NonNullable<Extract<ValueDescription, { kind: 'message' }>['well_known']>;

/** What a message with a JSON form of its own is written as. Told by name, so that it also holds for what an Any carries. */
const BY_NAME: Readonly<Record<string, WellKnown>> = {
  Any: 'any',
  Duration: 'duration',
  Timestamp: 'timestamp',
  Struct: 'struct',
  Value: 'value',
  ListValue: 'list_value',
  FieldMask: 'field_mask',
  Empty: 'empty',
};

const WRAPPED: Readonly<Record<string, string>> = {
  BoolValue: 'bool',
  BytesValue: 'bytes',
  DoubleValue: 'double',
  FloatValue: 'float',
  Int32Value: 'int32',
  Int64Value: 'int64',
  StringValue: 'string',
  UInt32Value: 'uint32',
  UInt64Value: 'uint64',
};

const PREFIX = 'google.protobuf.';
export const TYPE_URL_PREFIX = 'type.googleapis.com/';

export function wellKnownOf(typeName: string): WellKnown | undefined {
  if (!typeName.startsWith(PREFIX)) return undefined;
  const name = typeName.slice(PREFIX.length);
  if (Object.hasOwn(WRAPPED, name)) return 'wrapper';
  return Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
}

/** The value as it is written: a wrapper is the scalar it wraps. */
export function unwrap(value: ValueDescription): ValueDescription {
  if (value.kind !== 'message' || !value.type.startsWith(PREFIX)) return value;
  const type = WRAPPED[value.type.slice(PREFIX.length)];
  return type === undefined ? value : { kind: 'scalar', type };
}

/** The message name at the end of a type URL. */
export function typeNameOfUrl(url: unknown): string | undefined {
  if (typeof url !== 'string') return undefined;
  const name = url.slice(url.lastIndexOf('/') + 1);
  return url.includes('/') && name !== '' ? name : undefined;
}

/** `connectTimeout` for `connect_timeout`: proto-JSON takes both. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
