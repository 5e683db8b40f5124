import { describe, expect, it } from 'vitest';
import { getAt, moveItem, removeAt, renameKey, setAt, withKey } from './document.ts';
import type { JsonObject } from './json.ts';

const DOCUMENT: JsonObject = { a: { b: [{ c: 1 }, { c: 2 }] }, other: { kept: true }, z: 0 };

describe('a document', () => {
  it('is read at any path, and only by its own keys', () => {
    expect(getAt(DOCUMENT, ['a', 'b', 1, 'c'])).toBe(2);
    expect(getAt(DOCUMENT, ['a', 'b', 'c'])).toBeUndefined();
    expect(getAt(DOCUMENT, ['toString'])).toBeUndefined();
  });

  it('is changed without touching objects off the path', () => {
    const next = setAt(DOCUMENT, ['a', 'b', 1, 'c'], 3);
    expect(next).toEqual({ a: { b: [{ c: 1 }, { c: 3 }] }, other: { kept: true }, z: 0 });
    expect(getAt(next, ['other'])).toBe(DOCUMENT.other);
    expect(getAt(next, ['a', 'b', 0])).toBe(getAt(DOCUMENT, ['a', 'b', 0]));
    expect(getAt(DOCUMENT, ['a', 'b', 1, 'c'])).toBe(2);
  });

  it('keeps the order of its keys, and gets new ones at the end', () => {
    expect(Object.keys(setAt(DOCUMENT, ['a'], 1) as JsonObject)).toEqual(['a', 'other', 'z']);
    expect(Object.keys(setAt(DOCUMENT, ['new'], 1) as JsonObject)).toEqual(['a', 'other', 'z', 'new']);
  });

  it('stays the same object when nothing changes', () => {
    expect(withKey(DOCUMENT, 'z', 0)).toBe(DOCUMENT);
    expect(removeAt(DOCUMENT, ['none'])).toBe(DOCUMENT);
    expect(removeAt(DOCUMENT, ['a', 'b', 7])).toBe(DOCUMENT);
  });

  it('gets the missing objects and lists on the path', () => {
    expect(setAt({}, ['a', 'b', 0, 'c'], 1)).toEqual({ a: { b: [{ c: 1 }] } });
  });

  it('treats keys of prototypes as ordinary keys', () => {
    const next = setAt({}, ['__proto__'], { x: 1 }) as JsonObject;
    expect(Object.keys(next)).toEqual(['__proto__']);
    expect(getAt(next, ['__proto__', 'x'])).toBe(1);
    expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
  });

  it('loses only the removed key or item', () => {
    expect(removeAt(DOCUMENT, ['a', 'b', 0])).toEqual({ a: { b: [{ c: 2 }] }, other: { kept: true }, z: 0 });
    expect(removeAt(DOCUMENT, ['other'])).toEqual({ a: DOCUMENT.a, z: 0 });
  });

  it('renames a key in its position, but never replaces another', () => {
    expect(JSON.stringify(renameKey({ a: 1, b: 2 }, 'a', 'c'))).toBe('{"c":1,"b":2}');
    const pair = { a: 1, b: 2 };
    expect(renameKey(pair, 'a', 'b')).toBe(pair);
  });

  it('moves an item within its list and not beyond', () => {
    const list = ['a', 'b', 'c'];
    expect(moveItem(list, 0, 2)).toEqual(['b', 'c', 'a']);
    expect(moveItem(list, 2, 1)).toEqual(['a', 'c', 'b']);
    expect(moveItem(list, 0, -1)).toBe(list);
    expect(moveItem(list, 2, 3)).toBe(list);
  });
});
