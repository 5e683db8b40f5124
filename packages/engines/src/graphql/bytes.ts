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
