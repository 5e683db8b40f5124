/** A 64-bit number as two unsigned halves: a BigInt for each value would be garbage. */
export interface Bits64 {
  readonly low: number;
  readonly high: number;
}

export const NO_BITS: Bits64 = { low: 0, high: 0 };

const HASH = /^[0-9a-f]{16}$/;
const DIGITS = new Int8Array(128).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** The number that at most eight hexadecimal digits from `from` to `to` spell; -1 if one of them is another character. */
export function readHex(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = DIGITS[text.charCodeAt(at)] ?? -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** A hash of 16 hexadecimal digits. Anything else is stored as empty. */
export function toHashBits(value: unknown): Bits64 {
  if (typeof value !== 'string' || !HASH.test(value)) return NO_BITS;
  return { low: readHex(value, 8, 16), high: readHex(value, 0, 8) };
}

/** The set of the bits with these numbers. Numbers that are no bit of the width are left out. */
export function toBitSet(set: unknown, width: number): Bits64 {
  if (!Array.isArray(set) || set.length === 0) return NO_BITS;
  let [low, high] = [0, 0];
  for (const bit of set) {
    if (!Number.isInteger(bit) || bit < 0 || bit >= width) continue;
    if (bit < 32) low |= 1 << bit;
    else high |= 1 << (bit - 32);
  }
  return { low: low >>> 0, high: high >>> 0 };
}
