/** A single boundary parameter, of characters that no parser cuts or decodes, in a line with little else. */
const PLAIN =
  /^multipart\/form-data\s*;(?:\s*charset="?utf-8"?\s*;)?\s*boundary=(?:"([\w.+-]{1,70})"|([\w.+-]{1,70}))\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

const DASHES = '--';

/** The boundary if every parser reads the same one from these lines; otherwise empty. */
export function readBoundary(lines: readonly string[]): string {
  const [line = ''] = lines;
  const plain = lines.length === 1 ? PLAIN.exec(line.trim()) : null;
  return plain?.[1] ?? plain?.[2] ?? '';
}

/**
 * Bytes that occur wherever a part of the body may end or begin: the full delimiter if the body begins with it and it
 * is unambiguous, otherwise only the dashes that every delimiter has.
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
