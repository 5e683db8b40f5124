import { useState } from 'react';
import {
  changesOf,
  clashesOf,
  editField,
  type FieldEdits,
  type Fields,
  keepMine,
  noEdits,
  takeTheirs,
  valuesOf,
} from './field-edits.ts';

/** Edits over a record that others may change meanwhile. `stored` is always its latest known state. */
export function useFieldEdits<T extends Fields>(stored: T) {
  const [edits, setEdits] = useState<FieldEdits<T>>(noEdits);
  const changes = changesOf(edits, stored);
  return {
    values: valuesOf(edits, stored),
    changes,
    isChanged: Object.keys(changes).length > 0,
    clashes: clashesOf(edits, stored),
    set: <K extends keyof T>(field: K, value: T[K]) => setEdits((before) => editField(before, stored, field, value)),
    takeTheirs: () => setEdits((before) => takeTheirs(before, stored)),
    keepMine: () => setEdits((before) => keepMine(before, stored)),
    reset: () => setEdits(noEdits()),
  };
}
