import { describe, expect, it } from 'vitest';
import { Notes } from './notes.fixture.ts';
import { createSamples } from './sample-runtime.ts';
import { warmUp } from './warm-up.ts';

describe('the warm-up', () => {
  it('runs every kind of request through the wire and the engines repeatedly', async () => {
    const notes = new Notes();
    const rounds = await warmUp({ listener: notes });
    expect(rounds).toBeGreaterThan(0);
    const samples = createSamples(Date.now());
    expect(notes.decided).toBe(4 * rounds * samples.length);
    expect(notes.reasons).toEqual(new Set(['apikey.unknown', 'jwt.invalid', 'graphql.depth']));
    expect(notes.errors).toBe(0);
  });
});
