import { KEY_WORDS } from './key-reader.ts';

/*
 * Layout of a region of `slots` buckets, in 4-byte words:
 * - the buckets, a cache line each: the key, then two Float64;
 * - the moments of the heap, Float64;
 * - the slots of the heap;
 * - the table, two entries per slot: hash, slot + 1 (0: empty).
 */
export const BUCKET_WORDS = 16;
export const BUCKET_DOUBLES = BUCKET_WORDS / 2;
/** Offsets within a bucket, in doubles. */
export const TOKENS = KEY_WORDS / 2;
/** When the tokens were counted, in ms of the monotonic clock. */
export const SEEN_AT = TOKENS + 1;

/** Offset of each part, per slot. */
export const MOMENTS_AT_SLOTS = BUCKET_WORDS;
export const HEAP_AT_SLOTS = MOMENTS_AT_SLOTS + 2;
export const TABLE_AT_SLOTS = HEAP_AT_SLOTS + 1;
export const REGION_WORDS_PER_SLOT = TABLE_AT_SLOTS + 4;
