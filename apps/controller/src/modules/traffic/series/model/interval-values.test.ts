import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, columnOf, createBlock, seriesOf } from './block.ts';
import { decodeBlock, encodeBlock } from './codec.ts';
import { IntervalValues } from './interval-values.ts';

type Listed = readonly (readonly [key: string, scope: number, name: string | null, values: readonly number[][]])[];

function listBlock(block: Block): Listed {
  return [...block.series].map(([key, { scope, name, columns }]) => {
    return [key, scope, name, [...columns].map(([id, [value = 0]]) => [id, value])];
  });
}

function listValues(values: IntervalValues): Listed {
  return Array.from({ length: values.size }, (_, i) => {
    const { key, scope, name } = values.nameAt(i);
    const [from, to] = [values.endAt(i - 1), values.endAt(i)];
    return [key, scope, name, values.ids.slice(from, to).map((id, at) => [id, values.values[from + at] ?? 0])];
  });
}

const series = fc.record({
  scope: fc.integer({ min: 1, max: 5 }),
  name: fc.oneof(fc.constant(null), fc.constantFrom('a', 'ab', 'b', 'ünï'), fc.string({ unit: 'grapheme' })),
  values: fc.array(fc.tuple(fc.integer({ min: 1, max: 131 }), fc.integer({ min: 0, max: 10 ** 13 })), { maxLength: 5 }),
});

function createInterval(all: readonly { scope: number; name: string | null; values: [number, number][] }[]): Block {
  const block = createBlock(1);
  block.coveredMs[0] = 10_000;
  for (const { scope, name, values } of all) {
    const target = seriesOf(block, scope, name);
    for (const [id, value] of values) columnOf(target, id, 1)[0] = value;
  }
  return block;
}

describe('the values of an interval', () => {
  it('are those of its block, whatever was read before', () => {
    const reused = new IntervalValues();
    fc.assert(
      fc.property(fc.array(series, { maxLength: 6 }), fc.constantFrom(undefined, 1, 2), (all, scope) => {
        const bytes = encodeBlock(createInterval(all));
        const wanted = scope === undefined ? {} : { scope };
        expect(reused.read(bytes, wanted)).toBe(true);
        expect(listValues(reused)).toEqual(listBlock(decodeBlock(bytes, wanted)));
      }),
    );
  });

  it('are empty if the bytes are damaged, have more steps, or have an unknown format', () => {
    const values = new IntervalValues();
    const bytes = encodeBlock(createInterval([{ scope: 1, name: 'a', values: [[2, 7]] }]));
    for (const damaged of [
      ...Array.from(bytes, (_, length) => bytes.subarray(0, length)),
      encodeBlock(createBlock(60)),
      Buffer.of(9, 1, 2),
    ]) {
      expect(values.read(bytes)).toBe(true);
      expect(values.read(damaged)).toBe(false);
      expect(values.size).toBe(0);
    }
  });

  it('are read by scope and name', () => {
    const values = new IntervalValues();
    const names = ['a', 'b', 'c'].map((name, i): Parameters<typeof createInterval>[0][number] => {
      return { scope: 1, name, values: [[2, i + 1]] };
    });
    expect(values.read(encodeBlock(createInterval(names)), { scope: 1, name: 'b' })).toBe(true);
    expect(listValues(values)).toEqual([['1 b', 1, 'b', [[2, 2]]]]);
  });
});
