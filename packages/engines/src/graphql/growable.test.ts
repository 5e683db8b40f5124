import { expect, it } from 'vitest';
import { DocumentSource } from './document/document-source.ts';
import { IntList } from './growable.ts';

function push(list: IntList, value: number): void {
  const at = list.extend(1);
  list.values[at] = value;
}

it('a list keeps its content while it grows, and releases its memory', () => {
  const list = new IntList(4);
  for (let i = 0; i < 1_000_000; i++) push(list, i);
  expect([list.length, list.values[0], list.values[4], list.values[999_999]]).toEqual([1_000_000, 0, 4, 999_999]);
  list.clear();
  expect(list.length).toBe(0);
  expect(list.values.length).toBeLessThanOrEqual(1 << 18);
});

it('lists are equal if they have the same content', () => {
  const [a, b] = [new IntList(1), new IntList(1)];
  for (const value of [3, 5]) push(a, value);
  expect(a.equals(b)).toBe(false);
  b.copyFrom(a);
  expect(a.equals(b)).toBe(true);
  b.values[1] = 6;
  expect(a.equals(b)).toBe(false);
});

it('a source releases the memory of a large document, and ends every text with zeros', () => {
  const source = new DocumentSource();
  source.setBytes(Buffer.alloc(10_000_000, 'x'));
  source.release();
  expect(source.bytes.length).toBeLessThan(2_000_000);
  source.setBytes(Buffer.from('xxxxxxxxxx'));
  source.setBytes(Buffer.from('{a}\xff', 'latin1'));
  expect([...source.bytes.subarray(0, 6)]).toEqual([123, 97, 125, 254, 0, 0]);
});
