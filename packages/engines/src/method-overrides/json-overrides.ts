import type { Budget } from '../budget.ts';
import { isOverrideField, type Override, toOverride } from './names.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Each character of the longest name may be an escape (`\u005f`). */
const KEY_MAX_LENGTH = 'x-http-method-override'.length * '\\u005f'.length;
/** Number of characters between two checks of the clock, minus one. */
const SIGNS_MASK = 0xffff;
const MARK = Buffer.from('\ufeff');
const BLANK: ReadonlySet<number | undefined> = new Set(Buffer.from('\t\n\r '));

/**
 * Yields every method that the members of a JSON object request in programs that support this: Laravel and Lumen, Plug
 * (Phoenix), Slim, and `method-override` after a JSON parser (Express). All of these read strict JSON (RFC 8259) and
 * only the outermost object. Repeated members count, and each text of a list.
 */
export function* findJsonOverrides(text: Buffer, budget: Budget): Generator<Override> {
  const start = skipBlank(text);
  if (text[start] !== OPEN_BRACE) return;
  let depth = 0;
  let isKey = false;
  /** Whether the current value is that of an override. */
  let isAsked = false;
  let count = 0;
  for (let at = start; at < text.length; at++) {
    if ((count++ & SIGNS_MASK) === 0) budget.check();
    switch (text[at] ?? 0) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        isKey = ++depth === 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (--depth === 0) return;
        break;
      case COMMA:
        if (depth !== 1) break;
        isKey = true;
        isAsked = false;
        break;
      case COLON:
        isKey = false;
        break;
      case QUOTE: {
        const end = findStringEnd(text, at + 1);
        if (isKey && depth === 1)
          isAsked = end - at <= KEY_MAX_LENGTH + 1 && isOverrideField(readString(text, at, end));
        else if (isAsked) yield toOverride(readString(text, at, end));
        at = end;
      }
    }
  }
}

function skipBlank(text: Buffer): number {
  let at = text.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
  while (BLANK.has(text[at])) at++;
  return at;
}

/** The offset of the quote that ends a string, or the end of the text. */
function findStringEnd(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gis;

/** Decodes the string between two quotes. An unknown escape is read as its letter, as in Ruby. */
function readString(text: Buffer, from: number, to: number): string {
  const written = text.toString('utf8', from + 1, to);
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return written.replaceAll(ESCAPE, (_, hex: string | undefined, letter = '') =>
      hex === undefined ? letter : String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}
