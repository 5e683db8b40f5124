import { LOG_LIMITS } from '@flotilla/proto/commands';
import type { ByteReader } from './byte-reader.ts';
import type { ReadBudget } from './types.ts';

/** A line with its offsets; `end` is behind its line feed. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isCut: boolean;
}

const LINE_FEED = 10;
const LINE_MAX_BYTES = LOG_LIMITS.lineMaxBytes;

/** The lines before `end`, the newest first. The memory is bounded by a block and a shortened line. Ends early without a budget. */
export async function* linesBefore(
  reader: ByteReader,
  end: number,
  budget: ReadBudget,
): AsyncGenerator<TextLine, void, undefined> {
  let lineEnd = end;
  let known = end;
  let head = Buffer.alloc(0);
  while (known > 0) {
    if (budget.bytes <= 0) return;
    const from = Math.max(0, known - reader.blockBytes);
    const block = await reader.read({ from, to: known }, budget);
    let right = block.length;
    for (;;) {
      // The last byte of a line is its own line feed.
      const searched = from + right === lineEnd ? right - 2 : right - 1;
      const feed = searched < 0 ? -1 : block.lastIndexOf(LINE_FEED, searched);
      if (feed === -1) break;
      const start = from + feed + 1;
      yield toLine({ start, end: lineEnd }, joinHead(block.subarray(feed + 1, right), head));
      [lineEnd, right, head] = [start, feed + 1, Buffer.alloc(0)];
    }
    head = joinHead(block.subarray(0, right), head);
    known = from;
  }
  if (lineEnd > 0) yield toLine({ start: 0, end: lineEnd }, head);
}

/** The complete lines from `start` up to `end`, the oldest first. `isFinal`: the last one may have no line feed. */
export async function* linesAfter(
  reader: ByteReader,
  { start, end, isFinal }: { readonly start: number; readonly end: number; readonly isFinal: boolean },
  budget: ReadBudget,
): AsyncGenerator<TextLine, void, undefined> {
  let lineStart = start;
  let head = Buffer.alloc(0);
  for (let from = start; from < end; ) {
    if (budget.bytes <= 0) return;
    const to = Math.min(end, from + reader.blockBytes);
    const block = await reader.read({ from, to }, budget);
    let left = 0;
    for (let feed = block.indexOf(LINE_FEED); feed !== -1; feed = block.indexOf(LINE_FEED, left)) {
      const lineEnd = from + feed + 1;
      yield toLine({ start: lineStart, end: lineEnd }, joinHead(head, block.subarray(left, feed + 1)));
      [lineStart, left, head] = [lineEnd, feed + 1, Buffer.alloc(0)];
    }
    head = joinHead(head, block.subarray(left));
    from = to;
  }
  if (isFinal && lineStart < end) yield toLine({ start: lineStart, end }, head);
}

/** Only the beginning of a line is kept. One byte more than the limit shows that there was more. */
function joinHead(first: Buffer, second: Buffer): Buffer<ArrayBuffer> {
  const kept = first.subarray(0, LINE_MAX_BYTES + 2);
  return Buffer.concat([kept, second.subarray(0, LINE_MAX_BYTES + 2 - kept.length)]);
}

function toLine({ start, end }: { start: number; end: number }, head: Buffer): TextLine {
  let bytes = head;
  if (bytes.at(-1) === LINE_FEED) bytes = bytes.subarray(0, -1);
  const isCut = bytes.length > LINE_MAX_BYTES;
  // A character that was cut in half becomes one replacement character.
  const text = bytes.subarray(0, LINE_MAX_BYTES).toString();
  return { start, end, text: text.endsWith('\r') ? text.slice(0, -1) : text, isCut };
}
