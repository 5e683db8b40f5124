import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

const whenever = () => new AbortController().signal;

it('turns go to a fixed number of callers at once, then to waiting ones in order', async () => {
  const turns = new Turns({ atOnce: 2, waiting: 2 });
  expect([await turns.take(whenever()), await turns.take(whenever())]).toEqual([true, true]);
  const begun: string[] = [];
  const waiting = ['first', 'second'].map(async (name) => {
    if (await turns.take(whenever())) begun.push(name);
  });
  expect(await turns.take(whenever())).toBe(false);
  expect(begun).toEqual([]);
  turns.give();
  await waiting[0];
  expect(begun).toEqual(['first']);
  turns.give();
  await waiting[1];
  expect(begun).toEqual(['first', 'second']);
});

it('a caller whose wait is aborted gets no turn, and no turn is lost', async () => {
  const turns = new Turns({ atOnce: 1, waiting: 2 });
  await turns.take(whenever());
  const impatient = new AbortController();
  const [gone, patient] = [turns.take(impatient.signal), turns.take(whenever())];
  impatient.abort();
  expect(await gone).toBe(false);
  turns.give();
  expect(await patient).toBe(true);
  turns.give();
  expect(await turns.take(whenever())).toBe(true);
  expect(await turns.take(AbortSignal.abort())).toBe(false);
});

it('a turn is returned whether the work succeeds or fails, and without a limit all callers wait', async () => {
  const turns = new Turns({ atOnce: 2 });
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await Promise.resolve();
    inside -= 1;
    throw new Error('failed');
  };
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => turns.run(work)));
  expect(all.every((one) => one.status === 'rejected')).toBe(true);
  expect(most).toBe(2);
  expect(await turns.run(async () => 'done')).toBe('done');
});

it('work is refused when the queue is full', async () => {
  const turns = new Turns({ atOnce: 1, waiting: 0 });
  await turns.take(whenever());
  await expect(turns.run(async () => 'done')).rejects.toThrow('too many wait for a turn');
});
