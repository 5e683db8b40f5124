import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { POLICY_MESSAGES } from '../../../editor/policy/policy-messages.ts';
import { editText } from '../../../yaml/edit-text.ts';
import { pairEdits, pairsOf } from './pair-edits.ts';

const COSTS = POLICY_MESSAGES.get('policy.Graphql')?.fields.find(({ name }) => name === 'field_costs');

/** Changes the costs to these words and returns the text. */
function change(text: string, after: readonly string[]): string | undefined {
  if (!COSTS) throw new Error('no field_costs');
  const before = pairsOf((parse(text) as { costs?: unknown }).costs);
  return editText(text, pairEdits(COSTS, ['costs'], { before, after }));
}

it('the members of a mapping are shown as words', () => {
  expect(pairsOf({ users: 10, user: 0 })).toEqual(['users=10', 'user=0']);
  expect(pairsOf(undefined)).toEqual([]);
  expect(pairsOf('users')).toEqual([]);
});

it('only the edited member changes', () => {
  const text = 'costs:\n  users: 10 # many\n  user: 2\n';
  expect(change(text, ['users=10', 'user=2', 'search=50'])).toBe(`${text}  search: 50\n`);
  expect(change(text, ['users=10', 'user=2', 'user=3'])).toBe('costs:\n  users: 10 # many\n  user: 3\n');
  expect(change(text, ['users=10'])).toBe('costs:\n  users: 10 # many\n');
  expect(change('a: 1\n', ['users:10'])).toBe('a: 1\ncosts:\n  users: 10\n');
});

it('text that is no number stays, and the check rejects it', () => {
  expect(parse(change('a: 1\n', ['users', 'user=many', '__proto__=5']) ?? '')).toEqual(
    Object.fromEntries([
      ['a', 1],
      [
        'costs',
        Object.fromEntries([
          ['users', ''],
          ['user', 'many'],
          ['__proto__', 5],
        ]),
      ],
    ]),
  );
});
