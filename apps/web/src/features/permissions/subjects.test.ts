import { expect, it } from 'vitest';
import { chooseShown, givenTo, keyOf, type Subject } from './subjects.ts';

const subjects: readonly Subject[] = ['a', 'b', 'c', 'd', 'e'].map((id, i) => ({
  kind: i < 2 ? 'group' : 'user',
  id,
  label: id,
}));

it('the first few subjects are shown by default, also if a link contains only unknown subjects', () => {
  expect(chooseShown(subjects, []).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  expect(chooseShown(subjects, ['user:e', 'group:b']).map(({ id }) => id)).toEqual(['b', 'e']);
  expect(chooseShown(subjects, ['user:gone']).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  // The controller has no user with that ID.
  expect(chooseShown([], ['user:gone'], subjects).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  // A group is not the user with the same ID.
  expect(chooseShown(subjects, ['user:a', 'user:e']).map(keyOf)).toEqual(['user:e']);
});

it('a permission of a user does not apply to a group with the same ID', () => {
  const subject = { kind: 'user', id: 'a' } as const;
  const permissions = [{ id: 'p', subject, level: 'use' as const }];
  expect(givenTo(permissions, { ...subject, label: 'a' })?.level).toBe('use');
  expect(givenTo(permissions, { kind: 'group', id: 'a', label: 'a' })).toBeUndefined();
});
