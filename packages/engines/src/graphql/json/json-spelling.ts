/**
 * Where parsers read the same bytes with different structure. A body that holds such a place is scanned once for each
 * spelling; the first is enough for every other body.
 */
export interface JsonSpelling {
  /** What ends a comment that begins with `//` or `#`. */
  readonly commentEnd: 'line feed' | 'line feed or return' | 'any line end';
  /** Whether a parenthesis behind a word holds values (`new Date(1, 2)`), or is a letter like others. */
  readonly hasCalls: boolean;
}

export const FIRST_SPELLING: JsonSpelling = { commentEnd: 'line feed or return', hasCalls: true };

/** Those without calls last: that a word holds a parenthesis may show only where a comment ends otherwise. */
export const OTHER_SPELLINGS: readonly JsonSpelling[] = [
  { commentEnd: 'line feed', hasCalls: true },
  { commentEnd: 'any line end', hasCalls: true },
  { commentEnd: 'line feed or return', hasCalls: false },
  { commentEnd: 'line feed', hasCalls: false },
  { commentEnd: 'any line end', hasCalls: false },
];
