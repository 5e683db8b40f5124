/** The beginning of an escape in a URL or a form. */
export const PLAIN = '%';
/** Also matches `%u0071`, which older ASP.NET decodes. */
export const WIDE = '%(?:u00)?';

/** A pattern for the word in any case, each letter plain or escaped, to match names as sent, however long. */
export function spell(word: string, mark: string): string {
  return [...word].map((letter) => `(?:${letter}|${mark}(?:${hexOf(letter)}|${hexOf(letter.toUpperCase())}))`).join('');
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

/** Skips repeated matches from `from` on, and returns their end. */
export function skip(pieces: RegExp, text: string, from: number): number {
  let at = from;
  for (let end = matchEnd(pieces, text, at); end !== -1; end = matchEnd(pieces, text, at)) at = end;
  return at;
}

/** Returns the end of the match at `from`, or -1. `sticky` must be a sticky expression. */
export function matchEnd(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : -1;
}
