import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

const whenever = () => new AbortController().signal;

it('go to so many at once, then to those who wait, in their order', async () => {
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

it('are not given to who has waited long enough, and none is lost by that', async () => {
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
