import { AlikeNames } from '../alike-names.ts';
import { matchEnd, spell, WIDE } from '../content/escaped-names.ts';

/**
 * Headers by which frameworks take a request for one of another method: Slim and Yii whatever its own is, Express where it is told so.
 */
export const METHOD_OVERRIDES = new AlikeNames(['x-http-method-override', 'x-http-method', 'x-method-override']);

/**
 * Another method that a part of a request asks for, as text; undefined where something may ask for one and nobody can tell which.
 */
export type Override = string | undefined;

/** Longer ones are no method to anybody. */
export const VALUE_MAX_LENGTH = 256;

/** Of a value that is found: what is too long to be a method is one that nobody can tell. */
export function toOverride(value: string): Override {
  return value.length > VALUE_MAX_LENGTH ? undefined : value;
}

/** White space, dots and brackets, as many as anybody may mean: behind these nobody looks for a name. */
const LEADS = new RegExp(String.raw`(?:[\s.[\]+]|${WIDE}(?:0[9a-d]|20|2e|5[bd])){1,512}`, 'iy');
/** What PHP makes an underscore of. */
const UNDERSCORE_TO_PHP = new RegExp(String.raw`(?:[.\s+]|${WIDE}2[0e])$`, 'i');
const LONGEST_LEAD = '%u002e'.length;

const FIELD_NAMES = ['_method', 'x-http-method-override', 'x-tunneled-method', '__http_method', '__method_override__'];
const SHORTEST_NAME = '.method'.length;
/** How one begins, in brackets or behind what PHP drops: cheap and never wrong about an absence. */
const MAY_BEGIN = /^[_xX%+.\s[\]]/;
const END = String.raw`(?![\w-])`;
const FIELD = new RegExp(`(?:${FIELD_NAMES.map((name) => spell(name, WIDE)).join('|')})${END}`, 'iy');
const TAIL = new RegExp(`${spell('method', WIDE)}${END}`, 'iy');

/**
 * True for the name of a field by which some framework takes a request for one of another method, escaped or not: `_method` (Rails,
 * Symfony, Laravel, Spring and most others; `_METHOD` for Slim), `X-HTTP-Method-Override` (ASP.NET MVC), `x-tunneled-method` (Catalyst),
 * `__http_method` (Struts), `__METHOD_OVERRIDE__` (a recipe for Flask).
 * Letter case is no matter. To PHP a name begins behind spaces, may have a dot for the underscore and ends at a NUL; to qs and Rack it
 * may stand in brackets, and to Express the first of a list counts (`_method[]`). Also true where more signs stand before a name than
 * anybody means. Looks no further than a name goes.
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
