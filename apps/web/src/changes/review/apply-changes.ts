import { type Path, parsePath } from '../../editor/document/path.ts';
import type { Difference } from '../plan.ts';

/** The API lists at most this many differences. */
const DIFFERENCES_MAX = 200;

/**
 * Applies the differences that the API lists, in which items of lists are compared by position. Private values stay as they are. Returns
 * undefined if differences may be missing, or belong to another value.
 */
export function applyChanges(before: unknown, diff: readonly Difference[]): unknown {
  if (diff.length >= DIFFERENCES_MAX) return undefined;
  const root = { value: structuredClone(before) };
  const isRemoval = ({ change }: Difference) => change === 'removed';
  // Items are removed from the end of a list, so the last one goes first.
  const ordered = [...diff.filter((one) => !isRemoval(one)), ...diff.filter(isRemoval).reverse()];
  for (const { path, change, before: old, after } of ordered) {
    if (old === undefined && after === undefined) continue;
    if (!applyOne(root, ['value', ...parsePath(path)], change === 'removed' ? undefined : after)) return undefined;
  }
  return root.value;
}

function applyOne(root: object, path: Path, value: unknown): boolean {
  const last = path.at(-1);
  let parent: unknown = root;
  for (const step of path.slice(0, -1)) {
    if (!isContainer(parent) || !Object.hasOwn(parent, step)) return false;
    parent = Reflect.get(parent, step);
  }
  if (!isContainer(parent) || last === undefined || Array.isArray(parent) !== (typeof last === 'number')) return false;
  if (value !== undefined)
    Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  else if (!Object.hasOwn(parent, last)) return false;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else Reflect.deleteProperty(parent, last);
  return true;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
