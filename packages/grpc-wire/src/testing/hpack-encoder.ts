import { HUFFMAN_CODES } from '../hpack/huffman-code.ts';

export type Field = readonly [name: string, value: string];

export interface EncodeOptions {
  readonly huffman?: boolean;
  /** `insert`: adds every field to the peer's dynamic table. */
  readonly indexing?: 'none' | 'never' | 'insert';
}

const FIRST_BYTE = { none: 0x00, never: 0x10, insert: 0x40 } as const;

/** An integer with a prefix of `bits` bits after the high bits `first` (RFC 7541 section 5.1). */
export function encodeInteger(first: number, bits: number, value: number): Buffer {
  const mask = (1 << bits) - 1;
  if (value < mask) return Buffer.of(first | value);
  const bytes = [first | mask];
  let rest = value - mask;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Works bit by bit, to differ from the decoder's tables as much as possible. */
function encodeHuffman(text: Uint8Array): Buffer {
  let bits = '';
  for (const byte of text) {
    const code = HUFFMAN_CODES[byte];
    if (code === undefined) throw new Error('a byte without a code');
    bits += code.bits.toString(2).padStart(code.length, '0');
  }
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return Buffer.from((padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export function encodeString(text: string, huffman = false): Buffer {
  const raw = Buffer.from(text, 'latin1');
  const bytes = huffman ? encodeHuffman(raw) : raw;
  return Buffer.concat([encodeInteger(huffman ? 0x80 : 0, 7, bytes.length), bytes]);
}

export function encodeField([name, value]: Field, options: EncodeOptions = {}): Buffer {
  return Buffer.concat([
    Buffer.of(FIRST_BYTE[options.indexing ?? 'none']),
    encodeString(name, options.huffman),
    encodeString(value, options.huffman),
  ]);
}

export function encodeBlock(fields: readonly Field[], options: EncodeOptions = {}): Buffer {
  return Buffer.concat(fields.map((field) => encodeField(field, options)));
}

/** RFC 7541 section 6.3. */
export function encodeTableSize(bytes: number): Buffer {
  return encodeInteger(0x20, 5, bytes);
}
