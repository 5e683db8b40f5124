import { parseDocument, stringify } from 'yaml';
import { readJson } from './json-reader.ts';
import { READ_MAX } from './read.ts';
import { type Language, type TreeNode, toValue } from './tree.ts';
import { readYaml } from './yaml-reader.ts';

/** Flat objects and lists shorter than this stay on one line if they were on one. */
const LINE_MAX = 100;

/**
 * Indents a document by two spaces. Keeps the order of keys, YAML comments and the spelling of numbers. Returns
 * undefined while the text has a syntax error.
 */
export function formatText(text: string, language: Language): string | undefined {
  return language === 'json' ? formatJson(text) : formatYaml(text);
}

function formatJson(text: string): string | undefined {
  const { root, problems } = readJson(text);
  if (!root || problems.some(({ rule }) => rule === 'syntax')) return undefined;
  return `${write(text, root, '')}\n`;
}

function write(text: string, node: TreeNode, indent: string): string {
  const source = text.slice(node.from, node.to);
  if (node.kind === 'scalar') return source;
  const isFlat = node.kind === 'list' && node.items.every((item) => item.kind === 'scalar') && !source.includes('\n');
  const inner = `${indent}  `;
  const parts =
    node.kind === 'list'
      ? node.items.map((item) => write(text, item, inner))
      : node.members.map(
          (member) =>
            `${text.slice(member.keyFrom, member.keyTo)}: ${member.value ? write(text, member.value, inner) : 'null'}`,
        );
  const [open, close] = node.kind === 'list' ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const line = `${open}${parts.join(', ')}${close}`;
  if (isFlat && indent.length + line.length <= LINE_MAX) return line;
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}

function formatYaml(text: string): string | undefined {
  const document = parseDocument(text, { prettyErrors: false, intAsBigInt: true });
  if (document.errors.length > 0) return undefined;
  return document.toString({ indent: 2, lineWidth: 0, flowCollectionPadding: false });
}

/**
 * Converts JSON text to YAML or back, to switch between the two. Drops comments. Integers beyond the safe range become
 * strings, as proto-JSON writes them. Returns undefined while the text has an error. Parsing JSON is about twenty times
 * faster than YAML.
 */
export function convertText(text: string, to: Language): string | undefined {
  const read = readValue(text);
  if (!read) return undefined;
  return to === 'yaml'
    ? stringify(read.value, { indent: 2, lineWidth: 0 })
    : `${JSON.stringify(read.value, null, 2)}\n`;
}

function readValue(text: string): { value: unknown } | undefined {
  if (/^\s*[{[]/.test(text)) {
    const { root, problems } = readJson(text);
    if (problems.length === 0) return { value: toValue(root) };
    // It may still be YAML in flow style, but checking that is too slow while the user types.
    if (text.length > READ_MAX.yaml) return undefined;
  }
  const { root, problems } = readYaml(text);
  return problems.length === 0 ? { value: toValue(root) } : undefined;
}
