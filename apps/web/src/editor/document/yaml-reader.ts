import { type Document, isAlias, isMap, isScalar, isSeq, parseAllDocuments, Scalar } from 'yaml';
import { texts } from './texts.ts';
import type { DocumentTree, Member, ScalarValue, SyntaxProblem, TreeNode } from './tree.ts';

const words = texts.yamlReader;

const PROBLEMS_MAX = 100;
const DEPTH_MAX = 500;
/** Aliases must not expand a small text to a huge tree. */
const ALIASES_MAX = 1000;

/** Reads YAML 1.2 into the same tree as JSON. Total: any text gives a tree, with its problems in plain words. */
export function readYaml(text: string): DocumentTree {
  try {
    const parsed = parseAllDocuments(text, {
      prettyErrors: false,
      uniqueKeys: true,
      version: '1.2',
      intAsBigInt: true,
    });
    const documents: Document[] = Array.isArray(parsed) ? parsed : [];
    const document = documents[0];
    if (!document) return { root: undefined, problems: [] };
    const problems: SyntaxProblem[] = documents
      .flatMap((each) => [...each.errors, ...each.warnings])
      .slice(0, PROBLEMS_MAX)
      .map(({ code, pos }) => ({
        from: Math.min(pos[0], text.length),
        to: Math.min(Math.max(pos[1], pos[0] + 1), text.length),
        rule: code === 'DUPLICATE_KEY' ? 'duplicate_key' : 'syntax',
        message: describe(code),
      }));
    const second = documents[1];
    if (second)
      problems.push({
        from: second.range?.[0] ?? 0,
        to: text.length,
        rule: 'syntax',
        message: words.readYaml.secondDocument,
      });
    return { root: new YamlTree(document).build(document.contents, 0), problems };
  } catch (error) {
    // The parser recurses: thousands of levels end in a RangeError.
    if (error instanceof RangeError)
      return {
        root: undefined,
        problems: [{ from: 0, to: 1, rule: 'syntax', message: words.readYaml.tooDeep }],
      };
    throw error;
  }
}

class YamlTree {
  readonly #document: Document;
  #aliases = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  build(node: unknown, depth: number): TreeNode | undefined {
    if (depth > DEPTH_MAX) return undefined;
    if (isAlias(node)) {
      this.#aliases += 1;
      const target = this.#aliases > ALIASES_MAX ? undefined : node.resolve(this.#document);
      const built = target ? this.build(target, depth + 1) : undefined;
      const range = node.range;
      // Problems inside are shown at the alias.
      return built && range ? moveTo(built, range[0], range[1]) : built;
    }
    if (isMap(node)) {
      const members: Member[] = [];
      for (const { key, value } of node.items) {
        if (!isScalar(key) || !key.range) continue;
        const built = value === null ? undefined : this.build(value, depth + 1);
        const [keyFrom, keyTo] = key.range;
        members.push({ key: String(key.value ?? ''), keyFrom, keyTo, colon: keyTo, value: built });
      }
      const [from, to] = node.range ?? [0, 0];
      return { kind: 'object', from, to, members, closed: true };
    }
    if (isSeq(node)) {
      const [from, to] = node.range ?? [0, 0];
      const items = node.items.map((item) => this.build(item, depth + 1) ?? emptyAt(from));
      return { kind: 'list', from, to, items, closed: true };
    }
    if (isScalar(node)) {
      const [from, end] = node.range ?? [0, 0];
      const block = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;
      return { kind: 'scalar', from, to: block ? Math.max(from, end - 1) : end, value: toScalar(node.value) };
    }
    return undefined;
  }
}

function emptyAt(from: number): TreeNode {
  return { kind: 'scalar', from, to: from, value: null };
}

function moveTo(node: TreeNode, from: number, to: number): TreeNode {
  if (node.kind === 'scalar') return { ...node, from, to };
  if (node.kind === 'list') return { ...node, from, to, items: node.items.map((item) => moveTo(item, from, to)) };
  const members = node.members.map((member) => ({
    ...member,
    keyFrom: from,
    keyTo: to,
    value: member.value && moveTo(member.value, from, to),
  }));
  return { ...node, from, to, members };
}

function toScalar(value: unknown): ScalarValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (value === undefined || value === null) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

function describe(code: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return words.describe.nameTwice;
    case 'TAB_AS_INDENT':
      return words.describe.tab;
    case 'BAD_INDENT':
      return words.describe.indentation;
    case 'MISSING_CHAR':
      return words.describe.charMissing;
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'BLOCK_IN_FLOW':
    case 'MULTILINE_IMPLICIT_KEY':
      return words.describe.misfit;
    case 'BAD_ALIAS':
      return words.describe.unknownAnchor;
    case 'TAG_RESOLVE_FAILED':
      return words.describe.unknownTag;
    case 'RESOURCE_EXHAUSTION':
      return texts.yamlReader.readYaml.tooDeep;
    case 'UNEXPECTED_TOKEN':
      return words.describe.stray;
    default:
      return words.describe.invalid(code.toLowerCase().replaceAll('_', ' '));
  }
}
