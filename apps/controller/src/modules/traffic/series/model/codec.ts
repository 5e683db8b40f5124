import { deflateRawSync } from 'node:zlib';
import { type Block, columnOf, createBlock, seriesOf } from './block.ts';
import { DEFLATED, openReader, PLAIN } from './reader.ts';

/** Smaller texts do not become shorter. */
const DEFLATE_FROM_BYTES = 256;
/** The hours of a week. */
const STEPS_MAX = 168;

/**
 * A block as bytes: numbers of seven bits per byte, low ones first, column after column. A zero is followed by the number of
 * zeros after it. Compression costs more time than everything else, and pays for what is kept for long.
 */
export function encodeBlock(block: Block, { isDeflated = true } = {}): Buffer {
  const out = WRITER;
  out.clear();
  out.number(block.steps);
  out.column(block.coveredMs);
  out.number(block.series.size);
  for (const { scope, name, columns } of block.series.values()) {
    out.number(scope);
    out.text(name);
    let filled = 0;
    for (const values of columns.values()) if (isFilled(values)) filled += 1;
    out.number(filled);
    for (const [id, values] of columns) {
      if (!isFilled(values)) continue;
      out.number(id);
      out.column(values);
    }
  }
  const bytes = out.bytes();
  if (!isDeflated || bytes.length < DEFLATE_FROM_BYTES) return Buffer.concat([Buffer.of(PLAIN), bytes]);
  return Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { level: 3 })]);
}

/** By index, because an iterator for each column of an interval costs more than its value. */
function isFilled(values: readonly number[]): boolean {
  for (let i = 0; i < values.length; i += 1) if (values[i] !== 0) return true;
  return false;
}

export interface Wanted {
  /** Only series of this scope, and of this name unless it is undefined. */
  readonly scope?: number;
  readonly name?: string | null;
}

/** undefined: the bytes are not those of a block. A damaged row is unknown and must not hide all others. */
export function readBlock(bytes: Uint8Array, wanted?: Wanted): Block | undefined {
  try {
    return decodeBlock(bytes, wanted);
  } catch {
    return undefined;
  }
}

/** Throws if the bytes are not those of a block. */
export function decodeBlock(bytes: Uint8Array, wanted: Wanted = {}): Block {
  const input = openReader(bytes);
  const steps = input.number();
  if (steps > STEPS_MAX) throw new Error('a block of traffic with too many steps');
  const block = createBlock(steps);
  input.column(block.coveredMs);
  for (let left = input.number(); left > 0; left -= 1) {
    const scope = input.number();
    const name = input.text();
    const isWanted =
      (wanted.scope === undefined || wanted.scope === scope) && (wanted.name === undefined || wanted.name === name);
    const series = isWanted ? seriesOf(block, scope, name) : undefined;
    for (let columns = input.number(); columns > 0; columns -= 1) {
      const id = input.number();
      if (series) input.column(columnOf(series, id, steps));
      else input.skipColumn(steps);
    }
  }
  return block;
}

/** Most blocks are smaller. */
const KEPT_BYTES = 64 * 1024;

class Writer {
  #bytes = Buffer.allocUnsafe(KEPT_BYTES);
  #at = 0;

  number(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  text(value: string | null): void {
    if (value === null) {
      this.number(0);
      return;
    }
    const length = Buffer.byteLength(value);
    this.number(length + 1);
    this.#reserve(length);
    this.#at += this.#bytes.write(value, this.#at);
  }

  column(values: readonly number[]): void {
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] ?? 0;
      this.number(value);
      if (value !== 0) continue;
      let zeros = 0;
      while (i + 1 < values.length && values[i + 1] === 0) {
        zeros += 1;
        i += 1;
      }
      this.number(zeros);
    }
  }

  clear(): void {
    this.#at = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(KEPT_BYTES);
  }

  /** Valid until the next block. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** One for all blocks, which are encoded one after the other. */
const WRITER = new Writer();
