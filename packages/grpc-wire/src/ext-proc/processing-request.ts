import { HeaderList } from './header-list.ts';
import { MalformedMessage, WIRE_LEN, WIRE_VARINT, WireCursor } from './wire-cursor.ts';

/** The kinds of message that Envoy sends in an exchange. */
export type ProcessingRequestKind =
  | 'requestHeaders'
  | 'responseHeaders'
  | 'requestBody'
  | 'responseBody'
  | 'requestTrailers'
  | 'responseTrailers';

/** By field number (envoy/service/ext_proc/v3/external_processor.proto). */
const KINDS: readonly (ProcessingRequestKind | undefined)[] = [
  undefined,
  undefined,
  'requestHeaders',
  'responseHeaders',
  'requestBody',
  'responseBody',
  'requestTrailers',
  'responseTrailers',
];
const ATTRIBUTES = 9;

const field = (number: number, type: number): number => (number << 3) | type;

/**
 * Reads a ProcessingRequest in place. One reader serves many messages: its getters are valid until the next `read`, and
 * the bytes belong to the caller.
 *
 * Stricter than protobuf: a message that contains a request twice is rejected, because two programs could read two
 * different requests from it.
 */
export class ProcessingRequestReader {
  readonly #cursor = new WireCursor();
  #kind: ProcessingRequestKind | undefined;
  #endOfStream = false;
  #bodyStart = 0;
  #bodyEnd = 0;
  #start = 0;
  #end = 0;
  /** The request headers, response headers or trailers. */
  readonly headers = new HeaderList();

  /** Throws `MalformedMessage` if the bytes are not a ProcessingRequest or contain no request. */
  read(bytes: Buffer, start: number, end: number): ProcessingRequestKind {
    const cursor = this.#cursor;
    cursor.bytes = bytes;
    cursor.at = start;
    this.#kind = undefined;
    this.#endOfStream = false;
    this.#bodyStart = 0;
    this.#bodyEnd = 0;
    this.#start = start;
    this.#end = end;
    this.headers.clear();
    while (cursor.at < end) {
      const tag = cursor.readTag(end);
      const number = tag >>> 3;
      const kind = number < KINDS.length ? KINDS[number] : undefined;
      if (kind === undefined) cursor.skip(tag, end);
      else if ((tag & 7) !== WIRE_LEN) cursor.skipUnknown(tag, end, KINDS.length);
      else this.#readRequest(kind, number, cursor.readLength(end));
    }
    if (this.#kind === undefined) throw new MalformedMessage('no request in it');
    return this.#kind;
  }

  /** The request ends with this message. Always false for trailers. */
  get endOfStream(): boolean {
    return this.#endOfStream;
  }

  /** The body of a body message: a view of the bytes that were read. */
  get body(): Buffer {
    return this.#cursor.bytes.subarray(this.#bodyStart, this.#bodyEnd);
  }

  #readRequest(kind: ProcessingRequestKind, number: number, length: number): void {
    if (this.#kind !== undefined) throw new MalformedMessage('two requests in one');
    this.#kind = kind;
    const end = this.#cursor.at + length;
    if (number <= 3) this.#readHeaders(end);
    else if (number <= 5) this.#readBody(end);
    else this.#readTrailers(end);
    if (this.#cursor.at !== end) throw new MalformedMessage('a request that ends behind its message');
  }

  #readHeaders(end: number): void {
    const cursor = this.#cursor;
    while (cursor.at < end) {
      const tag = cursor.readTag(end);
      if (tag === field(1, WIRE_LEN)) this.#readHeaderMap(cursor.readLength(end));
      else if (tag === field(3, WIRE_VARINT)) this.#endOfStream = cursor.readBool(end);
      else if (tag >>> 3 === 2) cursor.skip(tag, end);
      else cursor.skipUnknown(tag, end, 3);
    }
  }

  #readBody(end: number): void {
    const cursor = this.#cursor;
    while (cursor.at < end) {
      const tag = cursor.readTag(end);
      if (tag === field(1, WIRE_LEN)) {
        const length = cursor.readLength(end);
        this.#bodyStart = cursor.at;
        cursor.at += length;
        this.#bodyEnd = cursor.at;
      } else if (tag === field(2, WIRE_VARINT)) this.#endOfStream = cursor.readBool(end);
      else cursor.skipUnknown(tag, end, 2);
    }
  }

