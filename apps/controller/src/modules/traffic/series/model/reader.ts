import { inflateRawSync } from 'node:zlib';

/** The first byte of a block. */
export const PLAIN = 1;
export const DEFLATED = 2;
/** Far above a block of the largest size. */
const INFLATED_MAX_BYTES = 64 * 1024 * 1024;

/** Throws if the bytes have an unknown format. */
export function openReader(bytes: Uint8Array): Reader {
  const body = bytes.subarray(1);
  if (bytes[0] === PLAIN) return new Reader(body);
  if (bytes[0] !== DEFLATED) throw new Error('a block of traffic of an unknown format');
  return new Reader(inflateRawSync(body, { maxOutputLength: INFLATED_MAX_BYTES }));
}

/** Where a text is in its bytes. */
export interface TextPlace {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly length: number;
}

export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('a block of traffic ends too early');
      if (byte < 128) return value + byte * factor;
      value += (byte - 128) * factor;
    }
  }

  text(): string | null {
    const place = this.textPlace();
    return place && readText(place);
  }

  /** null: no text. */
  textPlace(): TextPlace | null {
    const length = this.number() - 1;
    if (length < 0) return null;
    const from = this.#at;
    this.#at += length;
    return { bytes: this.#bytes, from, length };
  }

  column(into: number[]): void {
    for (let i = 0; i < into.length; i += 1) {
      const value = this.number();
      if (value === 0) i += this.number();
      else into[i] = value;
    }
  }

  skipColumn(steps: number): void {
    for (let i = 0; i < steps; i += 1) if (this.number() === 0) i += this.number();
  }
}

export function readText({ bytes, from, length }: TextPlace): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, length).toString();
}

export function isSameText(one: TextPlace, other: TextPlace): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (one.bytes[one.from + i] !== other.bytes[other.from + i]) return false;
  return true;
}
