import { describe, expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';

describe('merge patch', () => {
  // RFC 7396 appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('turns %j with %j into %j', (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  it('sets own members of the object only', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":1},"constructor":{"x":1}}'));
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.hasOwn(merged as object, 'constructor')).toBe(true);
  });
});
