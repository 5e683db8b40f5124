import { type PartHeaders, readPartHeaders } from './part-headers.ts';

/** A place where some parser may see the content of a part. */
export interface Part extends PartHeaders {
  /** Byte offset in the body. */
  readonly start: number;
  /** Offset of the next delimiter. To some parsers the content continues after it. */
  readonly end: number;
  /** Whether a line ends at `start`. */
  readonly isLineEnd: boolean;
}

/** Each content has a fixed cost, however short. Servers accept a few or up to a thousand. */
export const CONTENTS_MAX = 10_000;

const LF = 10;
const CR = 13;
const BLANK_LINE = Buffer.from('\r\n\r\n');
/** Or a continuation line. */
const HEADER = /^(?:[\w-]+[ \t]*:|[ \t])/;

/**
 * Yields every place in a body where some parser may see the content of a part begin. Content begins after a blank
 * line, for which parsers accept different line ends. All of them accept `\r\n\r\n`, except right after the delimiter
 * (Rack, Werkzeug). Headers therefore lie between a delimiter and the next of those, and any other blank line in
 * between, or the first line that is not a header (Python's email), may end them as well. Text before the first
 * delimiter is checked too. The work is linear.
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

/** Skips delimiters, the rest of their lines, and blank lines. */
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

/** Yields the offsets in possible headers at which content may begin. */
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

/** The offset of the delimiter, or the end of the body. */
function findFrom(body: Buffer, delimiter: Buffer, from: number): number {
  const at = body.indexOf(delimiter, from);
  return at === -1 ? body.length : at;
}
