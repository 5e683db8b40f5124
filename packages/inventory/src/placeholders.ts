/** The shape of a value. `word` has no shape of its own: only its place shows that it is a value. */
export type ValueKind =
  | 'number'
  | 'date'
  | 'uuid'
  | 'objectid'
  | 'ulid'
  | 'hash'
  | 'token'
  | 'secret'
  | 'pii'
  | 'slug'
  | 'opaque'
  | 'word';

/** The nine names of the reference; stored data and rules know no others. */
export type Placeholder =
  | '{id}'
  | '{uuid}'
  | '{objectid}'
  | '{ulid}'
  | '{token}'
  | '{dynamic}'
  | '{secret}'
  | '{traversal}'
  | '{pii}';

export const PLACEHOLDER_OF: Readonly<Record<ValueKind, Placeholder>> = {
  number: '{id}',
  date: '{dynamic}',
  uuid: '{uuid}',
  objectid: '{objectid}',
  ulid: '{ulid}',
  hash: '{token}',
  token: '{token}',
  secret: '{secret}',
  pii: '{pii}',
  slug: '{dynamic}',
  opaque: '{dynamic}',
  word: '{dynamic}',
};

/** Kinds whose values are never remembered, and never become literal. */
export const HIDDEN_KINDS: ReadonlySet<ValueKind> = new Set([
  'secret',
  'pii',
  'token',
  'hash',
  'uuid',
  'objectid',
  'ulid',
]);
