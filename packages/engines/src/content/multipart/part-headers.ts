import { findCharsets, readAscii } from '../charsets.ts';

/** Everything that some parser may read from the headers of a part. */
export interface PartHeaders {
  /** Each once, in the case in which it was sent. Excludes filenames; includes content ids. */
  readonly names: readonly string[];
  /** True if a name is split into parts, has its own charset (RFC 2231), or uses encoded words (RFC 2047, Tomcat). */
  readonly hasCodedName: boolean;
  /** True if parsers disagree on the name, or if some decode the content because of these headers. */
  readonly isOdd: boolean;
}

/** Formidable searches for the word after any sign. */
const NAME = /(?<!\w)name(\s*\*[\d*]*)?\s*=\s*("(?:[^"\\]|\\.)*"?|[^;\s]*)/gis;
/** PHP accepts single quotes, which may contain characters that end the name for others. */
const SINGLE_QUOTED_NAME = /(?<!\w)name\s*=\s*('(?:[^'\\]|\\.)*'?)/gis;
/** Rack uses this as the name if it finds no other. */
const CONTENT_ID = /content-id\s*:[ \t]*([^\r\n]*)/gi;
/** A filename in which no parser sees another parameter or header, so its content does not matter. */
const PLAIN_FILENAME = /(?<![\w*-])(filename\s*=\s*")[^"\\;=\r\n\0]+"/gi;
/** Escapes of which parsers know different kinds (`\x`, `%71`, `=?utf-8?q?x?=`), line ends, and quotes inside the name. */
const ODD_NAME = /[\\%\r\n]|.["']./;
const CODED_WORD = '=?';
/** No program uses longer names. */
const NAME_MAX = 1_000;
const QUOTES = /^["']|["']$/g;

/** Encodings that change nothing. Formidable knows the last. */
const PLAIN_CODINGS = new Set(['7bit', '8bit', 'binary', 'identity', 'utf-8']);
const CODING = /(?:transfer|content)-encoding\s*:?\s*"?([^\s;"]*)/gi;

/** Parts inside a part (RFC 2388, withdrawn by RFC 7578), and the NUL that ends a line or all headers in PHP. */
const ODD_HEADERS = /multipart\/|\0/i;

/**
 * Parses possible part headers, one byte per character, whatever else the text contains: anything that looks like a
 * name counts, at any position. Some servers (Django, formidable, Go) decode codings and charsets of parts, others do
 * not.
 */
export function readPartHeaders(sent: string): PartHeaders {
  const text = sent.replaceAll(PLAIN_FILENAME, '$1"');
  const names = new Set<string>();
  let hasCodedName = false;
  let isOdd = ODD_HEADERS.test(text);
  for (const [, star, value = ''] of [...text.matchAll(NAME), ...listSingleQuoted(text)]) {
    hasCodedName ||= star !== undefined || value.includes(CODED_WORD);
    isOdd ||= hasCodedName || value.length > NAME_MAX || ODD_NAME.test(value);
    // Tomcat trims white space, also inside quotes.
    names.add(value.replaceAll(QUOTES, '').trim());
  }
  for (const [, id = ''] of text.matchAll(CONTENT_ID)) names.add(id.trim().replaceAll(QUOTES, '').trim());
  for (const [, coding = ''] of text.matchAll(CODING)) isOdd ||= !PLAIN_CODINGS.has(coding.toLowerCase());
  isOdd ||= readAscii(findCharsets(text.toLowerCase())) !== 'always';
  return { names: [...names], hasCodedName, isOdd };
}

/** Matches in the same form as those of `NAME`. */
function listSingleQuoted(text: string): (readonly [string, undefined, string])[] {
  if (!text.includes("'")) return [];
  return Array.from(text.matchAll(SINGLE_QUOTED_NAME), ([whole, value = '']) => [whole, undefined, value] as const);
}
