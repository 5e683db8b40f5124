import type { Path, Step } from './path.ts';

export type Language = 'json' | 'yaml';
export type ScalarValue = string | number | bigint | boolean | null;

/** A value with its range in the text; `to` is after its last character. */
export type TreeNode = ObjectNode | ListNode | ScalarNode;

export interface ObjectNode {
  readonly kind: 'object';
  readonly from: number;
  readonly to: number;
  readonly members: Member[];
  /** False if the text ends before the closing bracket. */
  readonly closed: boolean;
}

export interface ListNode {
  readonly kind: 'list';
  readonly from: number;
  readonly to: number;
  readonly items: TreeNode[];
  readonly closed: boolean;
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly from: number;
  readonly to: number;
  readonly value: ScalarValue;
  /** A word that is no valid value, as is common while the user types. */
  readonly broken?: boolean;
}

export interface Member {
  readonly key: string;
  readonly keyFrom: number;
  readonly keyTo: number;
  /** Offset of the colon; undefined if missing. */
  readonly colon: number | undefined;
  readonly value: TreeNode | undefined;
}

/** A syntax problem, in plain words. */
export interface SyntaxProblem {
  readonly from: number;
  readonly to: number;
  readonly rule: 'syntax' | 'duplicate_key';
  readonly message: string;
}

export interface DocumentTree {
  readonly root: TreeNode | undefined;
  readonly problems: readonly SyntaxProblem[];
}

export interface Place {
  readonly from: number;
  readonly to: number;
  /** False: the path does not exist, and the range is that of its nearest ancestor. */
  readonly exact: boolean;
}

/** Returns the value one step down. The last one of duplicate keys counts, as in parsers. */
export function childOf(node: TreeNode | undefined, step: Step): TreeNode | undefined {
  if (node?.kind === 'list') return typeof step === 'number' ? node.items[step] : undefined;
  return memberOf(node, step)?.value;
}

export function memberOf(node: TreeNode | undefined, step: Step): Member | undefined {
  if (node?.kind !== 'object') return undefined;
  return node.members.findLast((member) => member.key === String(step));
}

export function nodeAt(root: TreeNode | undefined, path: Path): TreeNode | undefined {
  let node = root;
  for (const step of path) node = childOf(node, step);
  return node;
}

/**
 * Finds a path in the text: its value (`at: 'value'`) or its key. For a missing path, the key of its nearest ancestor:
 * the line on which something is missing.
 */
export function locatePath(tree: DocumentTree, path: Path, at: 'key' | 'value'): Place {
  let node = tree.root;
  let place: Place = {
    from: node?.from ?? 0,
    to: Math.min(node?.to ?? 0, (node?.from ?? 0) + 1),
    exact: path.length === 0,
  };
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    const member = memberOf(node, step);
    const value = childOf(node, step);
    if (member) {
      const whole = last && at === 'value' && value?.kind === 'scalar';
      place =
        whole && value
          ? { from: value.from, to: value.to, exact: true }
          : { from: member.keyFrom, to: member.keyTo, exact: last };
    } else if (value) {
      place = { from: value.from, to: value.kind === 'scalar' ? value.to : value.from + 1, exact: last };
    } else return { ...place, exact: false };
    node = value;
  }
  return place;
}

export interface Position {
  readonly path: Path;
  /** Whether the offset is on the key of the last step or on its value. */
  readonly at: 'key' | 'value';
  readonly from: number;
  readonly to: number;
}

/** Finds the innermost key or value around an offset; undefined outside the document. */
export function positionAt(root: TreeNode | undefined, offset: number): Position | undefined {
  const steps: Step[] = [];
  let node = root;
  if (!node || offset < node.from || offset > node.to) return undefined;
  for (;;) {
    const here: TreeNode = node;
    const next = stepAt(here, offset);
    if (!next) return { path: steps, at: 'value', from: here.from, to: here.to };
    steps.push(next.step);
    if (next.member && (!next.value || offset < next.value.from)) {
      return { path: steps, at: 'key', from: next.member.keyFrom, to: next.member.keyTo };
    }
    if (!next.value) return undefined;
    node = next.value;
  }
}

function stepAt(
  node: TreeNode,
  offset: number,
): { step: Step; member?: Member; value: TreeNode | undefined } | undefined {
  if (node.kind === 'list') {
    const index = lastStartingAt(node.items, offset, (item) => item.from);
    const value = node.items[index];
    return value && offset <= value.to ? { step: index, value } : undefined;
  }
  if (node.kind === 'object') {
    const member = node.members[lastStartingAt(node.members, offset, (entry) => entry.keyFrom)];
    const end = member?.value?.to ?? member?.colon ?? member?.keyTo ?? -1;
    return member && offset <= end ? { step: member.key, member, value: member.value } : undefined;
  }
  return undefined;
}

/** Returns the index of the last entry that begins at or before the offset. Uses bisection, because lists may have thousands of entries. */
function lastStartingAt<T>(entries: readonly T[], offset: number, startOf: (entry: T) => number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && startOf(entry) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the plain value as `JSON.parse` does, except that integers beyond the safe range are strings. */
export function toValue(node: TreeNode | undefined): unknown {
  if (!node) return null;
  if (node.kind === 'scalar') return typeof node.value === 'bigint' ? toJsonNumber(node.value) : node.value;
  if (node.kind === 'list') return node.items.map(toValue);
  return Object.fromEntries(node.members.map((member) => [member.key, toValue(member.value)]));
}

function toJsonNumber(value: bigint): number | string {
  const number = Number(value);
  return String(number) === String(value) ? number : String(value);
}
