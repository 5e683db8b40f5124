import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState, type KeptState } from './state-file.ts';

const bucket = fc.record({
  digest: fc.option(
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
    { nil: undefined },
  ),
  tokens: fc.double({ noNaN: true, min: 0, max: 1e6 }),
  ageMs: fc.double({ noNaN: true, min: 0, max: 1e9 }),
});
const state: fc.Arbitrary<KeptState> = fc.record({
  savedAtMs: fc.integer({ min: 0, max: 2e12 }),
  limiters: fc.array(
    fc.record({ carryKeys: fc.array(fc.string(), { maxLength: 3 }), buckets: fc.array(bucket, { maxLength: 5 }) }),
    { maxLength: 4 },
  ),
});

describe('the state file', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(state, (kept) => {
        expect(decodeState(encodeState(kept))).toEqual(kept);
      }),
    );
  });

  it('is refused when any byte of it is changed, cut off or added', () => {
    fc.assert(
      fc.property(state, fc.nat(), fc.integer({ min: 1, max: 255 }), (kept, place, change) => {
        const file = encodeState(kept);
        const at = place % file.length;
        expect(typeof decodeState(file.subarray(0, at))).toBe('string');
        expect(typeof decodeState(Buffer.concat([file, Buffer.alloc(1 + (place % 60))]))).toBe('string');
        file[at] = (file[at] ?? 0) ^ change;
        expect(typeof decodeState(file)).toBe('string');
      }),
    );
  });

  it('is refused, without a throw, when it is something else', () => {
    const files = [Buffer.alloc(0), Buffer.from('flotlim1'), Buffer.alloc(100), Buffer.from('{}'), randomBytes(5000)];
    for (const file of files) expect(typeof decodeState(file)).toBe('string');
  });
});
