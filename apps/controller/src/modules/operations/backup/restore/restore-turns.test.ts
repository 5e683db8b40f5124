import { expect, it } from 'vitest';
import { RestoreTurns } from './restore-turns.ts';

const neverAborted = () => new AbortController().signal;

it('restore turns are given to one caller at a time, in order of arrival', async () => {
  const turns = new RestoreTurns();
  expect(await turns.acquire(neverAborted(), 'a')).toBe(true);
  const begun: string[] = [];
  const waiting = [
    turns.acquire(neverAborted(), 'b'),
    turns.acquire(neverAborted()),
    turns.acquire(neverAborted(), 'a'),
  ];
  waiting.forEach((one, i) => void one.then(() => begun.push(['b', 'a job', 'a'][i] ?? '')));
  for (const one of waiting) {
    turns.release();
    expect(await one).toBe(true);
  }
  expect(begun).toEqual(['b', 'a job', 'a']);
  turns.release();
  expect(await turns.acquire(neverAborted(), 'a')).toBe(true);
});

it('the third waiting request of a project is refused, but not requests of other projects or jobs', async () => {
  const turns = new RestoreTurns();
  await turns.acquire(neverAborted(), 'a');
  const waiting = [turns.acquire(neverAborted(), 'a'), turns.acquire(neverAborted(), 'a')];
  expect(await turns.acquire(neverAborted(), 'a')).toBe(false);
  const others = [
    turns.acquire(neverAborted(), 'b'),
    ...Array.from({ length: 20 }, () => turns.acquire(neverAborted())),
  ];
  for (const one of [...waiting, ...others]) {
    turns.release();
    expect(await one).toBe(true);
  }
});

it('a caller that stops waiting gets no turn, and its turn goes to the next caller', async () => {
  const turns = new RestoreTurns();
  await turns.acquire(neverAborted(), 'a');
  const impatient = new AbortController();
  const gone = [turns.acquire(impatient.signal, 'a'), turns.acquire(impatient.signal, 'a')];
  impatient.abort();
  expect(await Promise.all(gone)).toEqual([false, false]);
  const patient = turns.acquire(neverAborted(), 'a');
  turns.release();
  expect(await patient).toBe(true);
  turns.release();
  expect(await turns.acquire(neverAborted(), 'b')).toBe(true);
  expect(await turns.acquire(AbortSignal.abort())).toBe(false);
});
