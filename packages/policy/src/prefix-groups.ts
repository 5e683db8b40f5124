/** Prefixes of one length, and the entries of each. */
interface PrefixLength<T> {
  readonly length: number;
  readonly routes: Map<string, T[]>;
}

/** Prefixes grouped by length: a lookup takes one step per length in use, however many prefixes there are. */
export class PrefixGroups<T> {
  /** The longest first. */
  readonly #groups: PrefixLength<T>[] = [];

  /** Adds an entry to a prefix; returns the live list of all its entries. */
  add(prefix: string, entry: T): readonly T[] {
    const { routes } = this.#groupOf(prefix.length);
    const found = routes.get(prefix);
    if (found === undefined) {
      const entries = [entry];
      routes.set(prefix, entries);
      return entries;
    }
    found.push(entry);
    return found;
  }

  /** The entries of the longest prefix of a path. */
  findLongest(path: string): readonly T[] | undefined {
    for (const { length, routes } of this.#groups) {
      if (length > path.length) continue;
      const found = routes.get(path.slice(0, length));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  list(): (readonly [prefix: string, entries: readonly T[]])[] {
    return this.#groups.flatMap(({ routes }) => [...routes]);
  }

  copy(): PrefixGroups<T> {
    const copied = new PrefixGroups<T>();
    for (const [prefix, entries] of this.list()) for (const entry of entries) copied.add(prefix, entry);
    return copied;
  }

  #groupOf(length: number): PrefixLength<T> {
    const at = this.#groups.findIndex((group) => group.length <= length);
    const found = this.#groups[at];
    if (found?.length === length) return found;
    const group = { length, routes: new Map<string, T[]>() };
    this.#groups.splice(at === -1 ? this.#groups.length : at, 0, group);
    return group;
  }
}
