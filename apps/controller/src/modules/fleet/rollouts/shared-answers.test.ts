import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedAnswers } from './shared-answers.ts';

/** Work that the test completes. */
function createWork() {
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  const answer = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.push(() => resolve(name)));
  };
  return { begun, answer, end: () => ends.shift()?.() };
}

it('a waiting question is shared, and a running one is not because it may be outdated', async () => {
  const { begun, answer, end } = createWork();
  const answers = new SharedAnswers<string>();
  const first = answers.take('p', 'a', answer('first'));
  await setImmediate();
  const second = answers.take('p', 'a', answer('second'));
  const third = answers.take('p', 'a', answer('third'));
  await setImmediate();
  expect(begun).toEqual(['first']);
  end();
  expect(await first).toBe('first');
  await expect.poll(() => begun).toEqual(['first', 'second']);
  end();
  expect(await Promise.all([second, third])).toEqual(['second', 'second']);
});

it('groups do not wait for each other', async () => {
  const { begun, answer } = createWork();
  const answers = new SharedAnswers<string>();
  void answers.take('p', 'a', answer('p'));
  void answers.take('q', 'a', answer('q'));
  await setImmediate();
  expect(begun).toEqual(['p', 'q']);
});

it('an answer that fails is reported to everybody who shares it, and the next question runs', async () => {
  const answers = new SharedAnswers<string>();
  const failing = answers.take('p', 'a', () => Promise.reject(new Error('no')));
  const shared = answers.take('p', 'a', async () => 'yes');
  expect(shared).toBe(failing);
  await expect(failing).rejects.toThrow('no');
  expect(await answers.take('p', 'a', async () => 'yes')).toBe('yes');
});

it('too many different questions at once are refused', async () => {
  const { answer } = createWork();
  const answers = new SharedAnswers<string>();
  void answers.take('p', 'running', answer('running'));
  await setImmediate();
  for (let n = 0; n < 100; n += 1) void answers.take('p', `${n}`, answer(`${n}`));
  expect(() => answers.take('p', 'another', answer('another'))).toThrow(/Too many|too many/);
  void answers.take('q', 'another', answer('another'));
});
