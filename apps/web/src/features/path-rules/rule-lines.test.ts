import { expect, it } from 'vitest';
import { readRuleLines } from './rule-lines.ts';

it('rules are lines of a placeholder and a pattern, and problems keep the numbers of their lines', () => {
  expect(readRuleLines('id ord-[a-z]{3}\n\n  token   a b \nonly\n')).toEqual({
    rules: [
      { placeholder: 'id', regex: 'ord-[a-z]{3}' },
      { placeholder: 'token', regex: 'a b' },
    ],
    lines: [1, 3],
    broken: [4],
  });
});
