import { parseResourceKey, type ResourceKey, type ResourceRef } from '../resource.ts';
import { WILDCARD } from '../resource-type.ts';
import type { Entry } from './entry.ts';

/** The resources that one Envoy requests on its stream, by type. */
export class AskedNames {
  readonly #names = new Map<string, Set<string>>();

  /** Types that Envoy has mentioned, including those of which it requests nothing. */
  types(): ReadonlySet<string> {
    return new Set(this.#names.keys());
  }

  hasType(typeUrl: string): boolean {
    return this.#names.has(typeUrl);
  }

  has(key: ResourceKey): boolean {
    const { typeUrl, name } = parseResourceKey(key);
    const names = this.#names.get(typeUrl);
    return names !== undefined && (names.has(name) || names.has(WILDCARD));
  }

  add(typeUrl: string, names: readonly string[]): void {
    const known = this.#names.get(typeUrl) ?? new Set();
    this.#names.set(typeUrl, known);
    // Under a wildcard, single names add nothing, and requests for unknown hosts could add any number of them.
    if (!known.has(WILDCARD)) for (const name of names) known.add(name);
  }

  delete(typeUrl: string, names: readonly string[]): void {
    for (const name of names) this.#names.get(typeUrl)?.delete(name);
  }

  /** The dependencies of an entry that Envoy requests. */
  listNeeds(entry: Entry, typeUrl?: string): ResourceRef[] {
    const refs = entry.dependsOn.filter((key) => this.has(key)).map(parseResourceKey);
    return refs.filter((ref) => typeUrl === undefined || ref.typeUrl === typeUrl);
  }
}
