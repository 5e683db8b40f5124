/** Compares two ranges of the same bytes; ends are exclusive. */
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
