import { type Document, isCollection, isMap, isPair, isScalar, isSeq } from 'yaml';
import { columnOf, type EditPath, endOf, flowAround, lineEnd, lineStart, nodeAt, pairOf, startOf } from './places.ts';
import { isSameValue, removeIn, setIn } from './plain.ts';
import { forgetText, readText } from './read-text.ts';
import { writeBlock, writeFlow, writeScalar } from './write-value.ts';

export type { EditPath };

/** One change of a value in a document's text. */
export type TextEdit =
  | {
      readonly kind: 'set';
      readonly path: EditPath;
      readonly value: unknown;
      /** Usual order of members: a new one goes after those that precede it. */
      readonly order?: readonly string[];
    }
  | { readonly kind: 'remove'; readonly path: EditPath };

const JSON_INDENT = 2;

/**
 * Returns the text with changed values and nothing else changed: comments, order, quotes and spacing stay as they are. Returns undefined if
 * that is impossible: the text is broken, or the value is written in another place (an alias). The result has been parsed again and has the
 * requested values.
 */
export function editText(text: string, edits: readonly TextEdit[]): string | undefined {
  let next: string | undefined = text;
  for (const edit of edits) {
    next = editOnce(next, edit);
    if (next === undefined) return undefined;
  }
  return next;
}

function editOnce(text: string, edit: TextEdit): string | undefined {
  const before = readText(text);
  if (!before) return undefined;
  const wanted = edit.kind === 'set' ? setIn(before.value, edit.path, edit.value) : removeIn(before.value, edit.path);
  if (wanted === undefined) return undefined;
  if (isSameValue(before.value, wanted.value)) return text;
  if (isJson(text)) return `${JSON.stringify(wanted.value, null, JSON_INDENT)}\n`;
  // The first attempt whose result parses as wanted wins. The one that changes the least comes first.
  for (const attempt of [splice, rewrite]) {
    const next = tryTo(attempt, text, edit);
    const read = next === undefined ? undefined : readText(next);
    if (read && isSameValue(read.value, wanted.value)) return next;
  }
  return undefined;
}

