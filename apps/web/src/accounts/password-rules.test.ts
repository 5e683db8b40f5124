import { expect, it } from 'vitest';
import { judgeRules, makePassword } from './password-rules.ts';

const kept = (password: string, username = 'anna') => judgeRules(password, username).map(({ isKept }) => isKept);

it('keeps no rule for an empty password', () => {
  expect(kept('')).toEqual([false, false, false]);
});

it('counts characters as people do', () => {
  expect(kept('🦊🐼🐨🦁🐸🐙🦉🐝🦄🐢🐬')).toEqual([false, true, true]);
  expect(kept('🦊🐼🐨🦁🐸🐙🦉🐝🦄🐢🐬🦋')).toEqual([true, true, true]);
});

it('wants different characters, upper and lower case alike', () => {
  expect(kept('aAbBcCdDaAbB')).toEqual([true, false, true]);
});

it('refuses the user name in any case and backwards, but not names of one or two letters', () => {
  expect(kept('my-ANNA-is-here', 'Anna')).toEqual([true, true, false]);
  expect(kept('robert-and-treboR', 'trebor')).toEqual([true, true, false]);
  expect(kept('a-long-enough-one', 'a')).toEqual([true, true, true]);
});

it('makes passwords of 144 random bits that keep the rules', () => {
  const made = makePassword();
  expect(made).toMatch(/^[A-Za-z0-9_-]{24}$/);
  expect(made).not.toBe(makePassword());
  expect(makePassword((bytes) => bytes.fill(255))).toBe('_'.repeat(24));
});
