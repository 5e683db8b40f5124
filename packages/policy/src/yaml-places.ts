import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { FieldPath } from './problem.ts';

/**
 * The positions of a document's fields in its text. Caches lookups: a rejected policy may have a thousand fields with
 * problems, each among as many thousand siblings.
 */
export class YamlPlaces {
  readonly #document: Document;
  readonly #members = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
  readonly #targets = new WeakMap<Alias, Node | undefined>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** Offset of the field, or of its nearest parent in the text. */
  offsetOf(path: FieldPath, at: 'key' | 'value'): number {
    let node: unknown = this.#document.contents;
    let offset = (this.#document.contents as Node | null)?.range?.[0] ?? 0;
    for (const [index, part] of path.entries()) {
      const container = this.resolve(node);
      if (isMap(container)) {
        const pair = this.#membersOf(container).get(String(part));
        if (!pair) return offset;
        const wanted = at === 'key' && index === path.length - 1 ? pair.key : (pair.value ?? pair.key);
        // A parent's position is its key: the line where a person looks for a missing member.
        offset = rangeStart(index === path.length - 1 ? wanted : pair.key) ?? offset;
        node = pair.value;
      } else if (isSeq(container) && typeof part === 'number') {
        const item = container.items[part];
        if (item === undefined) return offset;
        offset = rangeStart(item) ?? offset;
        node = item;
      } else {
        return offset;
      }
    }
    return offset;
  }

  /** Resolves an alias; returns every other node unchanged. */
  resolve(node: unknown): unknown {
    if (!isAlias(node)) return node;
    if (!this.#targets.has(node)) this.#targets.set(node, node.resolve(this.#document));
    return this.#targets.get(node);
  }

  /** By name; of duplicates, the first. */
  #membersOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#members.get(map);
    if (known !== undefined) return known;
    const members = new Map<string, Pair>();
    for (const pair of map.items) {
      const name = isScalar(pair.key) ? String(pair.key.value) : undefined;
      if (name !== undefined && !members.has(name)) members.set(name, pair);
    }
    this.#members.set(map, members);
    return members;
  }
}

function rangeStart(node: unknown): number | undefined {
  if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) return node.range?.[0];
  return undefined;
}
