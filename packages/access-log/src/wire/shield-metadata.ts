import { BYTES, type ProtoCursor } from './proto-cursor.ts';
import type { Place, RawEntry } from './raw-entry.ts';

const NAMESPACE = Buffer.from('flotilla.shield');
const ACTION = Buffer.from('action');
const ENGINE = Buffer.from('engine');

/** Reads what the request filter has written into a core.v3.Metadata: strings of the Struct with our name. */
export function readShieldMetadata(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  forEachPair(cursor, end, 1, (key, value) => {
    if (!isText(cursor.bytes, key, NAMESPACE)) return;
    cursor.at = value.start;
    forEachPair(cursor, value.end, 1, (field, { start, end: valueEnd }) => {
      const place = isText(cursor.bytes, field, ACTION)
        ? entry.texts.action
        : isText(cursor.bytes, field, ENGINE)
          ? entry.texts.engine
          : undefined;
      if (place === undefined) return;
      cursor.at = start;
      readStringValue(cursor, valueEnd, place);
    });
  });
}

/** Calls `visit` with the places of key and value of each entry of the map `field`. Leaves the cursor at `end`. */
function forEachPair(cursor: ProtoCursor, end: number, field: number, visit: (key: Place, value: Place) => void): void {
  const outer = cursor.end;
  cursor.end = end;
  while (cursor.next()) {
    if (cursor.type !== BYTES || cursor.field !== field) {
      cursor.skip();
      continue;
    }
    const pairEnd = cursor.length();
    const key: Place = { start: 0, end: 0 };
    const value: Place = { start: 0, end: 0 };
    cursor.end = pairEnd;
    while (cursor.next()) {
      const place = cursor.field === 1 ? key : value;
      if (cursor.type !== BYTES || cursor.field > 2) {
        cursor.skip();
        continue;
      }
      place.end = cursor.length();
      place.start = cursor.at;
      cursor.at = place.end;
    }
    visit(key, value);
    cursor.at = pairEnd;
    cursor.end = end;
  }
  cursor.end = outer;
}

/** google.protobuf.Value with a string. */
function readStringValue(cursor: ProtoCursor, end: number, place: Place): void {
  const outer = cursor.end;
  cursor.end = end;
  while (cursor.next()) {
    if (cursor.type !== BYTES || cursor.field !== 3) {
      cursor.skip();
      continue;
    }
    place.end = cursor.length();
    place.start = cursor.at;
    cursor.at = place.end;
  }
  cursor.end = outer;
}

function isText(bytes: Buffer, { start, end }: Place, text: Buffer): boolean {
  return end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0;
}
