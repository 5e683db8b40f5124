import { describe, expect, it } from 'vitest';
import { Suspects } from './suspects.ts';

describe('suspects', () => {
  it('blame a batch that was alone in the thread at its second end', () => {
    const suspects = new Suspects();
    expect(suspects.noteEnd(['a', 'b', 'c'])).toBeUndefined();
    expect(suspects.noteEnd(['b'])).toBeUndefined();
    expect(suspects.noteEnd(['b'])).toBe('b');
    expect(['a', 'b', 'c'].map((batch) => suspects.has(batch))).toEqual([true, false, true]);
  });

  it('do not blame batches that were in company, however often', () => {
    const suspects = new Suspects();
    for (let end = 0; end < 20; end += 1) expect(suspects.noteEnd(['a', 'b'])).toBeUndefined();
  });

  it('forget a batch that the thread has survived', () => {
    const suspects = new Suspects();
    suspects.noteEnd(['a']);
    suspects.acquit('a');
    expect(suspects.has('a')).toBe(false);
    expect(suspects.noteEnd(['a'])).toBeUndefined();
  });

  it('have a bound', () => {
    const suspects = new Suspects();
    suspects.noteEnd(Array.from({ length: 5000 }, (_, index) => String(index)));
    expect(suspects.has('0')).toBe(false);
    expect(suspects.has('4999')).toBe(true);
    expect(suspects.has('3999')).toBe(false);
  });

  it('have their turns one after the other, also after one that fails', async () => {
    const suspects = new Suspects();
    const log: string[] = [];
    const turn = (name: string) =>
      suspects.takeTurn(async () => {
        log.push(`${name} begins`);
        await Promise.resolve();
        log.push(`${name} ends`);
        if (name === 'a') throw new Error(name);
      });
    const turns = [turn('a'), turn('b')];
    expect(suspects.areWaiting).toBe(true);
    const outcomes = await Promise.allSettled(turns);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(suspects.areWaiting).toBe(false);
  });
});
