import { isAlias, isMap, isScalar, isSeq, type Pair, Scalar, visit } from 'yaml';
import { digestApiKey } from './engines/api-key-digest.ts';
import { isRecord } from './engines/engine-spec.ts';
import type { Complaint, FieldPath } from './problem.ts';
import { readYamlSource, type YamlSource } from './yaml-source.ts';

/**
 * Replaces every raw `key` of an api_key block by its `sha256`, so that the text can be stored. Everything else in the
 * text (comments, order, spacing) stays. Validate the document first: in a text that cannot be parsed nothing is
 * replaced, and a key behind a YAML alias is rejected by validation, not found here.
 */
export function replaceRawKeys(policyText: string): { text: string; replaced: number } {
  const source = readYamlSource({ path: 'policy.yaml', content: policyText });
  // The syntax tree of a text costs many times its value, and most stored texts were already processed.
  if (!source.ok || (source.value.isPlain && !holdsRawKey(source.value.value)))
    return { text: policyText, replaced: 0 };
  const edits = new Map<number, Edit>();
  let replaced = 0;
  for (const { pair } of findKeyPairs(source.value)) {
    const { key: name, value } = pair;
    if (!isScalar(name) || !isScalar(value) || !name.range || !value.range) continue;
    if (typeof value.value !== 'string' || value.value === '' || edits.has(name.range[0])) continue;
    const quote = name.type === Scalar.QUOTE_DOUBLE ? '"' : name.type === Scalar.QUOTE_SINGLE ? "'" : '';
    edits.set(name.range[0], { start: name.range[0], end: name.range[1], text: `${quote}sha256${quote}` });
    const block = value.type === Scalar.BLOCK_LITERAL || value.type === Scalar.BLOCK_FOLDED;
    // Quoted, because 64 digits without a letter would be a number. The range of a block scalar includes its line end.
    const text = `"${digestApiKey(value.value)}"${block ? '\n' : ''}`;
    edits.set(value.range[0], { start: value.range[0], end: value.range[1], text });
    replaced += 1;
  }
  let text = policyText;
  for (const edit of [...edits.values()].sort((a, b) => b.start - a.start)) {
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  }
  return { text, replaced };
}

/** Whether an entry with a raw key exists anywhere, even where no key belongs. */
function holdsRawKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsRawKey);
  if (!isRecord(value)) return false;
  const { api_key: block } = value;
  const keys: readonly unknown[] = isRecord(block) && Array.isArray(block.keys) ? block.keys : [];
  return keys.some((entry) => isRecord(entry) && entry.key !== undefined) || Object.values(value).some(holdsRawKey);
}

/**
 * A raw key behind an alias is in another field, where it would survive the replacement. One that an alias repeats
 * elsewhere would be disclosed there: as a subject, in findings and to upstreams.
 */
export function findAliasedKeys(source: YamlSource): Complaint[] {
  if (source.isPlain) return [];
  const pairs = findKeyPairs(source);
  const repeated = findRepeated(source, new Set(pairs.flatMap(({ pair }) => anchorOf(pair.value) ?? [])));
  return pairs.flatMap(({ pair, path }): Complaint[] => {
    if (isAlias(pair.value))
      return [{ path, rule: 'api_key.key', message: 'must be written here, not as a YAML alias' }];
    if (!repeated.has(anchorOf(pair.value) ?? '')) return [];
    return [{ path, rule: 'api_key.key', message: 'is repeated by a YAML alias, where it would not stay secret' }];
  });
}

function anchorOf(node: unknown): string | undefined {
  return isScalar(node) ? node.anchor : undefined;
}

/** Those of the anchors that an alias refers to, by name only: resolving each alias would walk the document. */
function findRepeated({ document }: YamlSource, anchors: ReadonlySet<string>): Set<string> {
  const repeated = new Set<string>();
  if (anchors.size === 0) return repeated;
  visit(document, {
    Alias: (_, { source }) => {
      if (anchors.has(source)) repeated.add(source);
    },
  });
  return repeated;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The `key: ...` pairs in all entries of all api_key blocks. A block behind an alias is found in each of its places. */
function findKeyPairs(source: YamlSource): { pair: Pair; path: FieldPath }[] {
  const get = (node: unknown, name: string): unknown => {
    const map = source.places.resolve(node);
    return isMap(map) ? source.places.resolve(map.get(name, true)) : undefined;
  };
  const itemsOf = (node: unknown): readonly unknown[] => (isSeq(node) ? node.items : []);
  const domains = itemsOf(get(get(source.document.contents, 'spec'), 'domains'));
  const holders = domains.flatMap((domain, d) => [
    { node: domain, path: ['spec', 'domains', d] },
    ...itemsOf(get(domain, 'routes')).map((node, r) => ({ node, path: ['spec', 'domains', d, 'routes', r] })),
  ]);
  return holders.flatMap(({ node, path }) =>
    itemsOf(get(get(get(get(node, 'policy'), 'engines'), 'api_key'), 'keys')).flatMap((item, index) => {
      const entry = source.places.resolve(item);
      const pair = isMap(entry) ? entry.items.find(({ key }) => isScalar(key) && key.value === 'key') : undefined;
      return pair ? [{ pair, path: [...path, 'policy', 'engines', 'api_key', 'keys', index, 'key'] }] : [];
    }),
  );
}
