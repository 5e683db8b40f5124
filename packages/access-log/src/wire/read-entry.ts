import { NameTable } from './name-table.ts';
import { BYTES, type ProtoCursor } from './proto-cursor.ts';
import {
  type Place,
  type RawEntry,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  RESPONSE_TRAILERS,
  type TextField,
} from './raw-entry.ts';
import { readShieldMetadata } from './shield-metadata.ts';

/** Field numbers of envoy/data/accesslog/v3/accesslog.proto. */
const ENTRY = { common: 1, version: 2, request: 3, response: 4 } as const;
const TCP_CONNECTION = 2;

/** Reads an HTTPAccessLogEntry or TCPAccessLogEntry from `cursor.at` to `end`. Throws MALFORMED. */
export function readEntry(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  entry.reset(cursor.bytes, entry.isHttp);
  const outer = enter(cursor, end);
  while (cursor.next()) {
    if (cursor.type !== BYTES) {
      if (entry.isHttp && cursor.field === ENTRY.version) entry.version = cursor.varint();
      else cursor.skip();
      continue;
    }
    const inner = cursor.length();
    if (cursor.field === ENTRY.common) readCommon(cursor, inner, entry);
    else if (entry.isHttp && cursor.field === ENTRY.request) readRequest(cursor, inner, entry);
    else if (entry.isHttp && cursor.field === ENTRY.response) readResponse(cursor, inner, entry);
    else if (!entry.isHttp && cursor.field === TCP_CONNECTION) readConnection(cursor, inner, entry);
    else cursor.at = inner;
  }
  cursor.end = outer;
}

/** Narrows the cursor to a nested message. The caller restores the returned end. */
export function enter(cursor: ProtoCursor, end: number): number {
  const outer = cursor.end;
  cursor.end = end;
  return outer;
}

function readCommon(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  const outer = enter(cursor, end);
  while (cursor.next()) {
    if (cursor.type !== BYTES) {
      readCommonNumber(cursor, entry);
      continue;
    }
    const inner = cursor.length();
    switch (cursor.field) {
      case 2:
        readAddress(cursor, inner, entry.texts.sourceAddress);
        break;
      case 4:
        readTls(cursor, inner, entry);
        break;
      case 5:
        entry.startMs = readTime(cursor, inner) / 1000;
        break;
      case 12:
        entry.lastSentUs = readTime(cursor, inner);
        break;
      case 15:
        take(cursor, inner, entry.texts.cluster);
        break;
      case 16:
        readFlags(cursor, inner, entry);
        break;
      case 17:
        readShieldMetadata(cursor, inner, entry);
        break;
      case 19:
        take(cursor, inner, entry.texts.route);
        break;
      case 20:
        readAddress(cursor, inner, entry.texts.directAddress);
        break;
      case 23:
        entry.durationUs = readTime(cursor, inner);
        break;
      default:
        cursor.at = inner;
    }
  }
  cursor.end = outer;
}

/** AccessLogType: NotSet, TcpConnectionEnd, DownstreamEnd, UdpSessionEnd. */
const FINAL_TYPES: ReadonlySet<number> = new Set([0, 3, 6, 13]);

function readCommonNumber(cursor: ProtoCursor, entry: RawEntry): void {
  if (cursor.type === 0 && cursor.field === 27) entry.isIntermediate ||= cursor.varint() !== 0;
  else if (cursor.type === 0 && cursor.field === 33) entry.isIntermediate ||= !FINAL_TYPES.has(cursor.varint());
  else cursor.skip();
}

/** google.protobuf.Timestamp or Duration, in microseconds. */
function readTime(cursor: ProtoCursor, end: number): number {
  const outer = enter(cursor, end);
  let seconds = 0;
  let nanos = 0;
  while (cursor.next()) {
    if (cursor.type === 0 && cursor.field === 1) seconds = cursor.signedVarint();
    else if (cursor.type === 0 && cursor.field === 2) nanos = cursor.signedVarint();
    else cursor.skip();
  }
  cursor.end = outer;
  return seconds * 1_000_000 + nanos / 1000;
}

/** The address of a core.v3.Address with a SocketAddress. */
function readAddress(cursor: ProtoCursor, end: number, place: Place): void {
  const outer = enter(cursor, end);
  while (cursor.next()) {
    if (cursor.type !== BYTES || cursor.field !== 1) {
      cursor.skip();
      continue;
    }
    takeField(cursor, cursor.length(), { field: 2, place });
  }
  cursor.end = outer;
}

/** Takes one text of a nested message. */
function takeField(cursor: ProtoCursor, end: number, { field, place }: { field: number; place: Place }): void {
  const outer = enter(cursor, end);
  while (cursor.next()) {
    if (cursor.type === BYTES && cursor.field === field) take(cursor, cursor.length(), place);
    else cursor.skip();
  }
  cursor.end = outer;
}

