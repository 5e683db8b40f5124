import { Buffer } from 'node:buffer';
import { GeoDatabase, type NetworkSet, NetworkSetBuilder } from '@flotilla/collector';

/** Threat feeds and GeoIP databases. Projects that read the same one share it. */
export class DataSets {
  readonly #networks = new Map<string, NetworkSet>();
  readonly #databases = new Map<string, GeoDatabase>();
  readonly #builders = new Map<string, NetworkSetBuilder>();
  readonly #parts = new Map<string, Uint8Array[]>();

  addNetworks(id: string, part: string, isLast: boolean): void {
    const builder = this.#builders.get(id) ?? new NetworkSetBuilder();
    this.#builders.set(id, builder);
    for (const network of part.split('\n')) builder.add(network);
    if (!isLast) return;
    this.#builders.delete(id);
    this.#networks.set(id, builder.build());
  }

  /** Throws GeoDatabaseError for a file that cannot be read. */
  addDatabase(id: string, part: Uint8Array, isLast: boolean): void {
    const parts = this.#parts.get(id) ?? [];
    this.#parts.set(id, parts);
    parts.push(part);
    if (!isLast) return;
    this.#parts.delete(id);
    this.#databases.set(id, new GeoDatabase(Buffer.concat(parts)));
  }

  drop(id: string): void {
    this.#networks.delete(id);
    this.#databases.delete(id);
    this.#builders.delete(id);
    this.#parts.delete(id);
  }

  networks(ids: readonly string[]): NetworkSet[] {
    return ids.flatMap((id) => this.#networks.get(id) ?? []);
  }

  database(id: string | undefined): GeoDatabase | undefined {
    return id === undefined ? undefined : this.#databases.get(id);
  }
}
