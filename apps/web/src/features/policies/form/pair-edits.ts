import type { FieldDescription } from '../../../forms/schema-source.ts';
import type { TextEdit } from '../../../yaml/edit-text.ts';
import type { EditPath } from '../../../yaml/places.ts';
import { asRecord } from '../../../yaml/plain.ts';
import { fromTyped } from './field-value.ts';
import { textOf } from './policy-view.ts';

/** Returns the members of a mapping as words: `name=value`. */
export function pairsOf(value: unknown): readonly string[] {
  return Object.entries(asRecord(value) ?? {}).map(([name, each]) => `${name}=${textOf(each)}`);
}

/** Returns edits that change the mapping at `path` member by member, to keep the comments between them. */
export function pairEdits(
  field: FieldDescription,
  path: EditPath,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): readonly TextEdit[] {
  const wanted = new Map(after.map(splitPair));
  const gone = before.map(splitPair).filter(([name]) => !wanted.has(name));
  const others = after.filter((pair) => !before.includes(pair)).map(splitPair);
  return [
    ...others.map(([name, typed]) => ({
      kind: 'set' as const,
      path: [...path, name],
      value: fromTyped(field, typed),
    })),
    ...gone.map(([name]) => ({ kind: 'remove' as const, path: [...path, name] })),
  ];
}

function splitPair(pair: string): readonly [name: string, typed: string] {
  const at = pair.search(/[=:]/);
  return at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}
