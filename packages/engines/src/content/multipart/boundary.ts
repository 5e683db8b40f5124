/** One parameter, of signs that no parser cuts or decodes, in a line that says little else. */
const PLAIN =
  /^multipart\/form-data\s*;(?:\s*charset="?utf-8"?\s*;)?\s*boundary=(?:"([\w.+-]{1,70})"|([\w.+-]{1,70}))\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

const DASHES = '--';

/** The boundary of content type lines that every parser reads alike; empty where two may differ. */
export function readBoundary(lines: readonly string[]): string {
  const [line = ''] = lines;
  const plain = lines.length === 1 ? PLAIN.exec(line.trim()) : null;
  return plain?.[1] ?? plain?.[2] ?? '';
}

/**
 * What stands at least where a part of the body may end or begin: the boundary behind its dashes where the body begins with it and
 * nobody can take another for it, else the dashes alone, which every boundary has.
 */
export function delimiterOf(body: Buffer, boundary: string): Buffer {
  const delimiter = Buffer.from(DASHES + boundary);
  const lower = DASHES + boundary.toLowerCase();
  const start = body[0] === 13 && body[1] === 10 ? 2 : 0;
  const isKnown =
    boundary !== '' &&
    body.subarray(start, start + delimiter.length).equals(delimiter) &&
    (delimiter.toString() === lower || !body.includes(lower));
  return isKnown ? delimiter : Buffer.from(DASHES);
}
