import { expect, it } from 'vitest';
import { CoalescedWork } from './coalesced-work.ts';

/** Work of which each run ends when the test calls its entry in `ends`. */
function createWork() {
  const ends: (() => void)[] = [];
  const work = new CoalescedWork(() => new Promise((resolve) => ends.push(resolve)));
  return { work, ends };
}

it('work begins at once, and runs once more for all requests that came while it ran', async () => {
  const { work, ends } = createWork();
  work.request();
  expect(ends).toHaveLength(1);
  work.request();
  work.request();
  expect(ends).toHaveLength(1);
  const settled = work.settle();
  ends[0]?.();
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  await settled;
  expect(ends).toHaveLength(2);
});

it('work is idle after its last run, and begins again on the next request', async () => {
  const { work, ends } = createWork();
  await work.settle();
  for (const count of [1, 2]) {
    work.request();
    expect(ends).toHaveLength(count);
    ends[count - 1]?.();
    await work.settle();
  }
});

it('work may request another run of itself', async () => {
  let runs = 0;
  const work: CoalescedWork = new CoalescedWork(async () => {
    await Promise.resolve();
    runs += 1;
    if (runs < 3) work.request();
  });
  work.request();
  await work.settle();
  expect(runs).toBe(3);
});

it('work that requests another run before its first await still runs one at a time', async () => {
  const runs: string[] = [];
  const work: CoalescedWork = new CoalescedWork(async () => {
    runs.push('begins');
    if (runs.length === 1) work.request();
    await Promise.resolve();
    runs.push('ends');
  });
  work.request();
  await work.settle();
  expect(runs).toEqual(['begins', 'ends', 'begins', 'ends']);
});
