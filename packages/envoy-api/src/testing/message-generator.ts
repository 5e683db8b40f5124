import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { setOwn } from '../json/object.ts';

/** Depth to which messages are filled; deeper ones are `{}` (or have only their required fields). */
const FULL_DEPTH = 2;

const SCALARS: Readonly<Record<ScalarType, readonly JsonValue[]>> = {
  [ScalarType.STRING]: ['text', 'ünï\u{1F600}', '__proto__'],
  [ScalarType.BOOL]: [true],
  [ScalarType.BYTES]: ['AAEC/w==', 'YQ=='],
  [ScalarType.DOUBLE]: [0.1, -2.5e300, 'NaN', 'Infinity'],
  [ScalarType.FLOAT]: [0.1, -1.5, 3e38, '-Infinity'],
  [ScalarType.INT32]: [-5, 2147483647],
  [ScalarType.SINT32]: [-5, 2147483647],
  [ScalarType.SFIXED32]: [-5, 2147483647],
  [ScalarType.UINT32]: [7, 4294967295],
  [ScalarType.FIXED32]: [7, 4294967295],
  [ScalarType.INT64]: ['-5', '9223372036854775807'],
  [ScalarType.SINT64]: ['-5', '9223372036854775807'],
  [ScalarType.SFIXED64]: ['-5', '9223372036854775807'],
  [ScalarType.UINT64]: ['7', '18446744073709551615'],
  [ScalarType.FIXED64]: ['7', '18446744073709551615'],
};

const FREE_FORM: JsonObject = { list: [1, 'two', null, { three: true }], text: 'x', nothing: null };

const WELL_KNOWN: Readonly<Record<string, JsonValue>> = {
  'google.protobuf.Duration': '1.500s',
  'google.protobuf.Timestamp': '2026-01-02T03:04:05.000006Z',
  'google.protobuf.Struct': FREE_FORM,
  'google.protobuf.Value': [FREE_FORM],
  'google.protobuf.ListValue': ['x', FREE_FORM],
  'google.protobuf.FieldMask': 'someField,other.innerField',
  'google.protobuf.DoubleValue': 0.25,
  'google.protobuf.FloatValue': 0.25,
  'google.protobuf.Int64Value': '-9',
  'google.protobuf.UInt64Value': '9',
  'google.protobuf.Int32Value': -9,
  'google.protobuf.UInt32Value': 0,
  'google.protobuf.BoolValue': false,
  'google.protobuf.StringValue': 'boxed',
  'google.protobuf.BytesValue': 'AAEC',
};

const ANYS: readonly JsonObject[] = [
  { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '3s' },
  { '@type': 'type.googleapis.com/google.protobuf.BytesValue', value: 'AAEC' },
  {
    '@type': 'type.googleapis.com/google.protobuf.Any',
    value: { '@type': 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig', name: 'n', typed_config: {} },
  },
  {
    '@type': 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
    name: 'nested',
    typed_config: { '@type': 'type.googleapis.com/google.protobuf.Empty' },
  },
];

/** How many variants are needed to use every member of every oneof and each sample value once. */
export function countVariants(message: DescMessage): number {
  return Math.max(2, ...message.oneofs.map((oneof) => oneof.fields.length));
}

/**
 * Canonical proto-JSON (as a decoder prints it) with every field of `message` set; `variant` selects the oneof members
 * and sample values. Ignores constraint rules.
 */
export function generateMessage(message: DescMessage, variant: number, depth = 0): JsonValue {
  const wellKnown = WELL_KNOWN[message.typeName];
  if (wellKnown !== undefined) return wellKnown;
  if (message.typeName === 'google.protobuf.Any') return pick(ANYS, variant);
  const json: JsonObject = {};
  for (const field of message.fields) {
    if (field.oneof && field.oneof.fields.indexOf(field) !== variant % field.oneof.fields.length) continue;
    // LEGACY_REQUIRED is 3: required fields of proto2
    if (depth >= FULL_DEPTH && field.presence !== 3) continue;
    setOwn(json, field.name, generateField(field, variant, depth));
  }
  return json;
}

function generateField(field: DescField, variant: number, depth: number): JsonValue {
  switch (field.fieldKind) {
    case 'list':
      if (field.listKind === 'message') {
        return [
          generateMessage(field.message, variant, depth + 1),
          generateMessage(field.message, variant + 1, depth + 1),
        ];
      }
      if (field.listKind === 'enum')
        return field.enum.values.slice(0, 3).map((value) => enumValue(field.enum, value.number));
      return [...SCALARS[field.scalar]];
    case 'map': {
      const json: JsonObject = {};
      for (const key of field.mapKey === ScalarType.STRING
        ? ['a.b', '__proto__', '']
        : [String(SCALARS[field.mapKey][0])]) {
        setOwn(json, key, generateMapValue(field, variant, depth));
      }
      return json;
    }
    case 'message':
      return generateMessage(field.message, variant, depth + 1);
    case 'enum': {
      // The zero value of a field without presence would not be printed
      const values = field.oneof ? field.enum.values : field.enum.values.filter((value) => value.number !== 0);
      const value = values[variant % Math.max(1, values.length)] ?? field.enum.values[0];
      return enumValue(field.enum, values.length === 0 ? 5 : (value?.number ?? 0));
    }
    case 'scalar':
      return pick(SCALARS[field.scalar], variant);
  }
}

function generateMapValue(field: DescField & { fieldKind: 'map' }, variant: number, depth: number): JsonValue {
  if (field.mapKind === 'message') return generateMessage(field.message, variant, depth + 1);
  if (field.mapKind === 'enum') return enumValue(field.enum, field.enum.values[0]?.number ?? 0);
  return pick(SCALARS[field.scalar], variant);
}

function enumValue(enumeration: DescEnum, number: number): JsonValue {
  if (enumeration.typeName === 'google.protobuf.NullValue') return null;
  return enumeration.values.find((value) => value.number === number)?.name ?? number;
}

function pick<T>(values: readonly T[], variant: number): T {
  const value = values[variant % values.length];
  if (value === undefined) throw new Error('no values to pick from');
  return value;
}
