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

const BLANK_LINE = Buffer.from('\r\n\r\n');
const LINES = /([^\r\n]*)(?:\r\n|\r|\n|$)/g;
/** Or a line that goes on with one. */
const HEADER = /^(?:[\w-]+[ \t]*:|[ \t])/;

/**
 * Every place of a body where some parser may see the content of a part begin. It is behind a blank line, which parsers take for
 * one by different line ends; `\r\n\r\n` is one to all of them. So headers lie between a delimiter and the next of those, and any
 * other blank line in between may end them as well, or the first line that is no header (Python's email). What comes before the
 * first delimiter is looked at too. The work is linear.
 */
export function* findParts(body: Buffer, delimiter: Buffer): Generator<Part> {
  /** The first delimiters from the headers, and from the content, on. */
  let opening = 0;
  let closing = -1;
  for (let from = 0; from < body.length; ) {
    const blank = body.indexOf(BLANK_LINE, from);
    const end = blank === -1 ? body.length : blank + BLANK_LINE.length;
    if (opening < from) opening = findFrom(body, delimiter, from);
    if (opening < end) {
      const text = body.toString('latin1', opening, end);
      const headers = readPartHeaders(text);
      for (const at of findContents(text, delimiter.toString('latin1'))) {
        const start = opening + at;
        if (closing < start) closing = findFrom(body, delimiter, start);
        const before = body[closing - 1];
        yield { ...headers, start, end: closing, isLineEnd: closing === start || before === 10 || before === 13 };
      }
    }
    from = end;
  }
}

/** Where contents may begin in what may be headers. */
function* findContents(text: string, delimiter: string): Generator<number> {
  let isBehindBlank = false;
  let isHeader = true;
  for (const { index, 1: line = '' } of text.matchAll(LINES)) {
    const isDelimiter = line.includes(delimiter);
    if (index > 0 && line.trim() === '' && index < text.length) isBehindBlank = true;
    else if (isBehindBlank || (isHeader && !line.startsWith(delimiter) && !HEADER.test(line))) {
      yield index;
      isBehindBlank = false;
      isHeader = false;
    }
    if (isDelimiter) isHeader = true;
  }
}

/** The place of the delimiter, or the end of the body. */
function findFrom(body: Buffer, delimiter: Buffer, from: number): number {
  const at = body.indexOf(delimiter, from);
  return at === -1 ? body.length : at;
}
