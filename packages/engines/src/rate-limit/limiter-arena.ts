import { randomInt } from 'node:crypto';
import { BucketHeap } from './bucket-heap.ts';
import { KeyReader } from './key-reader.ts';
import { KeyTable } from './key-table.ts';
import { REGION_WORDS_PER_SLOT, TABLE_AT_SLOTS } from './region-layout.ts';
import { lock, unlock } from './spin-lock.ts';

/** Address space, not memory: pages are allocated when they are first written. */
const ARENA_BYTES = 2 ** 31;
const ARENA_MIN_BYTES = 2 ** 24;
/** Share that large regions may not use, so that every limiter of every later bundle finds space. */
const RESERVE_SHARE = 1 / 8;

const RELEASED_AT_ONCE = 256;

/** Words of the arena's head. Offsets in this file count 4-byte words from the beginning. */
const LOCK = 0;
const NEXT_FREE = 1;
const FREE_RECORD = 2;
const FREE_HEADER = 3;
const KEY_0 = 4;
const KEY_1 = 5;
/** 1 once another thread may use the arena. */
const SHARED = 6;
/** Lists of free regions, one per size. */
const FREE_REGION = 8;
const HEAD_WORDS = 24;

/** A limiter as known to all threads, identified by its offset. */
export const RECORD_REFS = 0;
/** Offset of its shards; 0 before its first request. */
export const RECORD_SHARDS = 1;
/** Requests that found no space in the arena. */
export const RECORD_UNSTORED = 2;
/** 1 while it may contain buckets from an earlier process whose keys have not been seen. */
export const RECORD_RESTORED = 3;
/** Float64 at half the offset: when the last of those is full again, in monotonic ms. */
export const RECORD_RESTORED_UNTIL = 4;
const RECORD_WORDS = 8;

export const SHARD_WORDS = 8;
/** Words of a shard. */
export const SHARD_LOCK = 0;
export const SHARD_SIZE = 1;
/** Offset of its region and number of buckets in it; 0 before its first key. */
export const SHARD_REGION = 2;
export const SHARD_SLOTS = 3;
export const SHARD_UNSTORED = 4;

/** The shards of a limiter, and one for requests without a key. */
const HEADER_WORDS = 65 * SHARD_WORDS;

/** A region holds 4, 16, 64 ... 16,384 buckets, so a limiter with few clients costs almost nothing. */
export const REGION_MIN_SLOTS = 4;
export const REGION_GROWTH = 4;

/**
 * The memory of all limiters, shared by the threads of one process. A limiter has a record, an array of shards after
 * its first request, and a region for each shard that contains a key. Regions that were outgrown, and all memory of a
 * limiter that no thread uses any more, are reused; nothing is returned to the system. When the arena is full, shards
 * stop growing and saturate earlier.
 */
export class LimiterArena {
  readonly #buffer: SharedArrayBuffer;
  /** Whether shards need their locks: in a single thread, taking a token costs a third less without. */
  #isShared: boolean;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly keys: KeyReader;
  readonly table: KeyTable;
  readonly heap: BucketHeap;
  readonly #unreferenced: FinalizationRegistry<number>;
  /** Records that a holder in this thread no longer uses. */
  readonly #left: number[] = [];

