import { DynamicTable } from './dynamic-table.ts';
import { decodeHuffman } from './huffman-decode.ts';
import { STATIC_TABLE } from './static-table.ts';

/** Table size before the peer has acknowledged our settings (RFC 9113 section 6.5.2). */
const INITIAL_TABLE_BYTES = 4096;

/** Limit for indices and lengths: far above our other limits and below what 32-bit arithmetic can hold. */
const INTEGER_MAX = 2 ** 28;

export interface FieldSink {
  /** One field, as parts of two buffers that are valid only during the call. */
  onField(
    name: Uint8Array,
    nameStart: number,
    nameEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void;
}

export type HpackError =
  | 'a block that ends within a field'
  | 'an integer out of bounds'
  | 'an index out of bounds'
  | 'a broken Huffman string'
  | 'a table size above the limit'
  | 'a table size update behind a field'
  | 'no table size update where the limit sank';

let scratch = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * Decodes the header blocks of one connection. After an error the tables of the two sides differ, so the connection
 * must end.
 */
export class HpackDecoder {
  readonly #table = new DynamicTable(INITIAL_TABLE_BYTES);
  #limitBytes = INITIAL_TABLE_BYTES;
  #owesUpdate = false;
  #block: Uint8Array = scratch;
  #at = 0;
  #end = 0;
  #scratchAt = 0;
  #error: HpackError | undefined;
  // Position of the last string that was read.
  #text: Uint8Array = scratch;
  #textStart = 0;
  #textEnd = 0;

  /**
   * The peer has acknowledged this limit. If its table holds more, its next block must begin with a size update (RFC
   * 9113 section 4.3.1). An encoder with an empty table may omit the update; its insertions are then bounded by its
   * previous table size.
   */
  limitTable(bytes: number): void {
    this.#limitBytes = bytes;
    this.#owesUpdate = this.#table.bytes > bytes;
  }

  /** True if equal blocks mean equal fields, because nothing in them can refer to the table. */
  get isStateless(): boolean {
    return this.#table.count === 0 && !this.#owesUpdate;
  }

  get tableBytes(): number {
    return this.#table.maxBytes;
  }

  decode(block: Uint8Array, start: number, end: number, sink: FieldSink): HpackError | undefined {
    // A Huffman string grows to at most 8/5, and a name and a value are held at the same time.
    if (scratch.length < (end - start) * 2) scratch = Buffer.allocUnsafeSlow((end - start) * 2);
    this.#block = block;
    this.#at = start;
    this.#end = end;
    this.#error = undefined;
    let hasField = false;
    while (this.#at < end) {
      const first = block[this.#at] as number;
      if ((first & 0xe0) === 0x20) {
        if (hasField) return 'a table size update behind a field';
        this.#updateSize();
      } else {
        if (this.#owesUpdate) return 'no table size update where the limit sank';
        hasField = true;
        this.#readField(first, sink);
      }
      if (this.#error !== undefined) return this.#error;
    }
    return undefined;
  }

  #updateSize(): void {
    const bytes = this.#readInteger(5);
    if (this.#error !== undefined) return;
    if (bytes > this.#limitBytes) {
      this.#error = 'a table size above the limit';
      return;
    }
    this.#table.resize(bytes);
    this.#owesUpdate = false;
  }

  #readField(first: number, sink: FieldSink): void {
    this.#scratchAt = 0;
    if (first >= 0x80) {
      this.#emitIndexed(this.#readInteger(7), sink);
      return;
    }
    const isInserted = first >= 0x40;
    const index = this.#readInteger(isInserted ? 6 : 4);
    if (this.#error !== undefined) return;
    if (index === 0) this.#readString();
    else this.#loadName(index);
    if (this.#error !== undefined) return;
    const name = this.#text;
    const nameStart = this.#textStart;
    const nameEnd = this.#textEnd;
    this.#readString();
    if (this.#error !== undefined) return;
    sink.onField(name, nameStart, nameEnd, this.#text, this.#textStart, this.#textEnd);
    if (isInserted) {
      this.#table.insert(name.subarray(nameStart, nameEnd), this.#text.subarray(this.#textStart, this.#textEnd));
    }
  }

  #emitIndexed(index: number, sink: FieldSink): void {
    if (this.#error !== undefined) return;
    const entry = this.#entry(index);
    if (entry === undefined) this.#error = 'an index out of bounds';
    else sink.onField(entry.name, 0, entry.name.length, entry.value, 0, entry.value.length);
  }

  #loadName(index: number): void {
    const entry = this.#entry(index);
    if (entry === undefined) {
      this.#error = 'an index out of bounds';
      return;
    }
    this.#text = entry.name;
    this.#textStart = 0;
    this.#textEnd = entry.name.length;
  }

  #entry(index: number) {
    if (index === 0) return undefined;
    return index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : this.#table.get(index - STATIC_TABLE.length - 1);
  }

  #readString(): void {
    if (this.#at >= this.#end) {
      this.#error = 'a block that ends within a field';
      return;
    }
    const isHuffman = (this.#block[this.#at] as number) >= 0x80;
    const length = this.#readInteger(7);
    if (this.#error !== undefined) return;
    const start = this.#at;
    const end = start + length;
    if (end > this.#end) {
      this.#error = 'a block that ends within a field';
      return;
    }
    this.#at = end;
    if (!isHuffman) {
      this.#text = this.#block;
      this.#textStart = start;
      this.#textEnd = end;
      return;
    }
    const decodedEnd = decodeHuffman(this.#block, start, end, scratch, this.#scratchAt);
    if (decodedEnd === -1) {
      this.#error = 'a broken Huffman string';
      return;
    }
    this.#text = scratch;
    this.#textStart = this.#scratchAt;
    this.#textEnd = decodedEnd;
    this.#scratchAt = decodedEnd;
  }

  /** RFC 7541 section 5.1. */
  #readInteger(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = (this.#block[this.#at++] as number) & mask;
    if (value < mask) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      if (this.#at >= this.#end) {
        this.#error = 'a block that ends within a field';
        return 0;
      }
      const byte = this.#block[this.#at++] as number;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (value >= INTEGER_MAX) break;
        return value;
      }
    }
    this.#error = 'an integer out of bounds';
    return 0;
  }
}
