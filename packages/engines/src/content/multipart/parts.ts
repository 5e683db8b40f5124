import { type PartHeaders, readPartHeaders } from './part-headers.ts';

/** Where some parser may see the content of a part. */
export interface Part extends PartHeaders {
  /** In bytes of the body. */
  readonly start: number;
  /** At the next delimiter, which is not the end to everybody: it may stand in the content. */
  readonly end: number;
  /** Whether a line ends there. */
  readonly isLineEnd: boolean;
}

/** Each has a cost of its own, however short. Servers take a thousand or a few. */
export const CONTENTS_MAX = 10_000;

const LF = 10;
const CR = 13;
const BLANK_LINE = Buffer.from('\r\n\r\n');
/** Or a line that goes on with one. */
const HEADER = /^(?:[\w-]+[ \t]*:|[ \t])/;

/**
 * Every place of a body where some parser may see the content of a part begin. It is behind a blank line, which parsers take for
 * one by different line ends; `\r\n\r\n` is one to all of them, but where it follows the delimiter (Rack, Werkzeug). So headers lie
 * between a delimiter and the next of those, and any other blank line in between may end them as well, or the first line that is
 * no header (Python's email). What comes before the first delimiter is looked at too. The work is linear.
 */
export function* findParts(body: Buffer, delimiter: Buffer): Generator<Part> {
  let closing = -1;
  for (let opening = 0, end = 0; opening < body.length; opening = findFrom(body, delimiter, end)) {
    const blank = body.indexOf(BLANK_LINE, skipToHeaders(body, delimiter, opening));
    end = blank === -1 ? body.length : blank + BLANK_LINE.length;
    const text = body.toString('latin1', opening, end);
    const headers = readPartHeaders(text);
    for (const at of findContents(text, delimiter.toString('latin1'))) {
      const start = opening + at;
      if (closing < start) closing = findFrom(body, delimiter, start);
      const before = body[closing - 1];
      yield { ...headers, start, end: closing, isLineEnd: closing === start || before === LF || before === CR };
    }
  }
}

/** The place behind delimiters, the rest of their lines, and blank lines. */
function skipToHeaders(body: Buffer, delimiter: Buffer, from: number): number {
  let at = from;
  for (;;) {
    while (isSpace(body[at])) at++;
    if (!body.subarray(at, at + delimiter.length).equals(delimiter)) return at;
    while (at < body.length && body[at] !== CR && body[at] !== LF) at++;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === CR || byte === LF || byte === 32 || byte === 9;
}

/** Where contents may begin in what may be headers. */
function* findContents(text: string, delimiter: string): Generator<number> {
  let isBehindBlank = false;
  let isHeader = true;
  for (let at = 0, end = 0; at <= text.length; at = end + (text.startsWith('\r\n', end) ? 2 : 1)) {
    end = findLineEnd(text, at);
    const line = text.slice(at, end);
    if (at > 0 && line.trim() === '' && at < text.length) isBehindBlank = true;
    else if (isBehindBlank || (isHeader && !line.startsWith(delimiter) && !HEADER.test(line))) {
      yield at;
      isBehindBlank = false;
      isHeader = false;
    }
    if (line.includes(delimiter)) isHeader = true;
  }
}

function findLineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== LF && text.charCodeAt(at) !== CR) at++;
  return at;
}

/** The place of the delimiter, or the end of the body. */
function findFrom(body: Buffer, delimiter: Buffer, from: number): number {
  const at = body.indexOf(delimiter, from);
  return at === -1 ? body.length : at;
}
