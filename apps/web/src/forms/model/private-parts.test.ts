import { describe, expect, it } from 'vitest';
import { PrivatePlaces } from './private-parts.ts';

const part = (path: string, set = true) => ({ path, set, updated_at: '2026-11-01T10:00:00.000Z' });

describe('a stored private value', () => {
  const places = new PrivatePlaces([part('tls.certs[1].key'), part('gone', false)]);

  it('is found by its path', () => {
    expect(places.at('tls.certs[1].key')).toBeDefined();
    expect(places.at('tls.certs[0].key')).toBeUndefined();
    expect(places.at('gone')).toBeUndefined();
  });

  it('fixes the positions of list items up to its own', () => {
    expect(places.isTied('tls.certs')).toBe(true);
    expect(places.isTied('tls.certs', 1)).toBe(true);
    expect(places.isTied('tls.certs', 2)).toBe(false);
    expect(places.isTied('tls')).toBe(false);
    expect(places.isTied('other')).toBe(false);
  });
});
