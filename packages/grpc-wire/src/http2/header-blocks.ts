import { type FieldSink, HpackDecoder, type HpackError } from '../hpack/decoder.ts';
import { RecentWords } from '../recent-words.ts';
import type { RequestVerdict } from './request-verdict.ts';

/** Judges header fields. Shared by all connections, because a block is read without interruption. */
export interface HeaderJudge extends FieldSink {
  begin(isTrailers: boolean): void;
  verdict(): RequestVerdict;
  /** The error in the trailers that were read. */
  readonly trailersFault: string | undefined;
}

const CACHED_BLOCKS = 4;
/** Blocks are compared in words of four bytes; decoding shorter ones is as fast. */
const CACHED_BLOCK_MIN_BYTES = 4;
const CACHED_BLOCK_MAX_BYTES = 1024;

/** The buffer is allocated once and reused, so blocks that never repeat do not cost one each. */
interface CachedBlock {
  readonly bytes: Buffer;
  readonly words: DataView;
  length: number;
  tableBytes: number;
  verdict: RequestVerdict;
}

/**
 * Reads the header blocks of a connection. A proxy sends the same block for nearly every call, so a block equal to a
 * recent one is not decoded. This is valid only while the dynamic table is empty, because only then do equal bytes mean
 * equal fields.
 */
export class HeaderBlocks {
  readonly #decoder = new HpackDecoder();
  readonly #judge: HeaderJudge;
  readonly #words = new RecentWords();
  readonly #cache: CachedBlock[] = [];
  #nextCached = 0;

  constructor(judge: HeaderJudge) {
    this.#judge = judge;
  }

  /** The peer acknowledged a table of this size. */
  limitTable(bytes: number): void {
    this.#decoder.limitTable(bytes);
  }

  /** Returns the verdict on a request, or the error that must end the connection. */
  readRequest(block: Uint8Array, start: number, end: number): RequestVerdict | HpackError {
    const length = end - start;
    const isCacheable =
      length >= CACHED_BLOCK_MIN_BYTES && length <= CACHED_BLOCK_MAX_BYTES && this.#decoder.isStateless;
    const tableBytes = this.#decoder.tableBytes;
    if (isCacheable) {
      for (let n = 0; n < this.#cache.length; n++) {
        const cached = this.#cache[n] as CachedBlock;
        if (cached.length !== length || cached.tableBytes !== tableBytes) continue;
        if (isEqual(cached.words, this.#words.of(block), start, length)) return cached.verdict;
      }
    }
    this.#judge.begin(false);
    const error = this.#decoder.decode(block, start, end, this.#judge);
    if (error !== undefined) return error;
    const verdict = this.#judge.verdict();
    // The table is still empty and its size unchanged, so the block will mean the same next time.
    if (isCacheable && this.#decoder.isStateless && this.#decoder.tableBytes === tableBytes) {
      this.#remember(block, start, length, verdict);
    }
    return verdict;
  }

  /** Decodes a block without judging it as a request. */
  skip(block: Uint8Array, start: number, end: number): HpackError | undefined {
    this.#judge.begin(true);
    return this.#decoder.decode(block, start, end, this.#judge);
  }

  /** The error in the trailers that `skip` read. */
  get trailersFault(): string | undefined {
    return this.#judge.trailersFault;
  }

  #remember(block: Uint8Array, start: number, length: number, verdict: RequestVerdict): void {
    const { tableBytes } = this.#decoder;
    let cached = this.#cache[this.#nextCached];
    if (cached === undefined) {
      const bytes = Buffer.allocUnsafeSlow(CACHED_BLOCK_MAX_BYTES);
      cached = { bytes, words: new DataView(bytes.buffer), length, tableBytes, verdict };
      this.#cache.push(cached);
    }
    for (let n = 0; n < length; n++) cached.bytes[n] = block[start + n] as number;
    cached.length = length;
    cached.tableBytes = tableBytes;
    cached.verdict = verdict;
    this.#nextCached = (this.#nextCached + 1) % CACHED_BLOCKS;
  }
}

function isEqual(cached: DataView, block: DataView, start: number, length: number): boolean {
  const last = length - 4;
  for (let n = 0; n < last; n += 4) if (cached.getInt32(n) !== block.getInt32(start + n)) return false;
  return cached.getInt32(last) === block.getInt32(start + last);
}

/** A header block whose END_HEADERS has not arrived. */
export class BlockAssembly {
  #bytes = Buffer.alloc(0);
  id = 0;
  isEndStream = false;
  length = 0;
  sinceMs = 0;

  get isOpen(): boolean {
    return this.id !== 0;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  begin(id: number, isEndStream: boolean, nowMs: number): void {
    this.id = id;
    this.isEndStream = isEndStream;
    this.length = 0;
    this.sinceMs = nowMs;
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    const length = this.length + end - start;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes.subarray(start, end), this.length);
    this.length = length;
  }

  end(): void {
    this.id = 0;
    this.#bytes = Buffer.alloc(0);
  }
}
