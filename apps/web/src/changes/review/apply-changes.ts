import { type Path, parsePath, type Step } from '../../editor/document/path.ts';
import { isEqual } from '../diff-json.ts';
import type { Difference } from '../plan.ts';
import { outsideMembers } from './split-changes.ts';

/** The API lists at most this many differences. */
const DIFFERENCES_MAX = 200;

/**
 * Applies the differences that the API lists, in which items of lists are compared by position. Private values stay as they are, and
 * `without` names members that `before` lacks. Returns undefined if differences may be missing, or belong to another value.
 */
export function applyChanges(before: unknown, diff: readonly Difference[], without: readonly string[] = []): unknown {
  if (diff.length >= DIFFERENCES_MAX) return undefined;
  const applied = outsideMembers(diff, without);
  const root = { value: structuredClone(before) };
  const isRemoval = ({ change }: Difference) => change === 'removed';
  // Items are removed from the end of a list, so the last one goes first.
  const ordered = [...applied.filter((one) => !isRemoval(one)), ...applied.filter(isRemoval).reverse()];
  return ordered.every((one) => applyOne(root, one)) ? root.value : undefined;
}

function applyOne(root: object, { path, before, after }: Difference): boolean {
  if (before === undefined && after === undefined) return true;
  const steps: Path = ['value', ...parsePath(path)];
  const last = steps.at(-1) ?? '';
  let parent: unknown = root;
  for (const step of steps.slice(0, -1)) {
    if (!isContainer(parent) || !Object.hasOwn(parent, step)) return false;
    parent = Reflect.get(parent, step);
  }
  if (!isContainer(parent) || !fits(parent, last)) return false;
  if (!isEqual(Object.hasOwn(parent, last) ? Reflect.get(parent, last) : undefined, before)) return false;
  if (after !== undefined)
    Object.defineProperty(parent, last, { value: after, enumerable: true, configurable: true, writable: true });
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else Reflect.deleteProperty(parent, last);
  return true;
}

/** Whether the step is a member of the object, or an item of the list or the one after its last. */
function fits(parent: object, step: Step): boolean {
  return Array.isArray(parent) ? typeof step === 'number' && step <= parent.length : typeof step === 'string';
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
