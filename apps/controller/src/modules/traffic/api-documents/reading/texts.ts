/** A text for people and for PostgreSQL, which stores no NUL: without control characters and lone surrogates. */
export function cleanText(value: unknown, maxChars: number): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return String(value)
    .slice(0, maxChars)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim();
}
