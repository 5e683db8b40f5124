import { expect, it } from 'vitest';
import { RestoreTurns } from './restore-turns.ts';

const whenever = () => new AbortController().signal;

it('go to one at a time, in the order in which they came', async () => {
  const turns = new RestoreTurns();
  expect(await turns.take(whenever(), 'a')).toBe(true);
  const begun: string[] = [];
  const waiting = [turns.take(whenever(), 'b'), turns.take(whenever()), turns.take(whenever(), 'a')];
  waiting.forEach((one, i) => void one.then(() => begun.push(['b', 'a job', 'a'][i] ?? '')));
  for (const one of waiting) {
    turns.give();
    expect(await one).toBe(true);
  }
  expect(begun).toEqual(['b', 'a job', 'a']);
  turns.give();
  expect(await turns.take(whenever(), 'a')).toBe(true);
});

it('two requests of a project wait: a third is told so, those of others and jobs are not', async () => {
  const turns = new RestoreTurns();
  await turns.take(whenever(), 'a');
  const waiting = [turns.take(whenever(), 'a'), turns.take(whenever(), 'a')];
  expect(await turns.take(whenever(), 'a')).toBe(false);
  const others = [turns.take(whenever(), 'b'), ...Array.from({ length: 20 }, () => turns.take(whenever()))];
  for (const one of [...waiting, ...others]) {
    turns.give();
    expect(await one).toBe(true);
  }
});

it('are not given to who has waited long enough, and none is lost by that', async () => {
  const turns = new RestoreTurns();
  await turns.take(whenever(), 'a');
  const impatient = new AbortController();
  const gone = [turns.take(impatient.signal, 'a'), turns.take(impatient.signal, 'a')];
  impatient.abort();
  expect(await Promise.all(gone)).toEqual([false, false]);
  const patient = turns.take(whenever(), 'a');
  turns.give();
  expect(await patient).toBe(true);
  turns.give();
  expect(await turns.take(whenever(), 'b')).toBe(true);
  expect(await turns.take(AbortSignal.abort())).toBe(false);
});