/** Runs the attempt. The document model throws if an alias is in the way. */
function tryTo(attempt: typeof splice, text: string, edit: TextEdit): string | undefined {
  try {
    return attempt(text, edit);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Writes the whole text again from the document model. Comments and order stay; spacing may change. */
function rewrite(text: string, edit: TextEdit): string | undefined {
  const document = readText(text)?.document;
  if (!document) return undefined;
  apply(document, edit);
  return document.toString({ lineWidth: 0 });
}

function apply(document: Document, edit: TextEdit): void {
  forgetText();
  if (edit.kind === 'remove') document.deleteIn(edit.path);
  else document.setIn(edit.path, document.createNode(edit.value));
}

/** Replaces only the lines that change. */
function splice(text: string, edit: TextEdit): string | undefined {
  const document = readText(text)?.document;
  if (!document) return undefined;
  const around = flowAround(document, edit.path.slice(0, -1));
  if (around && isFilled(around.node)) return spliceFlow(text, document, { ...around, edit });
  return edit.kind === 'set' ? spliceSet(text, document, edit) : spliceRemove(text, document, edit.path);
}

function isFilled(node: unknown): boolean {
  return isCollection(node) && node.items.length > 0;
}

interface InFlow extends NonNullable<ReturnType<typeof flowAround>> {
  readonly edit: TextEdit;
}

function spliceFlow(text: string, document: Document, { node, edit }: InFlow): string | undefined {
  const [from, to] = [node.range?.[0], node.range?.[1]];
  if (from === undefined || to === undefined) return undefined;
  const target = nodeAt(document, edit.path);
  if (edit.kind === 'set' && isScalar(target) && isPlain(edit.value))
    return replaceScalar(text, target, edit.value, true);
  apply(document, edit);
  const indent = /^ */.exec(text.slice(lineStart(text, from)))?.[0].length ?? 0;
  return `${text.slice(0, from)}${writeFlow(node, text.slice(from, to), indent)}${text.slice(to)}`;
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value !== 'object';
}

function replaceScalar(
  text: string,
  target: Parameters<typeof writeScalar>[1],
  value: string | number | boolean | null,
  inFlow: boolean,
): string | undefined {
  if (!target.range) return undefined;
  const [from, to] = target.range;
  const written = writeScalar(value, target, inFlow);
  const space = from === to && text[from - 1] === ':' ? ' ' : '';
  const lineBreak = to > from && text[to - 1] === '\n' ? '\n' : '';
  return `${text.slice(0, from)}${space}${written}${lineBreak}${text.slice(to)}`;
}

function spliceSet(
  text: string,
  document: Document,
  { path, value, order = [] }: Extract<TextEdit, { kind: 'set' }>,
): string | undefined {
  const target = nodeAt(document, path);
  if (isScalar(target) && isPlain(value)) return replaceScalar(text, target, value, false);
  const parentPath = path.slice(0, -1);
  const [key, parent] = [path.at(-1), nodeAt(document, parentPath)];
  if (key === undefined) return undefined;
  if (!isFilled(parent)) {
    // The parent does not exist or is empty, so it is written together with the value.
    if (parentPath.length === 0) return undefined;
    return spliceSet(text, document, {
      kind: 'set',
      path: parentPath,
      value: typeof key === 'number' ? [value] : { [key]: value },
      order,
    });
  }
  if (isMap(parent)) return typeof key === 'string' ? setMember(text, parent, { key, value, order }) : undefined;
  if (!isSeq(parent) || typeof key !== 'number') return undefined;
  const column = columnOf(text, startOf(parent) ?? 0);
  if (key < parent.items.length) {
    const [from, to] = [startOf(parent.items[key]), endOf(parent.items[key], text)];
    if (from === undefined || to === undefined) return undefined;
    return `${text.slice(0, from)}${writeBlock([value], column).slice(2)}${text.slice(to)}`;
  }
  return insertAfter(text, endOf(parent.items.at(-1), text), writeBlock([value], column), column);
}

interface NewMember {
  readonly key: string;
  readonly value: unknown;
  /** All names in their usual order. Empty: new members go to the end. */
  readonly order: readonly string[];
}

function setMember(
  text: string,
  parent: { items: Parameters<typeof pairOf>[0] },
  member: NewMember,
): string | undefined {
  const { key, value, order } = member;
  const first = startOf(parent.items[0]?.key);
  if (first === undefined) return undefined;
  const column = columnOf(text, first);
  const written = writeBlock({ [key]: value }, column);
  const pair = pairOf(parent.items, key);
  if (pair) {
    const [from, to] = [startOf(pair.key), endOf(pair, text)];
    if (from === undefined || to === undefined) return undefined;
    // An absent value leaves its colon, which is removed, too.
    const rest = text.slice(to).replace(/^[^\S\n]*:/, '');
    return `${text.slice(0, from)}${written}${rest}`;
  }
  const place = order.indexOf(key);
  const previous = parent.items.findLast(
    ({ key: name }) => isScalar(name) && order.slice(0, Math.max(0, place)).includes(String(name.value)),
  );
  if (!previous && place !== -1 && standsAlone(text, first)) {
    const at = lineStart(text, first);
    return `${text.slice(0, first)}${written}\n${' '.repeat(column)}${text.slice(at + column)}`;
  }
  return insertAfter(text, endOf(previous ?? parent.items.at(-1), text), written, column);
}

/** Whether the line has no comment above that belongs to it. */
function standsAlone(text: string, offset: number): boolean {
  const from = lineStart(text, offset);
  const above = text.slice(lineStart(text, Math.max(0, from - 1)), from);
  return text.slice(from, offset).trim() === '' && !above.trimStart().startsWith('#');
}

function insertAfter(text: string, end: number | undefined, written: string, column: number): string | undefined {
  if (end === undefined) return undefined;
  const at = lineEnd(text, end);
  return `${text.slice(0, at)}\n${' '.repeat(column)}${written}${text.slice(at)}`;
}

function spliceRemove(text: string, document: Document, path: EditPath): string | undefined {
  const parent = nodeAt(document, path.slice(0, -1));
  const key = path.at(-1);
  if (!isCollection(parent) || key === undefined) return undefined;
  if (parent.items.length === 1) {
    const empty = isSeq(parent) ? [] : {};
    return path.length === 1
      ? undefined
      : spliceSet(text, document, { kind: 'set', path: path.slice(0, -1), value: empty });
  }
  const items: readonly unknown[] = parent.items;
  const index =
    typeof key === 'number'
      ? key
      : items.findIndex((item) => isPair(item) && isScalar(item.key) && item.key.value === key);
  const item = items[index];
  const start = startOf(isPair(item) ? item.key : item);
  const end = endOf(item, text);
  if (start === undefined || end === undefined) return undefined;
  const from = lineStart(text, start);
  // The item is on the line of the dash around it, so the following text moves up.
  const isInline =
    !/^[^\S\n]*(?:-[^\S\n]+)?$/.test(text.slice(from, start)) || (isPair(item) && /-/.test(text.slice(from, start)));
  if (isInline) {
    const next = items[index + 1];
    const to = startOf(isPair(next) ? next.key : next);
    if (to === undefined || text.slice(end, to).includes('#')) return undefined;
    return `${text.slice(0, start)}${text.slice(to)}`;
  }
  const head = index > 0 ? skipCommentsAbove(text, from, columnOf(text, isPair(item) ? start : from)) : from;
  const to = lineEnd(text, end);
  return `${text.slice(0, head)}${text.slice(Math.min(text.length, to + 1))}`;
}

/** Returns the start of the comments right above an item, which are removed with it. */
function skipCommentsAbove(text: string, from: number, column: number): number {
  let start = from;
  while (start > 0) {
    const above = lineStart(text, start - 1);
    const line = text.slice(above, start - 1);
    const indent = /^( *)#/.exec(line)?.[1]?.length;
    if (indent === undefined || indent < column) return start;
    start = above;
  }
  return start;
}
