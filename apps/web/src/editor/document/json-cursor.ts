import type { Cursor } from './cursor.ts';
import { readJson } from './json-reader.ts';
import type { Step } from './path.ts';
import type { ListNode, Member, ObjectNode, TreeNode } from './tree.ts';

const PLAIN = { hasColon: false, commaBefore: undefined, commaAfter: false, inline: true, siblings: [] } as const;

export function jsonCursor(text: string, offset: number, tree = readJson(text)): Cursor | undefined {
  const { root } = tree;
  if (!root)
    return text.trim() === ''
      ? { ...PLAIN, place: 'value', path: [], root, from: offset, to: offset, wordFrom: offset }
      : undefined;
  const path: Step[] = [];
  let node: TreeNode = root;
  for (;;) {
    if (node.kind === 'scalar') return valueCursor(text, root, path, node);
    if (!isInside(node, offset)) return undefined;
    if (node.kind === 'object') {
      const member = node.members.find((entry) => entry.keyFrom <= offset && offset <= endOf(text, entry));
      if (!member) return newKeyCursor(text, root, path, node, offset);
      if (member.colon === undefined || offset <= member.colon) {
        return offset <= member.keyTo ? keyCursor(text, root, path, node, member) : undefined;
      }
      const { value } = member;
      path.push(member.key);
      if (!value || offset < value.from)
        return {
          ...PLAIN,
          place: 'value',
          path,
          root,
          from: offset,
          to: offset,
          wordFrom: offset,
          commaAfter: needsCommaAfter(text, offset),
        };
      if (offset > value.to || (value.kind !== 'scalar' && !isInside(value, offset))) {
        path.pop();
        return newKeyCursor(text, root, path, node, offset);
      }
      node = value;
      continue;
    }
    const index: number = node.items.findIndex(
      (item) => item.from <= offset && offset <= item.to && (item.kind === 'scalar' || isInside(item, offset)),
    );
    const item = node.items[index];
    if (!item) return newItemCursor(text, root, path, node, offset);
    path.push(index);
    node = item;
  }
}

function isInside(node: ObjectNode | ListNode, offset: number): boolean {
  return offset > node.from && (node.closed ? offset < node.to : offset <= node.to);
}

/** Returns the end of the member: after a colon without a value, it includes everything up to the next token. */
function endOf(text: string, member: Member): number {
  if (member.value) return member.value.to;
  if (member.colon === undefined) return member.keyTo;
  let end = member.colon + 1;
  while (end < text.length && /[ \t]/.test(text[end] ?? '')) end += 1;
  return end;
}

function keyCursor(text: string, root: TreeNode, path: Step[], node: ObjectNode, member: Member): Cursor {
  const quoted = text[member.keyFrom] === '"';
  const before = previousEnd(node.members.filter((entry) => entry.keyFrom < member.keyFrom).map(endOfMember));
  return {
    ...PLAIN,
    place: 'key',
    path,
    root,
    from: member.keyFrom,
    to: member.keyTo,
    wordFrom: member.keyFrom + (quoted ? 1 : 0),
    siblings: node.members.filter((entry) => entry !== member).map(({ key }) => key),
    hasColon: member.colon !== undefined,
    commaBefore: missingComma(text, before, member.keyFrom),
    commaAfter: needsCommaAfter(text, member.keyTo),
  };
}

function newKeyCursor(text: string, root: TreeNode, path: Step[], node: ObjectNode, offset: number): Cursor {
  const before = previousEnd(node.members.filter((entry) => entry.keyFrom < offset).map(endOfMember));
  return {
    ...PLAIN,
    place: 'key',
    path,
    root,
    from: offset,
    to: offset,
    wordFrom: offset,
    siblings: node.members.map(({ key }) => key),
    commaBefore: missingComma(text, before, offset),
    commaAfter: needsCommaAfter(text, offset),
  };
}

function newItemCursor(text: string, root: TreeNode, path: Step[], node: ListNode, offset: number): Cursor {
  const earlier = node.items.filter((item) => item.to <= offset);
  const before = previousEnd(earlier.map((item) => item.to));
  return {
    ...PLAIN,
    place: 'value',
    path: [...path, earlier.length],
    root,
    from: offset,
    to: offset,
    wordFrom: offset,
    commaBefore: missingComma(text, before, offset),
    commaAfter: needsCommaAfter(text, offset),
  };
}

function valueCursor(text: string, root: TreeNode, path: Step[], node: TreeNode): Cursor {
  const quoted = text[node.from] === '"';
  return {
    ...PLAIN,
    place: 'value',
    path,
    root,
    from: node.from,
    to: node.to,
    wordFrom: node.from + (quoted ? 1 : 0),
    commaAfter: needsCommaAfter(text, node.to),
  };
}

function endOfMember(member: Member): number {
  return member.value?.to ?? (member.colon === undefined ? member.keyTo : member.colon + 1);
}

function previousEnd(ends: readonly number[]): number | undefined {
  return ends.at(-1);
}

function missingComma(text: string, previous: number | undefined, offset: number): number | undefined {
  return previous === undefined || text.slice(previous, offset).includes(',') ? undefined : previous;
}

/** Whether the text after the offset is neither a comma nor the end of the container. */
function needsCommaAfter(text: string, offset: number): boolean {
  const next = /\S/.exec(text.slice(offset, offset + 2000))?.[0];
  return next !== undefined && !',}]:'.includes(next);
}
