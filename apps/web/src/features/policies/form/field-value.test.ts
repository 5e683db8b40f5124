import { expect, it } from 'vitest';
import { POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import { chosenOf, fromChosen, fromTyped, labelOf } from './field-value.ts';

function fieldOf(type: string, name: string) {
  const field = POLICY_MESSAGES.get(type)?.fields.find((each) => each.name === name);
  if (!field) throw new Error(`no ${type}.${name}`);
  return field;
}

it('makes numbers of numbers alone: other text stays for the check to refuse', () => {
  const rate = fieldOf('policy.RateLimit', 'requests_per_second');
  expect(['2.5', ' 7 ', '1e3', 'many', '', ' '].map((typed) => fromTyped(rate, typed))).toEqual([
    2.5,
    7,
    1000,
    'many',
    '',
    ' ',
  ]);
  expect(fromTyped(fieldOf('policy.Jwt', 'issuer'), '42')).toBe('42');
});

it('tells a yes or no that is not written from both, and back', () => {
  for (const value of [undefined, true, false]) expect(fromChosen(chosenOf(value))).toBe(value);
  expect([null, 'maybe'].map(chosenOf)).toEqual(['unset', 'maybe']);
});

it('has a label for every field of the language', () => {
  for (const { fields } of POLICY_MESSAGES.values())
    for (const { name } of fields) expect(labelOf(name)).toMatch(/^[A-Z][^_]*$|^apiVersion$|^ApiVersion$/);
});