function readTls(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  const outer = enter(cursor, end);
  entry.tlsVersion = 0;
  while (cursor.next()) {
    if (cursor.type === 0 && cursor.field === 1) entry.tlsVersion = cursor.varint();
    else if (cursor.type === BYTES && cursor.field === 5) {
      takeField(cursor, cursor.length(), { field: 2, place: entry.texts.peerSubject });
    } else cursor.skip();
  }
  cursor.end = outer;
}

const FLAGS_MAX = 31;

function readFlags(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  const outer = enter(cursor, end);
  while (cursor.next()) {
    const { field } = cursor;
    // The details of field 13 are a message; its presence is the flag.
    const isSet = cursor.type === 0 ? cursor.varint() !== 0 : skipped(cursor);
    if (isSet && field < FLAGS_MAX) entry.flags |= 1 << field;
  }
  cursor.end = outer;
}

function skipped(cursor: ProtoCursor): boolean {
  const isMessage = cursor.type === BYTES;
  cursor.skip();
  return isMessage;
}

const REQUEST_TEXTS: readonly (TextField | undefined)[] = [
  undefined,
  undefined,
  undefined,
  'authority',
  undefined,
  'path',
  'userAgent',
  undefined,
  undefined,
  'requestId',
  'originalPath',
];

function readRequest(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  const outer = enter(cursor, end);
  while (cursor.next()) {
    const { field } = cursor;
    if (cursor.type === 0 && field === 1) entry.method = cursor.varint();
    else if (cursor.type === 0 && (field === 11 || field === 12)) entry.requestBytes += cursor.varint();
    else if (cursor.type === BYTES && field === 13) {
      readHeader(cursor, cursor.length(), entry.requestHeaders, REQUEST_NAMES);
    } else {
      const text = cursor.type === BYTES ? REQUEST_TEXTS[field] : undefined;
      if (text === undefined) cursor.skip();
      else take(cursor, cursor.length(), entry.texts[text]);
    }
  }
  cursor.end = outer;
}

function readResponse(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  const outer = enter(cursor, end);
  while (cursor.next()) {
    const { field } = cursor;
    if (cursor.type === 0 && (field === 2 || field === 3)) entry.responseBytes += cursor.varint();
    else if (cursor.type !== BYTES) cursor.skip();
    else if (field === 1) entry.status = readWrapped(cursor, cursor.length());
    else if (field === 4) readHeader(cursor, cursor.length(), entry.responseHeaders, RESPONSE_NAMES);
    else if (field === 5) readHeader(cursor, cursor.length(), { 'grpc-status': entry.trailerStatus }, TRAILER_NAMES);
    else if (field === 6) take(cursor, cursor.length(), entry.texts.details);
    else cursor.skip();
  }
  cursor.end = outer;
}

/** google.protobuf.UInt32Value. */
function readWrapped(cursor: ProtoCursor, end: number): number {
  const outer = enter(cursor, end);
  let value = 0;
  while (cursor.next()) {
    if (cursor.type === 0 && cursor.field === 1) value = cursor.varint();
    else cursor.skip();
  }
  cursor.end = outer;
  return value;
}

function readConnection(cursor: ProtoCursor, end: number, entry: RawEntry): void {
  const outer = enter(cursor, end);
  while (cursor.next()) {
    if (cursor.type === 0 && cursor.field === 1) entry.requestBytes = cursor.varint();
    else if (cursor.type === 0 && cursor.field === 2) entry.responseBytes = cursor.varint();
    else cursor.skip();
  }
  cursor.end = outer;
}

/** An entry of a map<string, string>. */
function readHeader<Name extends string>(
  cursor: ProtoCursor,
  end: number,
  places: Readonly<Record<Name, Place>>,
  names: NameTable<Name>,
): void {
  const outer = enter(cursor, end);
  let name: Name | undefined;
  let start = 0;
  let valueEnd = 0;
  while (cursor.next()) {
    if (cursor.type !== BYTES || cursor.field > 2) {
      cursor.skip();
      continue;
    }
    const inner = cursor.length();
    if (cursor.field === 1) name = names.find(cursor.bytes, cursor.at, inner);
    else {
      start = cursor.at;
      valueEnd = inner;
    }
    cursor.at = inner;
  }
  cursor.end = outer;
  if (name === undefined) return;
  places[name].start = start;
  places[name].end = valueEnd;
}

const REQUEST_NAMES = new NameTable(REQUEST_HEADERS);
const RESPONSE_NAMES = new NameTable(RESPONSE_HEADERS);
const TRAILER_NAMES = new NameTable(RESPONSE_TRAILERS);

function take(cursor: ProtoCursor, end: number, place: Place): void {
  place.start = cursor.at;
  place.end = end;
  cursor.at = end;
}