  /** Creates an arena, or opens one that another thread has created. */
  constructor(buffer: SharedArrayBuffer = createArenaBuffer(ARENA_BYTES)) {
    this.#buffer = buffer;
    this.words = new Int32Array(buffer);
    this.#isShared = this.words[SHARED] !== 0;
    this.doubles = new Float64Array(buffer);
    this.keys = new KeyReader(this.words[KEY_0] ?? 0, this.words[KEY_1] ?? 0);
    this.table = new KeyTable(this.words, this.keys);
    this.heap = new BucketHeap(this.words, this.doubles);
    this.#unreferenced = new FinalizationRegistry((record) => {
      // A bundle may release thousands of limiters at once; requests are answered in between.
      if (this.#left.push(record) === 1) setImmediate(() => this.#releaseSome());
    });
  }

  /** The buffer with which another thread opens the arena. */
  share(): SharedArrayBuffer {
    this.words[SHARED] = 1;
    this.#isShared = true;
    return this.#buffer;
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  /** A record for a new limiter, without holders. Throws if the arena is full, which takes millions of limiters. */
  addLimiter(): number {
    const record = this.#locked(() => this.#take(FREE_RECORD, RECORD_WORDS));
    if (record === 0) throw new Error('there is no memory left for another limiter');
    return record;
  }

  /** Counts `holder` as a user of the limiter until it is garbage-collected. */
  hold(record: number, holder: object): void {
    Atomics.add(this.words, record + RECORD_REFS, 1);
    this.#unreferenced.register(holder, record);
  }

  /** The shards of a limiter, created at its first request; 0 if the arena is full. */
  openShards(record: number): number {
    return this.#locked(() => {
      const { words } = this;
      let shards = words[record + RECORD_SHARDS] ?? 0;
      if (shards === 0) {
        shards = this.#take(FREE_HEADER, HEADER_WORDS);
        words[record + RECORD_SHARDS] = shards;
      }
      return shards;
    });
  }

  /** A region with an empty table; 0 if the arena is full. */
  takeRegion(slots: number): number {
    lock(this.words, LOCK);
    try {
      const reserve = slots === REGION_MIN_SLOTS ? 0 : this.words.length * RESERVE_SHARE;
      return this.#take(freeListOf(slots), slots * REGION_WORDS_PER_SLOT, slots * TABLE_AT_SLOTS, reserve);
    } finally {
      unlock(this.words, LOCK);
    }
  }

  giveRegion(region: number, slots: number): void {
    lock(this.words, LOCK);
    this.#give(freeListOf(slots), region);
    unlock(this.words, LOCK);
  }

  /** Bytes that were ever allocated. */
  get usedBytes(): number {
    return 4 * (this.words[NEXT_FREE] ?? 0);
  }

  #locked(work: () => number): number {
    lock(this.words, LOCK);
    try {
      return work();
    } finally {
      unlock(this.words, LOCK);
    }
  }

  /**
   * Allocates from a free list and clears the words from `dirtyFrom` on, otherwise from memory that was never used and
   * is zero. 0: none is left.
   */
  #take(freeList: number, size: number, dirtyFrom = 0, reserve = 0): number {
    const { words } = this;
    const reused = words[freeList] ?? 0;
    if (reused !== 0) {
      words[freeList] = words[reused] ?? 0;
      words.fill(0, reused + dirtyFrom, reused + size);
      return reused;
    }
    const fresh = words[NEXT_FREE] ?? 0;
    if (fresh + size + reserve > words.length) return 0;
    words[NEXT_FREE] = fresh + size;
    return fresh;
  }

  #give(freeList: number, offset: number): void {
    this.words[offset] = this.words[freeList] ?? 0;
    this.words[freeList] = offset;
  }

  #releaseSome(): void {
    for (let n = 0; n < RELEASED_AT_ONCE; n++) {
      const record = this.#left.pop();
      if (record === undefined) return;
      this.#release(record);
    }
    if (this.#left.length > 0) setImmediate(() => this.#releaseSome());
  }

  #release(record: number): void {
    const { words } = this;
    if (Atomics.sub(words, record + RECORD_REFS, 1) !== 1) return;
    lock(words, LOCK);
    const shards = words[record + RECORD_SHARDS] ?? 0;
    if (shards !== 0) {
      for (let shard = shards; shard < shards + HEADER_WORDS; shard += SHARD_WORDS) {
        const region = words[shard + SHARD_REGION] ?? 0;
        if (region !== 0) this.#give(freeListOf(words[shard + SHARD_SLOTS] ?? 0), region);
      }
      this.#give(FREE_HEADER, shards);
    }
    this.#give(FREE_RECORD, record);
    unlock(words, LOCK);
  }
}

function freeListOf(slots: number): number {
  // Maps 4, 16, 64 ... to 0, 1, 2 ...
  return FREE_REGION + ((29 - Math.clz32(slots)) >> 1);
}

/** Reserves `bytes` of address space, or as much as the system allows. */
export function createArenaBuffer(bytes: number): SharedArrayBuffer {
  for (let size = bytes; ; size /= 2) {
    try {
      const buffer = new SharedArrayBuffer(size);
      const words = new Int32Array(buffer);
      words[NEXT_FREE] = HEAD_WORDS;
      words[KEY_0] = randomInt(2 ** 32);
      words[KEY_1] = randomInt(2 ** 32);
      return buffer;
    } catch (error) {
      if (size <= ARENA_MIN_BYTES) throw error;
    }
  }
}
