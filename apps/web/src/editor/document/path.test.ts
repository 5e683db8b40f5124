import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, parsePath } from './path.ts';

describe('a path', () => {
  it('has the format of the API', () => {
    expect(formatPath(['a', 'b', 0, 'odd key', 'c'])).toBe('a.b[0]["odd key"].c');
    expect(formatPath(['typed_config', '@type'])).toBe('typed_config.@type');
    expect(formatPath([])).toBe('');
  });

  it('is the same after formatting and parsing, with any keys', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.nat(9999), fc.constantFrom('a"b', '[0]', 'a.b', '\\', '@type'))),
        (path) => {
          expect(parsePath(formatPath(path))).toEqual(path);
        },
      ),
    );
  });

  it('ends at its first invalid part', () => {
    expect(parsePath('a.b[x].c')).toEqual(['a', 'b']);
  });
});
