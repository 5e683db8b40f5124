import { ENTRY_LIMITS, type LogEntry } from '../entry.ts';
import { ID_NONE, ID_TEXT, ID_UUID, PLAIN, TEXT_FIELDS, toKinds, toSignBits, UUID } from './format.ts';

const FIRST_BYTES = 16 * 1024;
const HEADER_BYTES = 1 + 4;
/** The numbers of an entry, the indexes of its texts and its request id. */
const ENTRY_MAX_BYTES = 256;
/** UTF-8 of one character of a JavaScript string. */
const CHARACTER_MAX_BYTES = 3;
const LENGTH_MAX_BYTES = 3;
const FIELDS = TEXT_FIELDS.length;

/**
 * Writes entries into a batch as they come, so that none waits as an object. A text is written when it occurs first; further occurrences are its number. See
 * `format.ts`, and README.md for the layout.
 */
export class BatchWriter {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #at = HEADER_BYTES;
  #entries = 0;
  #lastTimeMs = 0;
  readonly #numbers = new Map<string, number>();
  /** The last text of each field and its number: many requests in a row are alike. */
  readonly #lastTexts: string[] = Array.from({ length: FIELDS }, () => '');
  readonly #lastNumbers: number[] = Array.from({ length: FIELDS }, () => -1);

  constructor(listener: string) {
    const name = Buffer.from(listener);
    this.#reserve(name.length + LENGTH_MAX_BYTES);
    this.#varint(name.length);
    this.#at += name.copy(this.#bytes, this.#at);
  }

  get entries(): number {
    return this.#entries;
  }

  get byteLength(): number {
    return this.#at;
  }

  /** False: the batch is full, and does not contain the entry. */
  add(entry: LogEntry): boolean {
    const need = sizeBound(entry);
    const isFull = this.#entries >= ENTRY_LIMITS.entries || this.#at + need > ENTRY_LIMITS.batchBytes;
    if (isFull) return false;
    this.#reserve(need);
    this.#entries += 1;
    this.#signed(entry.timeMs - this.#lastTimeMs);
    this.#lastTimeMs = entry.timeMs;
    this.#varint(entry.latencyUs);
    this.#varint(toKinds(entry.protocol, entry.auth));
    this.#varint(toSignBits(entry.signs));
    this.#varint(entry.status);
    this.#varint(entry.grpcStatus);
    this.#varint(entry.requestBytes);
    this.#varint(entry.responseBytes);
    this.#varint(entry.tokenLifetimeS);
    this.#requestId(entry.requestId);
    this.#texts(entry);
    return true;
  }

  /** The batch without compression. The writer must not be used afterwards. */
  finish(): Buffer {
    this.#bytes[0] = PLAIN;
    this.#bytes.writeUInt32LE(this.#entries, 1);
    return this.#bytes.subarray(0, this.#at);
  }

  #texts(entry: LogEntry): void {
    this.#text(0, entry.method);
    this.#text(1, entry.authority);
    this.#text(2, entry.path);
    this.#text(3, entry.sourceAddress);
    this.#text(4, entry.userAgent);
    this.#text(5, entry.responseFlags);
    this.#text(6, entry.route);
    this.#text(7, entry.cluster);
    this.#text(8, entry.tlsVersion);
    this.#text(9, entry.requestContentType);
    this.#text(10, entry.contentType);
    this.#text(11, entry.graphqlOperation);
    this.#text(12, entry.origin);
    this.#text(13, entry.identityHash);
    this.#text(14, entry.action);
    this.#text(15, entry.engine);
    this.#text(16, joinWords(entry.queryNames));
    this.#text(17, joinWords(entry.queryPii));
  }

  /** The number of the text, or 0 and the text, which gets the next number. */
  #text(field: number, text: string): void {
    const last = this.#lastNumbers[field] as number;
    if (last !== -1 && this.#lastTexts[field] === text) {
      this.#varint(last);
      return;
    }
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(text, number);
      this.#varint(0);
      this.#literal(text);
    } else this.#varint(number);
    this.#lastTexts[field] = text;
    this.#lastNumbers[field] = number;
  }

  #requestId(id: string): void {
    if (id === '') this.#varint(ID_NONE);
    else if (id.length === 36 && UUID.test(id)) {
      this.#varint(ID_UUID);
      this.#uuid(id);
    } else this.#literal(id, ID_TEXT);
  }

  /** Digits of a UUID, whose form was checked. */
  #uuid(id: string): void {
    const bytes = this.#bytes;
    for (let at = 0; at < 36; at += 2) {
      if (id.charCodeAt(at) === 45) at += 1;
      bytes[this.#at++] = (digitOf(id.charCodeAt(at)) << 4) | digitOf(id.charCodeAt(at + 1));
    }
  }

  #literal(text: string, offset = 0): void {
    // The length comes first, and is known after writing.
    const length = Buffer.byteLength(text);
    this.#varint(length + offset);
    this.#at += this.#bytes.write(text, this.#at, 'utf8');
  }

  /** Small numbers of both signs take one byte. */
  #signed(value: number): void {
    this.#varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  #varint(value: number): void {
    let rest = value;
    const bytes = this.#bytes;
    while (rest > 127) {
      bytes[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    bytes[this.#at++] = rest;
  }

  #reserve(count: number): void {
    const need = this.#at + count;
    if (need <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(need, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** Value of a hexadecimal digit in lowercase. */
function digitOf(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}

function joinWords(words: readonly string[]): string {
  return words.length === 0 ? '' : words.length === 1 ? (words[0] as string) : words.join(' ');
}

/** No entry takes more bytes, whatever the dictionary contains. */
function sizeBound(entry: LogEntry): number {
  let characters =
    entry.requestId.length +
    entry.method.length +
    entry.authority.length +
    entry.path.length +
    entry.sourceAddress.length +
    entry.userAgent.length +
    entry.responseFlags.length +
    entry.route.length +
    entry.cluster.length +
    entry.tlsVersion.length +
    entry.requestContentType.length +
    entry.contentType.length +
    entry.graphqlOperation.length +
    entry.origin.length +
    entry.identityHash.length +
    entry.action.length +
    entry.engine.length;
  for (const word of entry.queryNames) characters += word.length + 1;
  for (const word of entry.queryPii) characters += word.length + 1;
  return ENTRY_MAX_BYTES + characters * CHARACTER_MAX_BYTES;
}
