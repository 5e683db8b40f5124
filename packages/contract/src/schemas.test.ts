import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { repeatable } from './schemas.ts';

describe('a repeatable parameter', () => {
  const schema = repeatable(z.enum(['open', 'used']));

  it('parses to a list of its values', () => {
    expect(schema.parse('open')).toEqual(['open']);
    expect(schema.parse(['used', 'open'])).toEqual(['used', 'open']);
    expect(schema.safeParse(['open', 'gone']).success).toBe(false);
  });

  it('drops duplicates, so that a thousand copies of a value cost no extra database work', () => {
    expect(schema.parse(Array.from({ length: 1200 }, (_, n) => (n % 2 ? 'open' : 'used')))).toEqual(['used', 'open']);
  });
});