  #readTrailers(end: number): void {
    const cursor = this.#cursor;
    while (cursor.at < end) {
      const tag = cursor.readTag(end);
      if (tag === field(1, WIRE_LEN)) this.#readHeaderMap(cursor.readLength(end));
      else cursor.skipUnknown(tag, end, 1);
    }
  }

  #readHeaderMap(length: number): void {
    const end = this.#cursor.at + length;
    this.headers.read(this.#cursor, end);
    if (this.#cursor.at !== end) throw new MalformedMessage('a header list that ends behind its message');
  }

  /**
   * A text attribute of the filter (`source.address`), or an empty string. Envoy sends attributes in the map
   * `attributes`, whose values are google.protobuf.Struct. Walks the message again, because attributes are rarely
   * needed.
   */
  attribute(name: string): string {
    const cursor = new WireCursor();
    cursor.bytes = this.#cursor.bytes;
    cursor.at = this.#start;
    let found = '';
    while (cursor.at < this.#end) {
      const tag = cursor.readTag(this.#end);
      if (tag === field(ATTRIBUTES, WIRE_LEN)) found = readEntry(cursor, this.#end, readStruct(name)) || found;
      else if (tag >>> 3 !== ATTRIBUTES) cursor.skip(tag, this.#end);
      else cursor.skipUnknown(tag, this.#end, ATTRIBUTES);
    }
    return found;
  }
}

type ReadValue = (cursor: WireCursor, end: number, key: string) => string;

/** Reads one entry of a map: key = 1, value = 2. */
function readEntry(cursor: WireCursor, end: number, readValue: ReadValue): string {
  const size = cursor.readLength(end);
  const entryEnd = cursor.at + size;
  let key = '';
  let found = '';
  while (cursor.at < entryEnd) {
    const tag = cursor.readTag(entryEnd);
    if (tag === field(1, WIRE_LEN)) key = readText(cursor, entryEnd);
    else if (tag === field(2, WIRE_LEN)) {
      const length = cursor.readLength(entryEnd);
      const valueEnd = cursor.at + length;
      found = readValue(cursor, valueEnd, key);
      cursor.at = valueEnd;
    } else cursor.skipUnknown(tag, entryEnd, 2);
  }
  return found;
}

/** Reads the text member `name` of a google.protobuf.Struct (fields = 1). */
function readStruct(name: string): ReadValue {
  return (cursor, end) => {
    let found = '';
    while (cursor.at < end) {
      const tag = cursor.readTag(end);
      if (tag !== field(1, WIRE_LEN)) cursor.skipUnknown(tag, end, 1);
      else
        found =
          readEntry(cursor, end, (value, valueEnd, key) => (key === name ? readStringValue(value, valueEnd) : '')) ||
          found;
    }
    return found;
  };
}

/** Reads `string_value` (3) of a google.protobuf.Value. */
function readStringValue(cursor: WireCursor, end: number): string {
  let text = '';
  while (cursor.at < end) {
    const tag = cursor.readTag(end);
    if (tag === field(3, WIRE_LEN)) text = readText(cursor, end);
    else if (tag >>> 3 !== 3) cursor.skip(tag, end);
    else cursor.skipUnknown(tag, end, 3);
  }
  return text;
}

function readText(cursor: WireCursor, end: number): string {
  const length = cursor.readLength(end);
  const start = cursor.at;
  cursor.at += length;
  return cursor.bytes.toString('utf8', start, cursor.at);
}
