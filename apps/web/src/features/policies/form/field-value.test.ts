import { expect, it } from 'vitest';
import { POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import { chosenOf, fromChosen, fromTyped, labelOf, sentenceOf } from './field-value.ts';

function fieldOf(type: string, name: string) {
  const field = POLICY_MESSAGES.get(type)?.fields.find((each) => each.name === name);
  if (!field) throw new Error(`no ${type}.${name}`);
  return field;
}

it('only numbers become numbers: other text stays, and the check rejects it', () => {
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

it('an unset boolean is distinguished from true and false in both directions', () => {
  for (const value of [undefined, true, false]) expect(fromChosen(chosenOf(value))).toBe(value);
  expect([null, 'maybe'].map(chosenOf)).toEqual(['unset', 'maybe']);
});

it('every field of the language has a label', () => {
  for (const { fields } of POLICY_MESSAGES.values())
    for (const { name } of fields) expect(labelOf(name)).toMatch(/^[A-Z][^_]*$|^apiVersion$|^ApiVersion$/);
});

it('an error of a list names the word that it is about', () => {
  const at = 'spec.domains[0].policy.engines.methods.allow';
  const message = 'is not a method, such as GET';
  expect(sentenceOf({ path: `${at}[1]`, message }, ['GET', 'G@T'])).toBe('G@T is not a method, such as GET');
  expect(sentenceOf({ path: `${at}[1]`, message }, ['GET', ''])).toBe('Is not a method, such as GET');
  expect(sentenceOf({ path: `${at}[1].scope`, message: 'is required' }, ['GET', 'x'])).toBe('Is required');
  expect(sentenceOf({ path: at, message: 'needs at least 1 entry' }, [])).toBe('Needs at least 1 entry');
});
