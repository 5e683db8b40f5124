import type { Difference } from './plan.ts';

/**
 * Lists differences of two JSON values by path, in the order of the newer one. Lists of names and clients are compared by content, so that
 * an insertion is one difference; a mere reordering is one difference of the whole list.
 */
export function diffJson(before: unknown, after: unknown, path = ''): Difference[] {
  if (isEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = [...Object.keys(after), ...Object.keys(before).filter((key) => !(key in after))];
    return keys.flatMap((key) => diffMember(before[key], after[key], path ? `${path}.${key}` : key));
  }
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, path);
  return [{ path, change: 'changed', before, after }];
}

function diffMember(before: unknown, after: unknown, path: string): Difference[] {
  if (before === undefined) return after === undefined ? [] : [{ path, change: 'added', after }];
  if (after === undefined) return [{ path, change: 'removed', before }];
  return diffJson(before, after, path);
}

function diffLists(before: readonly unknown[], after: readonly unknown[], path: string): Difference[] {
  const [older, newer] = [byIdentity(before), byIdentity(after)];
  const isEdited = (index: number) => isNew(before[index], newer) && isNew(after[index], older);
  const differences = after.flatMap((item, index) => {
    const twin = isEdited(index) ? before[index] : older.get(identify(item));
    return diffMember(twin, item, `${path}[${index}]`);
  });
  for (const [index, item] of before.entries()) {
    if (newer.has(identify(item)) || isEdited(index)) continue;
    differences.push({ path: `${path}[${index}]`, change: 'removed', before: item });
  }
  return differences.length > 0 ? differences : [{ path, change: 'changed', before, after }];
}

/** Whether the item is an object that the other list does not have. Two such objects at the same position are one that was edited. */
function isNew(item: unknown, others: ReadonlyMap<string, unknown>): boolean {
  return isObject(item) && item.client_id === undefined && !others.has(identify(item));
}

function byIdentity(items: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(items.map((item) => [identify(item), item]));
}

/** Returns the identity of a list entry across changes: the client ID, or the entry itself. */
function identify(item: unknown): string {
  if (isObject(item) && typeof item.client_id === 'string') return `client ${item.client_id}`;
  return JSON.stringify(item);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isEqual(a[key], b[key]));
}
