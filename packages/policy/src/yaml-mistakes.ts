import { type Document, isCollection, isMap, isPair, isScalar, Scalar } from 'yaml';

/** A YAML syntax error. The message never quotes the text, which may contain a key. */
export interface YamlMistake {
  /** Offset in the text; for something unclosed, where it was opened. */
  readonly offset: number;
  readonly rule: string;
  readonly message: string;
}

const MISTAKES_MAX = 100;

/** In text order, one per place: later errors at the same place follow from the first. */
export function listMistakes(document: Document): YamlMistake[] {
  const stops = new Map<number, { readonly code: string; readonly message: string }>();
  const found = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    at: pos[0],
    code,
    message,
  }));
  for (const { at, code, message } of [...found, ...findKeysAgain(document)].toSorted((a, b) => a.at - b.at)) {
    if (stops.size < MISTAKES_MAX && !stops.has(at)) stops.set(at, { code, message });
  }
  const unclosed = findUnclosed(document, stops);
  return [...stops].map(([stop, { code, message }]) => {
    const open = isLeftOpen(message) ? unclosed.get(stop) : undefined;
    const rule = ruleOf(code);
    if (open === undefined) return { offset: stop, rule, message: describe(code, message) };
    return { offset: open.offset, rule, message: notYaml(describeOpen(open.sign)) };
  });
}

/** Finds duplicate keys. The parser would compare each key with all others: 40,000 took twelve seconds. */
function findKeysAgain(document: Document): { at: number; code: string; message: string }[] {
  const found: { at: number; code: string; message: string }[] = [];
  const waiting: unknown[] = [document.contents];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isPair(node)) waiting.push(node.key, node.value);
    if (!isCollection(node)) continue;
    const seen = new Set<unknown>();
    for (const item of node.items) {
      waiting.push(item);
      if (!isMap(node) || !isPair(item) || !isScalar(item.key)) continue;
      const { value, range } = item.key;
      if (seen.has(value)) found.push({ at: range?.[0] ?? 0, code: 'DUPLICATE_KEY', message: '' });
      seen.add(value);
    }
  }
  return found;
}

/** Matches the parser's messages for a missing closing quote, brace or bracket. */
function isLeftOpen(message: string): boolean {
  return message.startsWith('Missing closing') || / end with a [}\]]$/.test(message);
}

interface Opening {
  readonly offset: number;
  readonly sign: string;
}

/**
 * Finds what ends where the parser stopped, the innermost for each place. Not recursive, because an unclosed text may
 * be nested deeper than the stack.
 */
function findUnclosed(document: Document, stops: ReadonlyMap<number, unknown>): Map<number, Opening> {
  const found = new Map<number, Opening>();
  const waiting: unknown[] = [document.contents];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isPair(node)) {
      waiting.push(node.key, node.value);
      continue;
    }
    if (!isScalar(node) && !isCollection(node)) continue;
    const sign = signOf(node);
    const [offset, end] = node.range ?? [0, -1];
    if (sign !== undefined && stops.has(end) && offset >= (found.get(end)?.offset ?? 0))
      found.set(end, { offset, sign });
    if (isCollection(node)) for (const item of node.items) waiting.push(item);
  }
  return found;
}

/** The opening character of a node that needs a closing one. */
function signOf(node: unknown): string | undefined {
  if (isScalar(node)) {
    if (node.type === Scalar.QUOTE_DOUBLE) return '"';
    return node.type === Scalar.QUOTE_SINGLE ? "'" : undefined;
  }
  if (!isCollection(node) || node.flow !== true) return undefined;
  return isMap(node) ? '{' : '[';
}

function describeOpen(sign: string): string {
  switch (sign) {
    case '"':
      return 'the double quote opened here has no end';
    case "'":
      return 'the single quote opened here has no end';
    case '{':
      return 'the { opened here has no }, or it stands too far left';
    default:
      return 'the [ opened here has no ], or it stands too far left';
  }
}

function ruleOf(code: string): string {
  if (code === 'DUPLICATE_KEY') return 'file.duplicate_key';
  return code === 'RESOURCE_EXHAUSTION' ? 'file.depth' : 'file.syntax';
}

function describe(code: string, message: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'the same key is written twice in one mapping';
    case 'RESOURCE_EXHAUSTION':
      return 'is nested too deeply';
    case 'TAG_RESOLVE_FAILED':
      return 'uses a YAML tag that a policy may not use';
    case 'TAB_AS_INDENT':
      return 'is indented with a tab';
    case 'BAD_ALIAS':
      return 'refers to an anchor that is not defined before it';
    case 'BAD_INDENT':
      return notYaml('has another indentation than its neighbours');
    case 'BAD_SCALAR_START':
      return notYaml('a value that begins with this character needs quotes');
    case 'BAD_DQ_ESCAPE':
      return notYaml('contains a backslash in double quotes: write it twice');
    case 'BLOCK_AS_IMPLICIT_KEY':
      return notYaml('has a value that contains ": ": put it in quotes, or indent the next line like this one');
    case 'BLOCK_IN_FLOW':
      return notYaml('in { } and [ ], fields and entries are separated by commas');
    case 'MULTILINE_IMPLICIT_KEY':
      return notYaml('has a field name of more than one line');
    case 'UNEXPECTED_TOKEN':
      return notYaml('does not belong here: a quote, comma or bracket may be missing before it');
    case 'MISSING_CHAR':
      return notYaml(describeMissing(message));
    default:
      return `is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
  }
}

/** `message` is the parser's, of which only the beginning is used. */
function describeMissing(message: string): string {
  if (message.startsWith('Implicit map keys')) return 'a colon is missing after the name of the field';
  if (message.startsWith('Missing ,')) return 'a comma is missing before this entry';
  if (message.startsWith('Missing space')) return 'a space is missing after the colon';
  if (message.startsWith('Comments')) return 'a space is missing before the #';
  if (message.startsWith('Sequence item')) return 'a dash is missing before this entry';
  return 'a character is missing here';
}

function notYaml(what: string): string {
  return `is not valid YAML: ${what}`;
}
