import type { Place } from './raw-entry.ts';

interface Slot<T> {
  readonly bytes: Buffer;
  readonly value: T;
}

const SLOTS = 4096;
/** Longer ones are not kept: 16 MiB is enough. */
const LENGTH_MAX = 4096;
const SAMPLES = 24;

/** Keeps what was derived from bytes. A place is found by a few samples of its bytes, and accepted if all are equal. */
export class BytesCache<T> {
  readonly #slots: (Slot<T> | undefined)[] = Array.from({ length: SLOTS });

  find(bytes: Buffer, { start, end }: Place, derive: () => T): T {
    const length = end - start;
    if (length > LENGTH_MAX) return derive();
    const index = hashSamples(bytes, start, end) & (SLOTS - 1);
    const slot = this.#slots[index];
    if (slot?.bytes.length === length && slot.bytes.compare(bytes, start, end) === 0) return slot.value;
    const value = derive();
    this.#slots[index] = { bytes: Buffer.from(bytes.subarray(start, end)), value };
    return value;
  }
}

function hashSamples(bytes: Buffer, start: number, end: number): number {
  const step = Math.max(1, Math.floor((end - start) / SAMPLES));
  let hash = end - start;
  for (let at = end - 1; at >= start; at -= step) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return hash ^ (hash >>> 12);
}
