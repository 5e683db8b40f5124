const PREFIX = 'application/';

/** RFC 6838 section 4.2, with or without its tree of types. */
const TYPE = /^[0-9a-z][0-9a-z!#$&^_.+-]*(?:\/[0-9a-z][0-9a-z!#$&^_.+-]*)?$/;

/**
 * The type that a token's `typ` names, as it is compared: without regard to letter case, and without `application/`, which may be left
 * out where no other slash follows (RFC 7515 section 4.1.9). Undefined for what is no media type.
 */
export function readTokenType(typ: string): string | undefined {
  // Of ASCII alone: other letters become small ones of it.
  const lower = typ.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (!TYPE.test(lower)) return undefined;
  return lower.startsWith(PREFIX) ? lower.slice(PREFIX.length) : lower;
}
