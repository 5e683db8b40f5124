/**
 * True if a header can transport the subject unchanged: not empty, no control characters, no surrounding white space
 * (receivers trim it, so `" admin"` would become `admin`), and well-formed, so that its bytes are unambiguous.
 */
export function isHeaderText(subject: string): boolean {
  return subject !== '' && subject === subject.trim() && !/\p{Cc}/u.test(subject) && subject.isWellFormed();
}
