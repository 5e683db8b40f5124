const OLD_AFTER_MS = 60 * 86_400_000;

/** Networks change hands: a database of two months ago is wrong about some. */
export function isOld(builtAt: string, nowMs: number): boolean {
  return nowMs - Date.parse(builtAt) > OLD_AFTER_MS;
}
