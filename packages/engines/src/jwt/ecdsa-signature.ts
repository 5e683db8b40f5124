const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Announces one length byte; lengths up to 127 need no prefix (X.690 section 8.1.3). */
const LONG_LENGTH = 0x81;

/**
 * Converts a token signature, two concatenated numbers of equal size (RFC 7518 section 3.4), to DER (RFC 3279 section
 * 2.2.3) for OpenSSL. Node can convert too, but parses the curve again for each signature, which costs a fifth of the
 * verification. Numbers have at most 66 bytes.
 */
export function toDerSignature(signature: Uint8Array): Buffer {
  const half = signature.length >> 1;
  const r = firstByteThatCounts(signature, 0, half);
  const s = firstByteThatCounts(signature, half, signature.length);
  const length = integerBytes(signature, r, half) + integerBytes(signature, s, signature.length);
  const isLong = length > 127;
  const der = Buffer.allocUnsafe(length + (isLong ? 3 : 2));
  let at = 0;
  der[at++] = SEQUENCE;
  if (isLong) der[at++] = LONG_LENGTH;
  der[at++] = length;
  at = writeInteger(der, at, signature, r, half);
  writeInteger(der, at, signature, s, signature.length);
  return der;
}

/** DER has no leading zeros; zero has one byte. */
function firstByteThatCounts(bytes: Uint8Array, from: number, to: number): number {
  let first = from;
  while (first < to - 1 && bytes[first] === 0) first += 1;
  return first;
}

/** A zero byte precedes a number whose first bit would make it negative. */
function isNegative(bytes: Uint8Array, first: number): boolean {
  return (bytes[first] ?? 0) > 127;
}

function integerBytes(bytes: Uint8Array, first: number, to: number): number {
  return 2 + (isNegative(bytes, first) ? 1 : 0) + to - first;
}

/** Returns the offset of the next element. */
function writeInteger(der: Uint8Array, start: number, bytes: Uint8Array, first: number, to: number): number {
  let at = start;
  der[at++] = INTEGER;
  der[at++] = integerBytes(bytes, first, to) - 2;
  if (isNegative(bytes, first)) der[at++] = 0;
  for (let n = first; n < to; n++) der[at++] = bytes[n] ?? 0;
  return at;
}
