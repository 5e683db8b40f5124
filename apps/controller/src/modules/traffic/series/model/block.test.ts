import { describe, expect, it } from 'vitest';
import { type Block, columnOf, createBlock, limitNames, seriesOf, sumUp } from './block.ts';
import { decodeBlock, encodeBlock } from './codec.ts';
import { metricId, SCOPE_IDS } from './columns.ts';
import { IntervalValues } from './interval-values.ts';
import { weigh } from './reading.ts';
import { addToHour, putHour } from './roll-up.ts';
import { addInterval, cut } from './spread.ts';

const OK = metricId('requests_2xx');
const ACTIVE = metricId('connections_active');
const DAYS = metricId('certificate_days');
const { cluster } = SCOPE_IDS;

/** One step of one name. */
function valuesOf(name: string | null, values: Readonly<Record<number, number>>): Block {
  const block = createBlock(1);
  block.coveredMs[0] = 10_000;
  for (const [id, value] of Object.entries(values)) columnOf(seriesOf(block, cluster, name), Number(id), 1)[0] = value;
  return block;
}

function intervalOf(block: Block): IntervalValues {
  const values = new IntervalValues();
  expect(values.read(encodeBlock(block))).toBe(true);
  return values;
}

const read = (block: Block, name: string | null, id: number) => [
  ...(block.series.get(name === null ? `${cluster}` : `${cluster} ${name}`)?.columns.get(id) ?? []),
];

describe('a block', () => {
  it('is the same after it was encoded, with large numbers, long runs of zeros and any name', () => {
    const block = createBlock(60);
    for (const name of [null, 'a', 'ünï "<b>"\u0000', 'x'.repeat(2048), 'c.with.dots']) {
      const series = seriesOf(block, cluster, name);
      columnOf(series, OK, 60).splice(3, 7, 0, 0, 0, 7, 10 ** 13, 127, 128);
      columnOf(series, ACTIVE, 60)[59] = Number.MAX_SAFE_INTEGER;
    }
    block.coveredMs.fill(60_000);
    const bytes = encodeBlock(block);
    expect(decodeBlock(bytes)).toEqual(block);
    expect(bytes.length).toBeLessThan(3000);
    expect([...decodeBlock(bytes, { scope: cluster, name: 'a' }).series.values()].map(({ name }) => name)).toEqual([
      'a',
    ]);
    expect(decodeBlock(bytes, { scope: SCOPE_IDS.server }).series.size).toBe(0);
    expect(decodeBlock(encodeBlock(createBlock(1)))).toEqual(createBlock(1));
  });

  it('refuses bytes that are cut off or of another format', () => {
    const bytes = encodeBlock(valuesOf('a', { [OK]: 1 }));
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => decodeBlock(bytes.subarray(0, length))).toThrow();
    expect(() => decodeBlock(Buffer.of(9, 1, 2))).toThrow('unknown format');
  });

  it('keeps the busiest names and counts the others together', () => {
    const block = createBlock(1);
    for (const [name, count] of [
      ['a', 5],
      ['b', 50],
      ['c', 1],
      ['d', 9],
    ] as const)
      columnOf(seriesOf(block, cluster, name), OK, 1)[0] = count;
    expect(limitNames(block, 2, weigh)).toBe(2);
    expect([...block.series.values()].map(({ name, columns }) => [name, columns.get(OK)?.[0]])).toEqual([
      ['b', 50],
      ['d', 9],
      [null, 6],
    ]);
  });

  it('sums names up: counters are added, and of certificates the first to expire counts', () => {
    const block = valuesOf('a', { [OK]: 1, [DAYS]: 30 });
    seriesOf(block, cluster, 'b').columns.set(OK, [4]).set(DAYS, [7]);
    seriesOf(block, cluster, 'without a certificate').columns.set(OK, [1]);
    const totals = sumUp(block);
    expect([read(totals, null, OK), read(totals, null, DAYS)]).toEqual([[6], [7]]);
  });
});

describe('an interval', () => {
  const grid = { startMs: 0, stepMs: 10_000 };

  it('is cut at the borders of steps, and its parts add up to the whole', () => {
    for (const [fromMs, durationMs, count] of [
      [3_000, 10_000, 7],
      [0, 85_000, 8501],
      [9_999, 20_002, 1],
      [-5_000, 20_000, 101],
    ] as const) {
      const block = createBlock(20);
      addInterval(
        block,
        { startMs: -20_000, stepMs: 10_000 },
        { fromMs, durationMs, values: intervalOf(valuesOf('a', { [OK]: count })) },
      );
      expect(read(block, 'a', OK).reduce((sum, value) => sum + value, 0)).toBe(count);
      expect(block.coveredMs.reduce((sum, value) => sum + value, 0)).toBe(durationMs);
    }
  });

  it('outside of the grid adds nothing, and one at its border adds only its part', () => {
    expect(cut({ fromMs: 20_000, durationMs: 10_000 }, grid, 2)).toEqual([]);
    expect(cut({ fromMs: -10_000, durationMs: 10_000 }, grid, 2)).toEqual([]);
    const block = createBlock(2);
    addInterval(block, grid, {
      fromMs: -90_000,
      durationMs: 100_000,
      values: intervalOf(valuesOf('a', { [OK]: 100 })),
    });
    expect(read(block, 'a', OK)).toEqual([10, 0]);
  });

  it('sets a gauge where it ends, and a gauge that the next interval lacks is zero again', () => {
    const block = createBlock(3);
    const at = (fromMs: number, values: Block) =>
      addInterval(block, grid, { fromMs, durationMs: 10_000, values: intervalOf(values) });
    at(5_000, valuesOf('a', { [ACTIVE]: 4 }));
    expect(read(block, 'a', ACTIVE)).toEqual([4, 4, 0]);
    at(-5_000, valuesOf('a', { [ACTIVE]: 9 }));
    expect(read(block, 'a', ACTIVE)).toEqual([9, 4, 0]);
    at(6_000, valuesOf('b', { [ACTIVE]: 1 }));
    expect(read(block, 'a', ACTIVE)).toEqual([9, 0, 0]);
  });
});

describe('a roll-up', () => {
  it('adds late intervals to an hour, and replaces the hour of a week instead of adding it again', () => {
    const interval = (s: number, count: number) => {
      const values = valuesOf('a', { [OK]: count, [ACTIVE]: count });
      return { fromMs: s * 1000, untilMs: s * 1000 + 10_000, names: encodeBlock(values) };
    };
    const first = addToHour(undefined, 0, [interval(0, 5), interval(1800, 6)]);
    const second = addToHour(first.names, 0, [interval(60, 1)]);
    const hour = decodeBlock(second.names);
    expect([0, 1, 30].map((minute) => read(hour, 'a', OK)[minute])).toEqual([5, 1, 6]);
    let week = putHour(undefined, 3, first.names);
    week = putHour(week.names, 4, first.names);
    week = putHour(week.names, 3, second.names);
    expect(read(decodeBlock(week.names), 'a', OK).slice(2, 6)).toEqual([0, 12, 11, 0]);
    expect(read(decodeBlock(week.totals), null, OK).slice(2, 6)).toEqual([0, 12, 11, 0]);
    expect(read(decodeBlock(week.names), 'a', ACTIVE).slice(2, 6)).toEqual([0, 6, 6, 0]);
  });
});
