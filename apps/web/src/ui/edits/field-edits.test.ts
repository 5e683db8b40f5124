import { expect, it } from 'vitest';
import { changesOf, clashesOf, editField, keepMine, noEdits, takeTheirs, valuesOf } from './field-edits.ts';

type Account = { readonly username: string; readonly email: string | null; readonly is_owner: boolean };
const stored: Account = { username: 'anna', email: null, is_owner: false };
const none = noEdits<Account>();

it('edits override the stored values, and only changed fields are sent', () => {
  const edits = editField(none, stored, 'email', 'anna@example.org');
  expect(valuesOf(edits, stored)).toEqual({ ...stored, email: 'anna@example.org' });
  expect(changesOf(edits, stored)).toEqual({ email: 'anna@example.org' });
});

it('an edit is discarded when the stored value is typed again', () => {
  const edits = editField(editField(none, stored, 'username', 'ann'), stored, 'username', 'anna');
  expect(edits).toEqual(none);
});

it('changes of other users in other fields are adopted without a clash', () => {
  const edits = editField(none, stored, 'email', 'anna@example.org');
  const later = { ...stored, username: 'anna2' };
  expect(clashesOf(edits, later)).toEqual([]);
  expect(valuesOf(edits, later)).toEqual({ username: 'anna2', email: 'anna@example.org', is_owner: false });
  expect(changesOf(edits, later)).toEqual({ email: 'anna@example.org' });
});

it('different changes of the same field are a clash, even if the user keeps typing', () => {
  const later = { ...stored, email: 'theirs@example.org' };
  const edits = editField(editField(none, stored, 'email', 'a@example.org'), later, 'email', 'mine@example.org');
  expect(clashesOf(edits, later)).toEqual([{ field: 'email', mine: 'mine@example.org', theirs: 'theirs@example.org' }]);
});

it('equal changes of the same field are no clash', () => {
  const edits = editField(none, stored, 'is_owner', true);
  const later = { ...stored, is_owner: true };
  expect(clashesOf(edits, later)).toEqual([]);
  expect(changesOf(edits, later)).toEqual({});
});

it('"take theirs" replaces only the fields that clash', () => {
  const typed = editField(editField(none, stored, 'email', 'mine@example.org'), stored, 'username', 'ann');
  const later = { ...stored, email: 'theirs@example.org' };
  const edits = takeTheirs(typed, later);
  expect(valuesOf(edits, later)).toEqual({ username: 'ann', email: 'theirs@example.org', is_owner: false });
});

it('"keep mine" resolves a clash until the other user changes the field again', () => {
  const later = { ...stored, email: 'theirs@example.org' };
  const edits = keepMine(editField(none, stored, 'email', 'mine@example.org'), later);
  expect(clashesOf(edits, later)).toEqual([]);
  expect(changesOf(edits, later)).toEqual({ email: 'mine@example.org' });
  expect(clashesOf(edits, { ...later, email: 'third@example.org' })).toHaveLength(1);
});
