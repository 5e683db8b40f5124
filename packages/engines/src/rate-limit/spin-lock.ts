/** States of a lock word. Zero is unlocked, so fresh shared memory needs no initialization. */
const FREE = 0;
const HELD = 1;
/** Held, and another thread may be waiting. */
const AWAITED = 2;

/** A critical section takes less than a microsecond; this is several times as long. */
const SPINS = 200;
/** Longer than any pause of a living holder. After this time the holder must be gone. */
const WAIT_MAX_MS = 1000;

/** A thread died inside a critical section. */
export class LockLost extends Error {
  constructor(waitedMs: number) {
    super(`a lock was not released for ${waitedMs} ms`);
    this.name = 'LockLost';
  }
}

/**
 * Takes the lock at `words[at]`, which all threads share. Costs one atomic operation if it is free. Not reentrant;
 * every holder must call `unlock`. Throws `LockLost` instead of waiting forever.
 */
export function lock(words: Int32Array, at: number, waitMaxMs = WAIT_MAX_MS): void {
  if (Atomics.compareExchange(words, at, FREE, HELD) !== FREE) lockContended(words, at, waitMaxMs);
}

export function unlock(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, FREE) === AWAITED) Atomics.notify(words, at, 1);
}

function lockContended(words: Int32Array, at: number, waitMaxMs: number): void {
  for (let n = 0; n < SPINS; n++) {
    if (Atomics.load(words, at) === FREE && Atomics.compareExchange(words, at, FREE, HELD) === FREE) return;
  }
  // A thread that takes the lock here cannot know whether others wait, so it marks the lock as awaited.
  while (Atomics.exchange(words, at, AWAITED) !== FREE) {
    if (Atomics.wait(words, at, AWAITED, waitMaxMs) === 'timed-out') throw new LockLost(waitMaxMs);
  }
}
