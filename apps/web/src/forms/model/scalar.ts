import { integerRange, isWideType } from '@flotilla/envoy-rules';
import type { Json } from './json.ts';

const INTEGER = /^-?\d+$/;
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const SPECIAL_NUMBERS: Readonly<Record<string, string>> = {
  nan: 'NaN',
  inf: 'Infinity',
  '+inf': 'Infinity',
  infinity: 'Infinity',
  '-inf': '-Infinity',
  '-infinity': '-Infinity',
};

/**
 * Converts typed text to proto-JSON. Returns invalid text as it is: the document keeps it, and the check reports it. 64-bit integers stay
 * strings, so that no digit is lost.
 */
export function fromInput(type: string, text: string): Json {
  if (type === 'string' || type === 'bytes') return text;
  const trimmed = text.trim();
  if (type === 'bool') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  const range = integerRange(type);
  if (range) {
    const plain = trimmed.replace(/(?<=\d)[_,\u202f ](?=\d{3}(?:\D|$))/g, '');
    if (!INTEGER.test(plain) || plain.length > 24) return text;
    const value = BigInt(plain);
    return isWideType(type) ? String(value) : value >= range[0] && value <= range[1] ? Number(value) : plain;
  }
  const special = SPECIAL_NUMBERS[trimmed.toLowerCase()];
  if (special !== undefined) return special;
  const number = DECIMAL.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

/** Returns the text that an input shows for a value of the document. */
export function toInput(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
