/** A scalar of protobuf. 64-bit integers are bigint, and bytes are a text with one character per byte (latin1). */
export type Scalar = number | bigint | string | boolean;

const INT32 = [-(2n ** 31n), 2n ** 31n - 1n] as const;
const UINT32 = [0n, 2n ** 32n - 1n] as const;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UINT64 = [0n, 2n ** 64n - 1n] as const;

const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: INT32,
  sint32: INT32,
  sfixed32: INT32,
  uint32: UINT32,
  fixed32: UINT32,
  int64: INT64,
  sint64: INT64,
  sfixed64: INT64,
  uint64: UINT64,
  fixed64: UINT64,
};

/** Longer texts are no 64-bit integers, and `BigInt` would take long to read them. */
const MAX_INTEGER_TEXT = 40;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Returns the lowest and the highest value of an integer type; undefined for other types. */
export function integerRange(type: string): readonly [bigint, bigint] | undefined {
  return Object.hasOwn(RANGES, type) ? RANGES[type] : undefined;
}

export function isFloatType(type: string): boolean {
  return type === 'float' || type === 'double';
}

export function isWideType(type: string): boolean {
  return type.endsWith('64');
}

/**
 * Reads a scalar from proto-JSON. `type` is its name in a `.proto` file. Returns undefined for a value that is not of the type or out
 * of its range. A bigint counts as a number: readers of documents use it for integers that a number cannot hold.
 */
export function parseScalar(type: string, json: unknown): Scalar | undefined {
  if (type === 'string') return typeof json === 'string' && json.isWellFormed() ? json : undefined;
  if (type === 'bool') return typeof json === 'boolean' ? json : undefined;
  if (type === 'bytes') return typeof json === 'string' ? parseBase64(json) : undefined;
  if (isFloatType(type)) return parseFloating(json, type === 'float');
  const range = integerRange(type);
  if (!range) return undefined;
  return isWideType(type) ? parseInt64(json, range) : parseInt32(json, range);
}

function parseInt32(json: unknown, [min, max]: readonly [bigint, bigint]): number | undefined {
  const value = toNumber(json);
  if (value === undefined || !Number.isInteger(value) || value < Number(min) || value > Number(max)) return undefined;
  return value === 0 ? 0 : value;
}

function parseInt64(json: unknown, [min, max]: readonly [bigint, bigint]): bigint | undefined {
  let value: bigint;
  if (typeof json === 'bigint') value = json;
  else if (typeof json === 'number' && Number.isInteger(json)) value = BigInt(json);
  else if (typeof json === 'string' && json.length <= MAX_INTEGER_TEXT && INTEGER.test(json)) value = BigInt(json);
  else return undefined;
  return value >= min && value <= max ? value : undefined;
}

function parseFloating(json: unknown, single: boolean): number | undefined {
  if (json === 'NaN') return Number.NaN;
  if (json === 'Infinity') return Number.POSITIVE_INFINITY;
  if (json === '-Infinity') return Number.NEGATIVE_INFINITY;
  const value = toNumber(json);
  if (value === undefined) return undefined;
  // A 32-bit float is judged after rounding: 3.4028235e38 is the largest, 3.5e38 becomes infinite, 1e-46 becomes zero.
  const rounded = single ? Math.fround(value) : value;
  if (!Number.isFinite(rounded)) return undefined;
  return rounded === 0 ? rounded : value;
}

function toNumber(json: unknown): number | undefined {
  if (typeof json === 'number') return json;
  if (typeof json === 'bigint') return Number(json);
  return typeof json === 'string' && DECIMAL.test(json) ? Number(json) : undefined;
}

/** Accepts the standard and the URL-safe alphabet, with or without padding, as proto-JSON does. */
export function isBase64(text: string): boolean {
  if (!BASE64.test(text)) return false;
  const digits = text.replace(/=+$/, '').length;
  return digits % 4 !== 1 && (text.length === digits || text.length % 4 === 0);
}

function parseBase64(text: string): string | undefined {
  return isBase64(text) ? atob(text.replaceAll('-', '+').replaceAll('_', '/')) : undefined;
}

/** Reads the key of a map, which JSON always writes as a string. */
export function parseMapKey(type: string, key: string): Scalar | undefined {
  if (type === 'bool') return key === 'true' ? true : key === 'false' ? false : undefined;
  if (type === 'string') return parseScalar(type, key);
  return INTEGER.test(key) ? parseScalar(type, key) : undefined;
}

/** Names the values of a type with their range: `a whole number from 0 to 4294967295`. */
export function describeScalar(type: string): string {
  if (type === 'string') return 'a string';
  if (type === 'bool') return 'true or false';
  if (type === 'bytes') return 'bytes in base64';
  if (isFloatType(type)) return 'a number';
  const range = integerRange(type);
  if (!range) return `a ${type}`;
  if (!isWideType(type)) return `a whole number from ${range[0]} to ${range[1]}`;
  return range[0] === 0n ? 'a whole number of 64 bits, not negative' : 'a whole number of 64 bits';
}
