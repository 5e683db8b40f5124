import { describe, expect, it } from 'vitest';
import { soak } from './testing/soak.ts';

const SECONDS = 60;
/**
 * What collections of garbage and the last pages of a filling limiter may add between two thirds of the run. A machine that
 * is busy with other work reaches in the second third what others do in the first.
 */
const GROWTH_MAX_MB = 40;

describe('a minute of every kind of traffic at once, the policy reloaded all the time', () => {
  it('ends every exchange as it should, and memory stays where it was', { timeout: 180_000 }, async () => {
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
