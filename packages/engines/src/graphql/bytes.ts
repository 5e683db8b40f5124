/** The value of a hexadecimal digit's byte, or -1. */
export function hexValue(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** True when the range from `start` to before `end` reads the same as that from `otherStart` to before `otherEnd`. */
export function hasSameBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  otherStart: number,
  otherEnd: number,
): boolean {
  if (end - start !== otherEnd - otherStart) return false;
  for (let i = start, j = otherStart; i < end; i++, j++) if (bytes[i] !== bytes[j]) return false;
  return true;
}
