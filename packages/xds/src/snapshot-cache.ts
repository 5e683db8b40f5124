import { ContentStore } from './content-store.ts';
import { type Resource, type ResourceKey, type Snapshot, toResourceKey } from './resource.ts';
import type { Offer, ResourceSource, SourceChange } from './resource-source.ts';

export interface SnapshotChange {
  readonly nodeId: string;
  /** Undefined: the node was deleted. */
  readonly snapshot: Snapshot | undefined;
}

interface Node {
  snapshot: Snapshot | undefined;
  /** Resources per type, so that a wildcard need not walk the whole snapshot. */
  byType: Map<string, Map<string, Resource>>;
  readonly watchers: Set<(change: SnapshotChange, types: ReadonlySet<string>) => void>;
}

function groupByType(snapshot: Snapshot | undefined): Map<string, Map<string, Resource>> {
  const byType = new Map<string, Map<string, Resource>>();
  for (const resource of snapshot?.resources.values() ?? []) {
    const names = byType.get(resource.typeUrl) ?? new Map<string, Resource>();
    names.set(resource.name, resource);
    byType.set(resource.typeUrl, names);
  }
  return byType;
}

function deriveChangedTypes(
  before: ReadonlyMap<string, ReadonlyMap<string, Resource>>,
  after: ReadonlyMap<string, ReadonlyMap<string, Resource>>,
): Set<string> {
  const changed = new Set<string>();
  for (const typeUrl of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(typeUrl);
    const now = after.get(typeUrl);
    const same =
      old?.size === now?.size && [...(now ?? [])].every(([name, { version }]) => old?.get(name)?.version === version);
    if (!same) changed.add(typeUrl);
  }
  return changed;
}

/**
 * The latest snapshot of every node, and its watchers. Setting equal content has no effect. Nodes share the objects of
 * equal resources. Watchers are called synchronously and must not throw.
 */
export class SnapshotCache {
  readonly #nodes = new Map<string, Node>();
  readonly #contents = new ContentStore();

  get(nodeId: string): Snapshot | undefined {
    return this.#nodes.get(nodeId)?.snapshot;
  }

  nodeIds(): string[] {
    return [...this.#nodes].filter(([, node]) => node.snapshot).map(([nodeId]) => nodeId);
  }

  /** False if the node already has this content. */
  set(nodeId: string, snapshot: Snapshot): boolean {
    const node = this.#open(nodeId);
    if (node.snapshot?.version === snapshot.version) return false;
    const resources = new Map<ResourceKey, Resource>();
    for (const resource of snapshot.resources.values()) {
      resources.set(toResourceKey(resource), this.#contents.intern(resource));
    }
    this.#replace(nodeId, node, { ...snapshot, resources });
    return true;
  }

  delete(nodeId: string): void {
    const node = this.#nodes.get(nodeId);
    if (!node) return;
    if (node.snapshot) this.#replace(nodeId, node, undefined);
    this.#forget(nodeId, node);
  }

  /** Reports every later change of this node; the returned function stops it. */
  watch(nodeId: string, onChange: (change: SnapshotChange) => void): () => void {
    return this.#watch(nodeId, onChange);
  }

  /** The source for a stream of this node. Clients of a node without a snapshot keep what they have: nothing is removed. */
  source(nodeId: string): ResourceSource {
    return {
      ready: () => this.#nodes.get(nodeId)?.snapshot !== undefined,
      names: (typeUrl) => this.#nodes.get(nodeId)?.byType.get(typeUrl)?.keys() ?? [],
      offer: (typeUrl, name) => this.#offer(nodeId, typeUrl, name),
      watch: (onChange: (change: SourceChange) => void) => this.#watch(nodeId, (_, types) => onChange({ types })),
    };
  }

  #offer(nodeId: string, typeUrl: string, name: string): Offer {
    const node = this.#nodes.get(nodeId);
    if (!node?.snapshot) return { kind: 'keep', resource: undefined };
    const resource = node.byType.get(typeUrl)?.get(name);
    return resource ? { kind: 'serve', resource } : { kind: 'absent' };
  }

  #open(nodeId: string): Node {
    let node = this.#nodes.get(nodeId);
    if (!node) {
      node = { snapshot: undefined, byType: new Map(), watchers: new Set() };
      this.#nodes.set(nodeId, node);
    }
    return node;
  }

  #replace(nodeId: string, node: Node, snapshot: Snapshot | undefined): void {
    const before = node.byType;
    node.snapshot = snapshot;
    node.byType = groupByType(snapshot);
    const types = deriveChangedTypes(before, node.byType);
    for (const watcher of [...node.watchers]) watcher({ nodeId, snapshot }, types);
  }

  #watch(nodeId: string, watcher: (change: SnapshotChange, types: ReadonlySet<string>) => void): () => void {
    const node = this.#open(nodeId);
    node.watchers.add(watcher);
    return () => {
      node.watchers.delete(watcher);
      this.#forget(nodeId, node);
    };
  }

  #forget(nodeId: string, node: Node): void {
    if (!node.snapshot && node.watchers.size === 0 && this.#nodes.get(nodeId) === node) this.#nodes.delete(nodeId);
  }
}
