import type { EditPath } from './places.ts';

type Changed = { readonly value: unknown } | undefined;

/** Sets one value in plain data and creates missing parents. Returns undefined if a scalar is in the way. */
export function setIn(root: unknown, path: EditPath, value: unknown): Changed {
  const [step, ...rest] = path;
  if (step === undefined) return { value };
  const child = setIn(childOf(root, step), rest, value);
  if (!child) return undefined;
  if (typeof step === 'number') {
    const items: readonly unknown[] | undefined = root === undefined || root === null ? [] : asList(root);
    if (!items || step > items.length) return undefined;
    return { value: items.toSpliced(step, 1, child.value) };
  }
  const members = root === undefined || root === null ? {} : asRecord(root);
  return members && { value: { ...members, [step]: child.value } };
}

/** Removes one value from plain data. Does nothing if the value does not exist. */
export function removeIn(root: unknown, path: EditPath): Changed {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  if (rest.length > 0) {
    const child = removeIn(childOf(root, step), rest);
    return child && setIn(root, [step], child.value);
  }
  const [items, members] = [asList(root), asRecord(root)];
  if (typeof step === 'number') return items && { value: items.filter((_, index) => index !== step) };
  return members && { value: Object.fromEntries(Object.entries(members).filter(([name]) => name !== step)) };
}

/** Whether the values are equal as data, regardless of the order of members. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  const [listA, listB] = [asList(a), asList(b)];
  if (listA || listB)
    return (
      listA?.length === listB?.length && (listA?.every((item, index) => isSameValue(item, listB?.[index])) ?? false)
    );
  const [x, y] = [asRecord(a), asRecord(b)];
  if (!x || !y) return false;
  const names = Object.keys(x);
  return (
    names.length === Object.keys(y).length &&
    names.every((name) => Object.hasOwn(y, name) && isSameValue(x[name], y[name]))
  );
}

function childOf(root: unknown, step: string | number): unknown {
  if (typeof step === 'number') return asList(root)?.[step];
  const members = asRecord(root);
  return members && Object.hasOwn(members, step) ? members[step] : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
