import { expect, it } from 'vitest';
import { Batches } from './batches.ts';

function record(options: { max?: number; atOnce?: number } = {}) {
  const runs: number[][] = [];
  const gates: Array<PromiseWithResolvers<void>> = [];
  const batches = new Batches<number, string>({
    max: options.max ?? 100,
    ...(options.atOnce !== undefined && { atOnce: options.atOnce }),
    run: async (items) => {
      runs.push([...items]);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return items.map((item) => `result ${item}`);
    },
  });
  return { runs, gates, batches };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('batches run what was added in one turn together, and what was added during the run after it', async () => {
  const { runs, gates, batches } = record();
  const first = [batches.add(1), batches.add(2)];
  await nextTurn();
  const later = [batches.add(3), batches.add(4), batches.add(5)];
  await nextTurn();
  expect(runs).toEqual([[1, 2]]);
  gates[0]?.resolve();
  expect(await Promise.all(first)).toEqual(['result 1', 'result 2']);
  await nextTurn();
  expect(runs).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  gates[1]?.resolve();
  expect(await Promise.all(later)).toEqual(['result 3', 'result 4', 'result 5']);
});

it('batches never run more items or more runs at once than their limits', async () => {
  const { runs, gates, batches } = record({ max: 2, atOnce: 2 });
  const all = [1, 2, 3, 4, 5].map((item) => batches.add(item));
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(runs).toEqual([
    [1, 2],
    [3, 4],
  ]);
  gates[1]?.resolve();
  await all[3];
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(runs.at(-1)).toEqual([5]);
  for (const gate of gates) gate.resolve();
  await Promise.all(all);
});

it('a piece that fails does not fail the others of its batch if the error may be its own', async () => {
  const batches = new Batches<number, number>({
    max: 100,
    isOfOneItem: (error) => error instanceof RangeError,
    run: async (items) => {
      if (items.includes(3)) throw new RangeError('three');
      return items;
    },
  });
  const ended = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => batches.add(item)));
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});

it('an error of the whole batch reaches every caller after one run, and the next batch runs again', async () => {
  let runs = 0;
  const batches = new Batches<number, number>({
    max: 100,
    isOfOneItem: () => false,
    run: async (items) => {
      runs += 1;
      if (runs === 1) throw new Error('no database');
      return items;
    },
  });
  const ended = await Promise.allSettled([batches.add(1), batches.add(2)]);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(runs).toBe(1);
  expect(await batches.add(3)).toBe(3);
});

it('a batch with a wrong number of results rejects instead of mixing up its callers', async () => {
  const batches = new Batches<number, number>({ max: 100, run: async (items) => items.slice(1) });
  await expect(Promise.all([batches.add(1), batches.add(2)])).rejects.toThrow('returned 1 results');
});

it('a piece that waits holds up neither the next batch nor the others of its own, and fails alone', async () => {
  const gate = Promise.withResolvers<number>();
  const batches = new Batches<number, number>({
    max: 100,
    run: async (items) => items.map((item) => (item === 1 ? gate.promise : item)),
  });
  const waiting = batches.add(1);
  expect(await batches.add(2)).toBe(2);
  expect(await batches.add(3)).toBe(3);
  gate.reject(new Error('locked'));
  await expect(waiting).rejects.toThrow('locked');
});
