import { describe, expect, it } from 'vitest';
import { soak } from './testing/soak.ts';

const SECONDS = 60;
/**
 * Possible growth by garbage collection and by the last pages of a filling limiter between two thirds of the run. A
 * busy machine gets in the second third to where others are in the first.
 */
const GROWTH_MAX_MB = 40;

describe('a minute of every kind of traffic at once with continuous policy reloads', () => {
  it('ends every exchange correctly, and memory does not grow', { timeout: 180_000 }, async () => {
    const { rssMb, exchanges, reloads, surprises } = await soak(SECONDS);
    expect(surprises).toEqual([]);
    expect(exchanges).toBeGreaterThan(10_000);
    expect(reloads).toBeGreaterThan(50);
    const third = Math.floor(rssMb.length / 3);
    const middle = median(rssMb.slice(third, 2 * third));
    const last = median(rssMb.slice(2 * third));
    expect(last - middle, `resident memory in MB: ${rssMb.map(Math.round).join(' ')}`).toBeLessThan(GROWTH_MAX_MB);
  });
});

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
}
