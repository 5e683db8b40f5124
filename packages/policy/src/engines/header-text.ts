/**
 * True for a subject that a header carries unchanged: not empty, without control characters, without white space at
 * either end (receivers cut it, and `" admin"` would arrive as `admin`), well formed, so that its bytes name it alone.
 */
export function isHeaderText(subject: string): boolean {
  return subject !== '' && subject === subject.trim() && !/\p{Cc}/u.test(subject) && subject.isWellFormed();
}
