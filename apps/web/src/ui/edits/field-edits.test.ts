import { expect, it } from 'vitest';
import { changesOf, clashesOf, editField, keepMine, noEdits, takeTheirs, valuesOf } from './field-edits.ts';

type Account = { readonly username: string; readonly email: string | null; readonly is_owner: boolean };
const stored: Account = { username: 'anna', email: null, is_owner: false };
const none = noEdits<Account>();

it('shows what was typed over what is stored, and sends only what differs', () => {
  const edits = editField(none, stored, 'email', 'anna@example.org');
  expect(valuesOf(edits, stored)).toEqual({ ...stored, email: 'anna@example.org' });
  expect(changesOf(edits, stored)).toEqual({ email: 'anna@example.org' });
});

it('forgets an edit that was typed back', () => {
  const edits = editField(editField(none, stored, 'username', 'ann'), stored, 'username', 'anna');
  expect(edits).toEqual(none);
});

it('takes over what somebody else changed in other fields, without a clash', () => {
  const edits = editField(none, stored, 'email', 'anna@example.org');
  const later = { ...stored, username: 'anna2' };
  expect(clashesOf(edits, later)).toEqual([]);
  expect(valuesOf(edits, later)).toEqual({ username: 'anna2', email: 'anna@example.org', is_owner: false });
  expect(changesOf(edits, later)).toEqual({ email: 'anna@example.org' });
});

it('sees a clash where both changed one field to different values, also while one types on', () => {
  const later = { ...stored, email: 'theirs@example.org' };
  const edits = editField(editField(none, stored, 'email', 'a@example.org'), later, 'email', 'mine@example.org');
  expect(clashesOf(edits, later)).toEqual([{ field: 'email', mine: 'mine@example.org', theirs: 'theirs@example.org' }]);
});

it('sees no clash where both changed one field to the same value', () => {
  const edits = editField(none, stored, 'is_owner', true);
  const later = { ...stored, is_owner: true };
  expect(clashesOf(edits, later)).toEqual([]);
  expect(changesOf(edits, later)).toEqual({});
});

it('takes theirs in the fields that clash, and keeps the others', () => {
  const typed = editField(editField(none, stored, 'email', 'mine@example.org'), stored, 'username', 'ann');
  const later = { ...stored, email: 'theirs@example.org' };
  const edits = takeTheirs(typed, later);
  expect(valuesOf(edits, later)).toEqual({ username: 'ann', email: 'theirs@example.org', is_owner: false });
});

it('keeps mine once theirs was seen, until they change it again', () => {
  const later = { ...stored, email: 'theirs@example.org' };
  const edits = keepMine(editField(none, stored, 'email', 'mine@example.org'), later);
  expect(clashesOf(edits, later)).toEqual([]);
  expect(changesOf(edits, later)).toEqual({ email: 'mine@example.org' });
  expect(clashesOf(edits, { ...later, email: 'third@example.org' })).toHaveLength(1);
});
