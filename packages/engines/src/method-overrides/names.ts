import { AlikeNames } from '../alike-names.ts';
import { matchEnd, spell, WIDE } from '../content/escaped-names.ts';

/** Headers with which frameworks replace the method: Slim and Yii for any method, Express if configured. */
export const METHOD_OVERRIDES = new AlikeNames(['x-http-method-override', 'x-http-method', 'x-method-override']);

/**
 * A method that a part of a request requests; undefined if something may request one but its value cannot be
 * determined.
 */
export type Override = string | undefined;

/** No program accepts longer methods. */
export const VALUE_MAX_LENGTH = 256;

/** A value that is too long cannot be determined. */
export function toOverride(value: string): Override {
  return value.length > VALUE_MAX_LENGTH ? undefined : value;
}

/** A byte order mark, escaped or as bytes, which programs that decode each name with `TextDecoder` drop. */
const MARK = '%ef%bb%bf|\xef\xbb\xbf';
/** White space, dots, brackets and byte order marks, more than any real name has; the search stops after these. */
const LEADS = new RegExp(String.raw`(?:[\s.[\]+]|${WIDE}(?:0[9a-d]|20|2e|5[bd])|${MARK}){1,512}`, 'iy');
/** Characters that PHP converts to an underscore. */
const UNDERSCORE_TO_PHP = new RegExp(String.raw`(?:[.\s+]|${WIDE}2[0e])$`, 'i');
const LONGEST_LEAD = '%u002e'.length;

const FIELD_NAMES = ['_method', 'x-http-method-override', 'x-tunneled-method', '__http_method', '__method_override__'];
const SHORTEST_NAME = '.method'.length;
/** How a name begins, in brackets or after what PHP drops: cheap, without false negatives. */
const MAY_BEGIN = /^[_xX%+.\s[\]\xef]/;
const END = String.raw`(?![\w-])`;
const FIELD = new RegExp(`(?:${FIELD_NAMES.map((name) => spell(name, WIDE)).join('|')})${END}`, 'iy');
const TAIL = new RegExp(`${spell('method', WIDE)}${END}`, 'iy');

/**
 * True for the name of a field with which some framework replaces the method, escaped or not: `_method` (Rails,
 * Symfony, Laravel, Spring and most others; `_METHOD` for Slim), `X-HTTP-Method-Override` (ASP.NET MVC),
 * `x-tunneled-method` (Catalyst), `__http_method` (Struts), `__METHOD_OVERRIDE__` (a Flask recipe). Ignores case. In
 * PHP a name begins after spaces, may have a dot for the underscore and ends at a NUL; in qs and Rack it may be in
 * brackets, and Express uses the first element of a list (`_method[]`). Also true if more characters precede a name
 * than any real one has. Reads no further than the name.
 */
export function isOverrideField(name: string): boolean {
  if (name.length < SHORTEST_NAME || !MAY_BEGIN.test(name)) return false;
  const begin = Math.max(0, matchEnd(LEADS, name, 0));
  if (begin > 0 && matchEnd(LEADS, name, begin) !== -1) return true;
  if (matchEnd(FIELD, name, begin) !== -1) return true;
  return (
    UNDERSCORE_TO_PHP.test(name.slice(Math.max(0, begin - LONGEST_LEAD), begin)) && matchEnd(TAIL, name, begin) !== -1
  );
}
