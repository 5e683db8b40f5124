/** What an escape of a URL or a form begins with. */
export const PLAIN = '%';
/** Also `%u0071`, as the older ASP.NET reads it. */
export const WIDE = '%(?:u00)?';

/** The word in any letter case, each letter as it is or escaped: names are looked at as they are sent, however long one is. */
export function spell(word: string, mark: string): string {
  return [...word].map((letter) => `(?:${letter}|${mark}(?:${hexOf(letter)}|${hexOf(letter.toUpperCase())}))`).join('');
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

/** Where the pieces that begin at `from` end. */
export function skip(pieces: RegExp, text: string, from: number): number {
  let at = from;
  for (let end = matchEnd(pieces, text, at); end !== -1; end = matchEnd(pieces, text, at)) at = end;
  return at;
}

/** Where what begins at `from` ends, or -1 where the expression, a sticky one, does not match there. */
export function matchEnd(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : -1;
}
