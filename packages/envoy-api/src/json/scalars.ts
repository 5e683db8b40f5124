import { type JsonValue, ScalarType } from '@bufbuild/protobuf';
import * as rules from '@flotilla/envoy-rules';

/** A scalar as the wire writer takes it. 64-bit integers are bigint. */
export type Scalar = number | bigint | string | boolean | Uint8Array;

/** Reads a scalar from proto-JSON; undefined if the value is not of the type or out of its range. */
export function parseScalar(type: ScalarType, json: JsonValue): Scalar | undefined {
  return toScalar(type, rules.parseScalar(nameOf(type), json));
}

/** Reads the key of a map, which JSON always writes as a string. */
export function parseMapKey(type: ScalarType, key: string): Scalar | undefined {
  return toScalar(type, rules.parseMapKey(nameOf(type), key));
}

function toScalar(type: ScalarType, value: rules.Scalar | undefined): Scalar | undefined {
  return type === ScalarType.BYTES && typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
}

const NAMES: readonly string[] = Array.from({ length: 19 }, (_, type) => String(ScalarType[type]).toLowerCase());

/** Returns the name of the type in a `.proto` file. */
export function nameOf(type: ScalarType): string {
  return NAMES[type] ?? 'string';
}

/** Returns the value of an unset field without presence. */
export function zeroScalar(type: ScalarType): Scalar {
  switch (type) {
    case ScalarType.STRING:
      return '';
    case ScalarType.BOOL:
      return false;
    case ScalarType.BYTES:
      return new Uint8Array(0);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return 0n;
    default:
      return 0;
  }
}

/** -0 is not zero: it has bits of its own on the wire. */
export function isZeroScalar(value: Scalar): boolean {
  if (value instanceof Uint8Array) return value.length === 0;
  if (typeof value === 'number') return Object.is(value, 0);
  return value === '' || value === false || value === 0n;
}

/** 64-bit integers as text, bytes in base64, floats that JSON has no numbers for by their names. */
export function scalarToJson(type: ScalarType, value: Scalar): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  return type === ScalarType.FLOAT ? shortestFloat(value) : value;
}

/** 0.1 and not 0.10000000149011612: the shortest decimal that is the same 32-bit float, its sign included. */
function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Object.is(Math.fround(short), value)) return short;
  }
  return value;
}

/** Names the values of a type with their range. */
export function describeScalar(type: ScalarType): string {
  return rules.describeScalar(nameOf(type));
}
