const PREFIX = 'application/';

/** RFC 6838 section 4.2, with or without the top-level type. */
const TYPE = /^[0-9a-z][0-9a-z!#$&^_.+-]*(?:\/[0-9a-z][0-9a-z!#$&^_.+-]*)?$/;

/**
 * The type in a token's `typ` in comparable form: in lowercase and without `application/`, which may be omitted if no
 * other slash follows (RFC 7515 section 4.1.9). Undefined if it is not a media type.
 */
export function readTokenType(typ: string): string | undefined {
  // ASCII only: toLowerCase maps some other letters to ASCII.
  const lower = typ.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (!TYPE.test(lower)) return undefined;
  return lower.startsWith(PREFIX) ? lower.slice(PREFIX.length) : lower;
}
