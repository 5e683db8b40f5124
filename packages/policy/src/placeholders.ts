import { isRecord } from './engines/engine-spec.ts';
import type { Complaint, FieldPath } from './problem.ts';

/** A text of a draft that a person has to replace begins with it. No policy that contains one is stored or loaded. */
export const PLACEHOLDER_MARK = 'REPLACE: ';

/** Every placeholder of a document, with its place. */
export function listPlaceholders(value: unknown): { readonly path: FieldPath; readonly what: string }[] {
  const found: { path: FieldPath; what: string }[] = [];
  const open: { readonly value: unknown; readonly path: FieldPath }[] = [{ value, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, path } = next;
    if (typeof current === 'string') {
      if (current.startsWith(PLACEHOLDER_MARK)) found.push({ path, what: current.slice(PLACEHOLDER_MARK.length) });
    } else if (Array.isArray(current)) {
      for (const [index, item] of current.entries())
        if (mayHold(item)) open.push({ value: item, path: [...path, index] });
    } else if (isRecord(current)) {
      for (const [name, item] of Object.entries(current))
        if (mayHold(item)) open.push({ value: item, path: [...path, name] });
    }
  }
  return found;
}

function mayHold(value: unknown): boolean {
  return typeof value === 'object' ? value !== null : typeof value === 'string' && value.startsWith(PLACEHOLDER_MARK);
}

/** A placeholder is reported once: what else is wrong with its field follows from it. */
export function checkPlaceholders(value: unknown, complaints: readonly Complaint[]): Complaint[] {
  const found = listPlaceholders(value);
  if (found.length === 0) return [...complaints];
  const places = new Set(found.map(({ path }) => JSON.stringify(path)));
  return [
    ...complaints.filter(({ path }) => !places.has(JSON.stringify(path))),
    ...found.map(({ path, what }) => ({
      path,
      rule: 'draft.placeholder',
      message: `is a placeholder of a draft. Write the ${what} here`,
    })),
  ];
}
