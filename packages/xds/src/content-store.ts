import { type Resource, toResourceKey } from './resource.ts';

/**
 * Deduplicates equal resources, so that data derived from a resource (its wire form) exists once however many nodes
 * have it. Holds resources weakly: one that no snapshot and no stream uses is forgotten.
 */
export class ContentStore {
  readonly #known = new Map<string, WeakRef<Resource>>();
  readonly #cleanup = new FinalizationRegistry<string>((address) => {
    if (this.#known.get(address)?.deref() === undefined) this.#known.delete(address);
  });

  get size(): number {
    return this.#known.size;
  }

  /** The shared object for this type, name and version; `resource` itself if it is the first. */
  intern(resource: Resource): Resource {
    const address = `${toResourceKey(resource)}\n${resource.version}`;
    const known = this.#known.get(address)?.deref();
    if (known) return known;
    this.#known.set(address, new WeakRef(resource));
    this.#cleanup.register(resource, address);
    return resource;
  }
}
