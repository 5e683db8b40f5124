import { expect, it } from 'vitest';
import { judgeRules, LEAST_LENGTH, makePassword } from './password-rules.ts';

const kept = (password: string, username = 'anna') =>
  judgeRules(password, username, LEAST_LENGTH).map(({ isKept }) => isKept);

it('an empty password meets no rule', () => {
  expect(kept('')).toEqual([false, false, false]);
});

it('characters are counted as people count them', () => {
  expect(kept('🦊🐼🐨🦁🐸🐙🦉🐝🦄🐢🐬')).toEqual([false, true, true]);
  expect(kept('🦊🐼🐨🦁🐸🐙🦉🐝🦄🐢🐬🦋')).toEqual([true, true, true]);
});

it('the required length of the installation applies, and a letter with its accent counts as one', () => {
  const [length] = judgeRules('e\u0301'.repeat(19), 'anna', 20);
  expect(length).toEqual({ text: 'At least 20 characters', isKept: false });
  expect(judgeRules('e\u0301'.repeat(20), 'anna', 20)[0]?.isKept).toBe(true);
});

it('passwords need different characters, regardless of case', () => {
  expect(kept('aAbBcCdDaAbB')).toEqual([true, false, true]);
});

it('passwords must not contain the user name in any case or backwards, unless it has only one or two letters', () => {
  expect(kept('my-ANNA-is-here', 'Anna')).toEqual([true, true, false]);
  expect(kept('robert-and-treboR', 'trebor')).toEqual([true, true, false]);
  expect(kept('a-long-enough-one', 'a')).toEqual([true, true, true]);
});

it('generated passwords have 144 random bits and meet the rules', () => {
  const made = makePassword(LEAST_LENGTH);
  expect(made).toMatch(/^[A-Za-z0-9_-]{24}$/);
  expect(made).not.toBe(makePassword(LEAST_LENGTH));
  expect(makePassword(LEAST_LENGTH, (bytes) => bytes.fill(255))).toBe('_'.repeat(24));
  for (const length of [25, 63, 64]) expect(makePassword(length).length).toBeGreaterThanOrEqual(length);
});
