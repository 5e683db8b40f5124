import type { Cursor } from './cursor.ts';
import type { Step } from './path.ts';
import { memberOf, nodeAt, type TreeNode } from './tree.ts';
import { readYaml } from './yaml-reader.ts';

/** Placeholder for the word being written, so that the rest parses. */
const MARK = 'zzCursorzz';
const LINE =
  /^(\s*(?:- +)*)(?:("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:'"{}[\],&*!|>%@`-][^:#]*?|@type|\$ref)\s*:(?:\s+(.*))?)?$/;

/**
 * Finds the cursor in YAML. Replaces the unfinished line with a complete one and parses the text: with a placeholder as
 * a name, and if that does not fit, as a value.
 */
export function yamlCursor(text: string, offset: number): Cursor | undefined {
  const lineFrom = text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = text.indexOf('\n', offset);
  const lineTo = lineEnd === -1 ? text.length : lineEnd;
  const before = text.slice(lineFrom, offset);
  const after = text.slice(offset, lineTo);
  if (/(^|\s)#/.test(before)) return undefined;
  const valueLine = LINE.exec(before);
  if (valueLine?.[2] !== undefined) {
    const typed = valueLine[3] ?? '';
    if (valueLine[3] === undefined && !/\s$/.test(before)) return undefined;
    return atValue(text, { from: offset - typed.length, to: valueEnd(text, offset, lineTo), inline: true });
  }
  const dash = /^(\s*(?:- +)*)(\S*)$/.exec(before);
  if (!dash) return undefined;
  const from = lineFrom + (dash[1]?.length ?? 0);
  const word = /^["']?[\w@$./-]*["']?/.exec(text.slice(from, lineTo))?.[0] ?? '';
  const to = Math.max(offset, from + word.length);
  const hasColon = /^\s*:(\s|$)/.test(text.slice(to, lineTo));
  if (!hasColon && after.trim() !== '' && to < lineTo && !/^\s*(#.*)?$/.test(text.slice(to, lineTo))) return undefined;
  const range = { from, to, inline: (dash[1] ?? '').includes('-') };
  const asKey = hasColon ? replaceRead(text, from, to, MARK) : replaceRead(text, from, to, `${MARK}: 0`);
  const path = findMark(asKey.root, 'key');
  const item = (dash[1] ?? '').includes('-') && !hasColon;
  if (path) {
    const node = nodeAt(asKey.root, path);
    const siblings = node?.kind === 'object' ? node.members.map(({ key }) => key).filter((key) => key !== MARK) : [];
    const alone = siblings.length === 0 && item;
    return {
      ...base(asKey.root, range, text),
      place: alone ? 'value' : 'key',
      path,
      siblings,
      hasColon,
    };
  }
  return hasColon ? undefined : atValue(text, range);
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly inline: boolean;
}

function atValue(text: string, range: Range): Cursor | undefined {
  const { root } = replaceRead(text, range.from, range.to, MARK);
  const path = findMark(root, 'value');
  return path && { ...base(root, range, text), place: 'value', path, siblings: [], hasColon: false };
}

function base(root: TreeNode | undefined, { from, to, inline }: Range, text: string) {
  const quoted = text[from] === '"' || text[from] === "'";
  return {
    root,
    from,
    to,
    wordFrom: from + (quoted ? 1 : 0),
    commaBefore: undefined,
    commaAfter: false,
    inline,
  } as const;
}

function replaceRead(text: string, from: number, to: number, mark: string) {
  return readYaml(text.slice(0, from) + mark + text.slice(to));
}

/** Returns the end of the content of the line, without a trailing comment. */
function valueEnd(text: string, offset: number, lineTo: number): number {
  const rest = text.slice(offset, lineTo);
  const comment = /\s+#.*$/.exec(rest);
  return offset + (comment ? comment.index : rest.trimEnd().length);
}

function findMark(
  node: TreeNode | undefined,
  place: 'key' | 'value',
  path: readonly Step[] = [],
): readonly Step[] | undefined {
  if (!node) return undefined;
  if (node.kind === 'scalar') return place === 'value' && node.value === MARK ? path : undefined;
  if (node.kind === 'list') {
    for (const [index, item] of node.items.entries()) {
      const found = findMark(item, place, [...path, index]);
      if (found) return found;
    }
    return undefined;
  }
  if (place === 'key' && memberOf(node, MARK)) return path;
  for (const { key, value } of node.members) {
    const found = findMark(value, place, [...path, key]);
    if (found) return found;
  }
  return undefined;
}
