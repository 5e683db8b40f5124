import { describe, expect, it } from 'vitest';
import { formatPath, isWithin, joinPath, listAncestors, movePath, parsePath } from './path.ts';

describe('a path', () => {
  it.each([
    ['', []],
    ['a.b[0].c', ['a', 'b', 0, 'c']],
    ['a.b[0]["odd key"].c', ['a', 'b', 0, 'odd key', 'c']],
    ['typed_config.@type', ['typed_config', '@type']],
    ['m["a\\"b]"]', ['m', 'a"b]']],
    ['[2].x', [2, 'x']],
  ])('%j stays the same when it is parsed and formatted', (text, keys) => {
    expect(parsePath(text)).toEqual(keys);
    expect(formatPath(keys)).toBe(text);
  });

  it('is parsed up to its first error', () => {
    expect(parsePath('a.b[oops].c')).toEqual(['a', 'b']);
  });

  it('has quotes around keys that are not plain names', () => {
    expect(joinPath('m', 'envoy.lb')).toBe('m["envoy.lb"]');
    expect(joinPath('', 'a b')).toBe('["a b"]');
    expect(joinPath('m', '')).toBe('m[""]');
  });

  it('contains its children, but no path that merely begins with the same characters', () => {
    expect(isWithin('a.b', 'a')).toBe(true);
    expect(isWithin('a[0]', 'a')).toBe(true);
    expect(isWithin('a', 'a')).toBe(true);
    expect(isWithin('ab', 'a')).toBe(false);
    expect(isWithin('anything', '')).toBe(true);
  });

  it('has every step from the root as an ancestor', () => {
    expect(listAncestors('a.b[0]')).toEqual(['', 'a', 'a.b', 'a.b[0]']);
  });

  it('moves to another prefix', () => {
    expect(movePath('l[1].x', 'l[1]', 'l[0]')).toBe('l[0].x');
    expect(movePath('l[10].x', 'l[1]', 'l[0]')).toBeUndefined();
  });
});
