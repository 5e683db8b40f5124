import { BYTES, ProtoCursor } from './proto-cursor.ts';
import { RawEntry } from './raw-entry.ts';
import { enter, readEntry } from './read-entry.ts';
import { decodeText } from './string-cache.ts';

/** Counts of the entries of a message. */
export interface ReadCounts {
  /** Given to the caller. */
  entries: number;
  /** Written before the end of their request or connection; not given. */
  intermediate: number;
  /** Not readable; the entries after them are read. */
  malformed: number;
}

/**
 * Reads envoy.service.accesslog.v3.StreamAccessLogsMessage, one after the other. Takes hostile bytes: it never throws, takes time in proportion to the
 * length, and passes over fields that it does not know.
 */
export class MessageReader {
  readonly #cursor = new ProtoCursor();
  readonly #entry = new RawEntry();

  /** Name of the log in the identifier; undefined: the message has none. Envoy sends it in the first message of a stream only. */
  readLogName(message: Buffer): string | undefined {
    const cursor = this.#begin(message);
    try {
      return findText(cursor, 1, (end) => {
        cursor.end = end;
        return findText(cursor, 2, (nameEnd) => decodeText(message, cursor.at, nameEnd));
      });
    } catch {
      // `readEntries` counts what is malformed.
      return undefined;
    }
  }

  /** Calls `visit` with each entry; the object is valid during the call only. */
  readEntries(message: Buffer, visit: (entry: RawEntry) => void): ReadCounts {
    const counts: ReadCounts = { entries: 0, intermediate: 0, malformed: 0 };
    const cursor = this.#begin(message);
    try {
      while (cursor.next()) {
        const isEntries = cursor.type === BYTES && (cursor.field === 2 || cursor.field === 3);
        if (isEntries) this.#readList(cursor.length(), cursor.field === 2, visit, counts);
        else cursor.skip();
      }
    } catch {
      counts.malformed += 1;
    }
    return counts;
  }

  /** HTTPAccessLogEntries or TCPAccessLogEntries. */
  #readList(end: number, isHttp: boolean, visit: (entry: RawEntry) => void, counts: ReadCounts): void {
    const cursor = this.#cursor;
    const outer = enter(cursor, end);
    while (cursor.next()) {
      if (cursor.type !== BYTES || cursor.field !== 1) {
        cursor.skip();
        continue;
      }
      this.#readOne(cursor.length(), isHttp, visit, counts);
    }
    cursor.end = outer;
  }

  #readOne(end: number, isHttp: boolean, visit: (entry: RawEntry) => void, counts: ReadCounts): void {
    const cursor = this.#cursor;
    const outer = cursor.end;
    const entry = this.#entry;
    entry.isHttp = isHttp;
    try {
      readEntry(cursor, end, entry);
      if (entry.isIntermediate) counts.intermediate += 1;
      else {
        visit(entry);
        counts.entries += 1;
      }
    } catch {
      counts.malformed += 1;
    }
    cursor.at = end;
    cursor.end = outer;
  }

  #begin(message: Buffer): ProtoCursor {
    const cursor = this.#cursor;
    cursor.bytes = message;
    cursor.at = 0;
    cursor.end = message.length;
    return cursor;
  }
}

/** Reads the first field with this number that has a length. */
function findText<T>(cursor: ProtoCursor, field: number, read: (end: number) => T): T | undefined {
  while (cursor.next()) {
    if (cursor.type === BYTES && cursor.field === field) return read(cursor.length());
    cursor.skip();
  }
  return undefined;
}
