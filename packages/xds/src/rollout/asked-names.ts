import { parseResourceKey, type ResourceKey, type ResourceRef } from '../resource.ts';
import { WILDCARD } from '../resource-type.ts';
import type { Entry } from './entry.ts';

/** What one Envoy asks for on its stream, by type. */
export class AskedNames {
  readonly #names = new Map<string, Set<string>>();

  /** Types it has spoken of, also those of which it asks for nothing. */
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
    // Under a wildcard single names tell nothing more, and requests for unknown hosts could bring any number of them.
    if (!known.has(WILDCARD)) for (const name of names) known.add(name);
  }

  delete(typeUrl: string, names: readonly string[]): void {
    for (const name of names) this.#names.get(typeUrl)?.delete(name);
  }

  /** Those of an entry's dependencies that Envoy asks for. */
  listNeeds(entry: Entry, typeUrl?: string): ResourceRef[] {
    const refs = entry.dependsOn.filter((key) => this.has(key)).map(parseResourceKey);
    return refs.filter((ref) => typeUrl === undefined || ref.typeUrl === typeUrl);
  }
}
