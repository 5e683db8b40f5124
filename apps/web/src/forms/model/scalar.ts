import { texts } from '../../texts/index.ts';
import type { Json } from './json.ts';

const words = texts.forms.model.scalar;

const INTEGER = /^-?\d+$/;
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const INTEGER_RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const SAME_RANGE: Readonly<Record<string, string>> = {
  sint32: 'int32',
  sfixed32: 'int32',
  fixed32: 'uint32',
  sint64: 'int64',
  sfixed64: 'int64',
  fixed64: 'uint64',
};
const SPECIAL_NUMBERS: Readonly<Record<string, string>> = {
  nan: 'NaN',
  inf: 'Infinity',
  '+inf': 'Infinity',
  infinity: 'Infinity',
  '-inf': '-Infinity',
  '-infinity': '-Infinity',
};

export function isIntegerType(type: string): boolean {
  return rangeOf(type) !== undefined;
}

export function isFloatType(type: string): boolean {
  return type === 'float' || type === 'double';
}

export function rangeOf(type: string): readonly [bigint, bigint] | undefined {
  return INTEGER_RANGES[SAME_RANGE[type] ?? type];
}

/**
 * What a person typed as proto-JSON. Text that is no such value comes back as the text itself: the document keeps what was typed, and
 * every check says what is wrong with it. 64-bit integers stay text, so that no digit is lost.
 */
export function fromInput(type: string, text: string): Json {
  if (type === 'string' || type === 'bytes') return text;
  const trimmed = text.trim();
  if (type === 'bool') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  const range = rangeOf(type);
  if (range) {
    const plain = trimmed.replace(/(?<=\d)[_,\u202f ](?=\d{3}(?:\D|$))/g, '');
    if (!INTEGER.test(plain) || plain.length > 24) return text;
    const value = BigInt(plain);
    return isWide(type) ? String(value) : value >= range[0] && value <= range[1] ? Number(value) : plain;
  }
  const special = SPECIAL_NUMBERS[trimmed.toLowerCase()];
  if (special !== undefined) return special;
  const number = DECIMAL.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

/** What an input shows for a value of the document. */
export function toInput(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What is wrong with the form of a value, as a sentence that starts with "must"; undefined when nothing is. */
export function checkScalarForm(type: string, value: Json): string | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : words.text;
    case 'bool':
      return typeof value === 'boolean' ? undefined : words.bool;
    case 'bytes':
      return typeof value === 'string' && isBase64(value) ? undefined : words.base64;
    case 'float':
    case 'double':
      return readNumber(value) === undefined ? words.number : undefined;
    default: {
      const range = rangeOf(type);
      if (!range) return undefined;
      const integer = readInteger(value);
      if (integer === undefined) return words.wholeNumber;
      if (integer < range[0]) return words.atLeast(String(range[0]));
      return integer > range[1] ? words.atMost(String(range[1])) : undefined;
    }
  }
}

export function readInteger(value: Json | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || value.length > 40) return undefined;
  return INTEGER.test(value) ? BigInt(value) : undefined;
}

export function readNumber(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY;
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : undefined;
}

/** Standard or URL-safe alphabet, padding optional, as proto-JSON takes it. */
export function isBase64(text: string): boolean {
  if (!BASE64.test(text)) return false;
  const digits = text.replace(/=+$/, '').length;
  return digits % 4 !== 1 && (text.length === digits || text.length % 4 === 0);
}

function isWide(type: string): boolean {
  return type.endsWith('64');
}
