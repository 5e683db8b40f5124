import { type JsonValue, ScalarType } from '@bufbuild/protobuf';

/** A scalar as the wire writer takes it. 64-bit integers are bigint. */
export type Scalar = number | bigint | string | boolean | Uint8Array;

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const UINT32_MAX = 2 ** 32 - 1;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
/** Beyond, `BigInt(text)` costs time for nothing: no 64-bit integer is longer. */
const MAX_INTEGER_TEXT = 40;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Reads a scalar from proto-JSON; undefined when it is none of that type or out of its range. */
export function parseScalar(type: ScalarType, json: JsonValue): Scalar | undefined {
  switch (type) {
    case ScalarType.STRING:
      return typeof json === 'string' && json.isWellFormed() ? json : undefined;
    case ScalarType.BOOL:
      return typeof json === 'boolean' ? json : undefined;
    case ScalarType.BYTES:
      return typeof json === 'string' ? parseBase64(json) : undefined;
    case ScalarType.DOUBLE:
      return parseFloating(json, false);
    case ScalarType.FLOAT:
      return parseFloating(json, true);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return parseInt32(json, INT32_MIN, INT32_MAX);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return parseInt32(json, 0, UINT32_MAX);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return parseInt64(json, INT64_MIN, INT64_MAX);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return parseInt64(json, 0n, UINT64_MAX);
  }
}

function parseInt32(json: JsonValue, min: number, max: number): number | undefined {
  const value = typeof json === 'string' && DECIMAL.test(json) ? Number(json) : json;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) return undefined;
  return value === 0 ? 0 : value;
}

function parseInt64(json: JsonValue, min: bigint, max: bigint): bigint | undefined {
  let value: bigint;
  if (typeof json === 'number' && Number.isInteger(json)) value = BigInt(json);
  else if (typeof json === 'string' && json.length <= MAX_INTEGER_TEXT && INTEGER.test(json)) value = BigInt(json);
  else return undefined;
  return value >= min && value <= max ? value : undefined;
}

function parseFloating(json: JsonValue, single: boolean): number | undefined {
  if (json === 'NaN') return Number.NaN;
  if (json === 'Infinity') return Number.POSITIVE_INFINITY;
  if (json === '-Infinity') return Number.NEGATIVE_INFINITY;
  const value = typeof json === 'string' && DECIMAL.test(json) ? Number(json) : json;
  if (typeof value !== 'number') return undefined;
  // What a 32-bit float rounds to decides: 3.4028235e38 is its largest, 3.5e38 is infinite, 1e-46 is the zero that fields default to.
  const rounded = single ? Math.fround(value) : value;
  if (!Number.isFinite(rounded)) return undefined;
  return rounded === 0 ? rounded : value;
}

/** Standard or URL-safe alphabet, padding optional (proto-JSON takes all four). */
function parseBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const digits = text.replace(/=+$/, '');
  if (digits.length % 4 === 1) return undefined;
  if (text.length !== digits.length && text.length % 4 !== 0) return undefined;
  return Buffer.from(digits, 'base64');
}

/** A map's key, which JSON always writes as a string. */
export function parseMapKey(type: ScalarType, key: string): Scalar | undefined {
  if (type === ScalarType.BOOL) return key === 'true' ? true : key === 'false' ? false : undefined;
  if (type === ScalarType.STRING) return key.isWellFormed() ? key : undefined;
  return INTEGER.test(key) ? parseScalar(type, key) : undefined;
}

/** What a field without presence has when it is not set. */
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

/** The name a person knows the type by, with its range. */
export function describeScalar(type: ScalarType): string {
  switch (type) {
    case ScalarType.STRING:
      return 'a string';
    case ScalarType.BOOL:
      return 'true or false';
    case ScalarType.BYTES:
      return 'bytes in base64';
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return 'a number';
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return `a whole number from ${INT32_MIN} to ${INT32_MAX}`;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return `a whole number from 0 to ${UINT32_MAX}`;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return 'a whole number of 64 bits';
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return 'a whole number of 64 bits, not negative';
  }
}
