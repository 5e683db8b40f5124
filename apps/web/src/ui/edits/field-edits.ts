export type FieldValue = string | boolean | number | null;
export type Fields = Readonly<Record<string, FieldValue>>;

/** Edits over the fields of a record, with the values that they started from. */
export interface FieldEdits<T extends Fields> {
  readonly typed: Partial<T>;
  readonly base: Partial<T>;
}

export function noEdits<T extends Fields>(): FieldEdits<T> {
  return { typed: {}, base: {} };
}

/** A field that two users changed to different values. */
export interface Clash<T extends Fields> {
  readonly field: keyof T & string;
  readonly mine: FieldValue;
  readonly theirs: FieldValue;
}

/** Sets a field. A field that is typed back to the stored value is no longer an edit. */
export function editField<T extends Fields, K extends keyof T>(
  edits: FieldEdits<T>,
  stored: T,
  field: K,
  value: T[K],
): FieldEdits<T> {
  if (value === stored[field]) return dropField(edits, field);
  const base = field in edits.base ? edits.base : { ...edits.base, [field]: stored[field] };
  return { typed: { ...edits.typed, [field]: value }, base };
}

/** Returns the form values: the stored record with the edits applied. */
export function valuesOf<T extends Fields>(edits: FieldEdits<T>, stored: T): T {
  return { ...stored, ...edits.typed };
}

/** Returns the values to send: fields that differ from the stored record. */
export function changesOf<T extends Fields>(edits: FieldEdits<T>, stored: T): Partial<T> {
  const names = fieldsOf(edits).filter((field) => edits.typed[field] !== stored[field]);
  return Object.fromEntries(names.map((field) => [field, edits.typed[field]])) as Partial<T>;
}

/** Returns the fields that someone else changed to another value since they were edited. */
export function clashesOf<T extends Fields>(edits: FieldEdits<T>, stored: T): Clash<T>[] {
  return fieldsOf(edits)
    .filter((field) => stored[field] !== edits.base[field] && stored[field] !== edits.typed[field])
    .map((field) => ({ field, mine: edits.typed[field] ?? null, theirs: stored[field] ?? null }));
}

export function takeTheirs<T extends Fields>(edits: FieldEdits<T>, stored: T): FieldEdits<T> {
  return clashesOf(edits, stored).reduce((left, { field }) => dropField(left, field), edits);
}

/** Keeps the edit and accepts the stored value as its new base. */
export function keepMine<T extends Fields>(edits: FieldEdits<T>, stored: T): FieldEdits<T> {
  const seen = Object.fromEntries(fieldsOf(edits).map((field) => [field, stored[field]]));
  return { typed: edits.typed, base: seen as Partial<T> };
}

function fieldsOf<T extends Fields>(edits: FieldEdits<T>): (keyof T & string)[] {
  return Object.keys(edits.typed);
}

function dropField<T extends Fields>(edits: FieldEdits<T>, field: keyof T): FieldEdits<T> {
  const without = (fields: Partial<T>) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field)) as Partial<T>;
  return { typed: without(edits.typed), base: without(edits.base) };
}
