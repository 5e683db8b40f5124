import { createHash } from 'node:crypto';

/** Servers take 100 MB by default; proxies before them often less. */
const BODY_MAX_BYTES = 8 * 1024 * 1024;
const DAY = /^\{"@timestamp":"(\d{4})-(\d\d)-(\d\d)T/;

/** The most documents from the start of `documents` that fit into one request, at least one. */
export function takeBatch(documents: readonly string[]): readonly string[] {
  let bytes = 0;
  const end = documents.findIndex((one, i) => {
    bytes += Buffer.byteLength(one);
    return i > 0 && bytes > BODY_MAX_BYTES;
  });
  return end < 0 ? documents : documents.slice(0, end);
}

/**
 * The body of a `_bulk` request. The id of a document follows from its text, which contains its place in the file and the time
 * at which it was read. So a document that is sent twice is stored once.
 */
export function toBulkBody(documents: readonly string[], index: string): string {
  return documents
    .map((one) => {
      const [, year, month, day] = DAY.exec(one) ?? [];
      const _index = year === undefined ? index : `${index}-${year}.${month}.${day}`;
      const _id = createHash('sha256').update(one).digest('base64url');
      return `${JSON.stringify({ create: { _index, _id } })}\n${one}\n`;
    })
    .join('');
}
