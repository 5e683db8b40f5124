import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BucketPages, type KeptBucket } from './bucket-pages.ts';
import { decodeState, encodeState, type KeptState } from './state-file.ts';

const bucket = fc.record({
  digest: fc.option(
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
    { nil: undefined },
  ),
  tokens: fc.double({ noNaN: true, min: 0, max: 1e6 }),
  ageMs: fc.double({ noNaN: true, min: 0, max: 1e9 }),
});
const toPages = (buckets: readonly KeptBucket[]) => {
  const pages = new BucketPages();
  for (const one of buckets) pages.add(one);
  return pages;
};
/** Converts for comparison. */
const toPlain = (kept: KeptState | string) =>
  typeof kept === 'string'
    ? kept
    : { ...kept, limiters: kept.limiters.map((one) => ({ ...one, buckets: [...one.buckets] })) };
const encode = async (kept: KeptState) => Buffer.concat(await encodeState(kept));
const state: fc.Arbitrary<KeptState> = fc.record({
  savedAtMs: fc.integer({ min: 0, max: 2e12 }),
  limiters: fc.array(
    fc.record({
      carryKeys: fc.array(fc.string(), { maxLength: 3 }),
      buckets: fc.array(bucket, { maxLength: 50 }).map(toPages),
    }),
    { maxLength: 4 },
  ),
});

describe('the state file', () => {
  it('returns what was stored', async () => {
    await fc.assert(
      fc.asyncProperty(state, async (kept) => {
        expect(toPlain(decodeState(await encode(kept)))).toEqual(toPlain(kept));
      }),
    );
  });

  it('is rejected if any byte is changed, removed or added', async () => {
    await fc.assert(
      fc.asyncProperty(state, fc.nat(), fc.integer({ min: 1, max: 255 }), async (kept, place, change) => {
        const file = await encode(kept);
        const at = place % file.length;
        expect(typeof decodeState(file.subarray(0, at))).toBe('string');
        expect(typeof decodeState(Buffer.concat([file, Buffer.alloc(1 + (place % 60))]))).toBe('string');
        file[at] = (file[at] ?? 0) ^ change;
        expect(typeof decodeState(file)).toBe('string');
      }),
    );
  });

  it('is rejected without an exception if it is another file', () => {
    const files = [Buffer.alloc(0), Buffer.from('flotlim1'), Buffer.alloc(100), Buffer.from('{}'), randomBytes(5000)];
    for (const file of files) expect(typeof decodeState(file)).toBe('string');
  });
});
