import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { repeatable } from './schemas.ts';

describe('a parameter that may stand several times', () => {
  const schema = repeatable(z.enum(['open', 'used']));

  it('is a list of its values', () => {
    expect(schema.parse('open')).toEqual(['open']);
    expect(schema.parse(['used', 'open'])).toEqual(['used', 'open']);
    expect(schema.safeParse(['open', 'gone']).success).toBe(false);
  });

  it('has each value once: a question of the database for each of a thousand is work for nothing', () => {
    expect(schema.parse(Array.from({ length: 1200 }, (_, n) => (n % 2 ? 'open' : 'used')))).toEqual(['used', 'open']);
  });
});
