import { findCharsets, readAscii } from '../charsets.ts';

/** What the headers of a part say to some parser. */
export interface PartHeaders {
  /** Each once, in the case they are sent in. Filenames are none, an id of a content is one. */
  readonly names: readonly string[];
  /** True where a name comes in parts, in a charset of its own (RFC 2231), or as words of mails (RFC 2047, Tomcat). */
  readonly hasCodedName: boolean;
  /** True where parsers differ in the name, or where some decode the content by what is said here. */
  readonly isOdd: boolean;
}

/** Formidable looks for the word, whatever sign stands before it. */
const NAME = /(?<!\w)name(\s*\*[\d*]*)?\s*=\s*("(?:[^"\\]|\\.)*"?|[^;\s]*)/gis;
/** To Rack the name of a part where it finds no other. */
const CONTENT_ID = /content-id\s*:[ \t]*([^\r\n]*)/gi;
/** One in which nobody sees another parameter or header: what it says is of no matter. */
const PLAIN_FILENAME = /(?<![\w*-])(filename\s*=\s*")[^"\\;=\r\n\0]+"/gi;
/** Escapes, of which some parsers know one kind and others another: `\x`, `%71`, `=?utf-8?q?x?=`; line ends; quotes within. */
const ODD_NAME = /[\\%\r\n]|.["']./;
const CODED_WORD = '=?';
/** Longer ones mean nothing to anybody. */
const NAME_MAX = 1_000;
const QUOTES = /^["']|["']$/g;

/** Those that change nothing. Formidable knows the last. */
const PLAIN_CODINGS = new Set(['7bit', '8bit', 'binary', 'identity', 'utf-8']);
const CODING = /(?:transfer|content)-encoding\s*:?\s*"?([^\s;"]*)/gi;

/** Parts of a part (RFC 2388, taken back by RFC 7578), and what ends a line or all headers to PHP. */
const ODD_HEADERS = /multipart\/|\0/i;

/**
 * Reads what may be the headers of a part, a byte a character, whatever else it holds: what looks like a name counts, wherever it
 * stands. Codings and charsets of parts are decoded by some servers (Django, formidable, Go) and not by others.
 */
export function readPartHeaders(sent: string): PartHeaders {
  const text = sent.replaceAll(PLAIN_FILENAME, '$1"');
  const names = new Set<string>();
  let hasCodedName = false;
  let isOdd = ODD_HEADERS.test(text);
  for (const [, star, value = ''] of text.matchAll(NAME)) {
    hasCodedName ||= star !== undefined || value.includes(CODED_WORD);
    isOdd ||= hasCodedName || value.length > NAME_MAX || ODD_NAME.test(value);
    names.add(value.replaceAll(QUOTES, ''));
  }
  for (const [, id = ''] of text.matchAll(CONTENT_ID)) names.add(id.trim().replaceAll(QUOTES, ''));
  for (const [, coding = ''] of text.matchAll(CODING)) isOdd ||= !PLAIN_CODINGS.has(coding.toLowerCase());
  isOdd ||= readAscii(findCharsets(text.toLowerCase())) !== 'always';
  return { names: [...names], hasCodedName, isOdd };
}
