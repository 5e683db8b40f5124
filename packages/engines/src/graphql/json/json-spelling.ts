/**
 * A choice where parsers read different structure from the same bytes. Bodies with such places are scanned once per
 * spelling; for all others the first spelling is enough.
 */
export interface JsonSpelling {
  /** The end of a comment that begins with `//` or `#`. */
  readonly commentEnd: 'line feed' | 'line feed or return' | 'any line end';
  /** Whether a parenthesis after a word encloses values (`new Date(1, 2)`) or is an ordinary character. */
  readonly hasCalls: boolean;
}

export const FIRST_SPELLING: JsonSpelling = { commentEnd: 'line feed or return', hasCalls: true };

/** Spellings without calls come last, because the end of a comment may decide whether a word contains a parenthesis. */
export const OTHER_SPELLINGS: readonly JsonSpelling[] = [
  { commentEnd: 'line feed', hasCalls: true },
  { commentEnd: 'any line end', hasCalls: true },
  { commentEnd: 'line feed or return', hasCalls: false },
  { commentEnd: 'line feed', hasCalls: false },
  { commentEnd: 'any line end', hasCalls: false },
];
