import { randomInt } from 'node:crypto';
import type { Budget } from '../../budget.ts';

/** Random per process, so that nobody can prepare names that collide in a hash table. */
const HASH_SEED = randomInt(2 ** 31);
const HASH_FACTOR = randomInt(2 ** 31) | 1;

const PIECE_MASK = 0xfff;

/** A 32-bit hash of the name in `bytes[start..end)`. */
export function hashName(bytes: Uint8Array, start: number, end: number, budget: Budget): number {
  let hash = HASH_SEED;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ (bytes[at] as number), HASH_FACTOR);
    hash ^= hash >>> 15;
    if ((at & PIECE_MASK) === 0) budget.check();
  }
  return hash;
}
