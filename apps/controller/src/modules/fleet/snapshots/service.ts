import { type Database, type Db, type OutboxEvent, type OutboxReader, openOutboxReader } from '@flotilla/db';
import { parseNodeId } from '@flotilla/proto';
import type { EnvoyApis } from '../../configuration/public.ts';
import { ErrorReporter } from './error-reporter.ts';
import { type ConfiguredNode, nodeIdOf } from './node-input.ts';
import { type NodePreview, ScopeSnapshots, type ScopeSnapshotsDeps } from './scope-snapshots.ts';
import { TimeSlices } from './time-slices.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface NodeFilter {
  readonly projectId?: string;
  readonly clientId?: string;
  readonly serviceIds?: readonly string[];
  readonly includeListed?: boolean;
}

export interface SnapshotServiceDeps extends Omit<ScopeSnapshotsDeps, 'reporter' | 'onRebuilt'> {
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly envoyApis: EnvoyApis;
  readonly listNodes: (db: Db, filter: NodeFilter) => Promise<readonly ConfiguredNode[]>;
}

/** Uses the same documents and must not run ahead of the snapshots. */
export interface SnapshotFollower {
  onEvents(events: readonly OutboxEvent[]): Promise<void>;
  onLost(): Promise<void>;
  /** An interrupted build that a node of the client uses has succeeded. */
  onRebuilt(clientId: string): void;
}

/**
 * Keeps the snapshots of this controller's nodes in line with the database. A node is unknown until its first stream
 * opens (`ensureNode`), then active: every committed change of a document that its translation read rebuilds it, and no
 * other node. It is dropped when its service leaves its client. Everything is derived, so a starting controller has
 * nothing to recover.
 */
export class SnapshotService {
  readonly #deps: SnapshotServiceDeps;
  readonly #scopes = new Map<string, ScopeSnapshots>();
  /** Node id -> scope key. */
  readonly #active = new Map<string, string>();
  readonly #reporter: ErrorReporter;
  #reader: OutboxReader | undefined;
  #follower: SnapshotFollower | undefined;

  constructor(deps: SnapshotServiceDeps) {
    this.#deps = deps;
    this.#reporter = new ErrorReporter(deps);
  }

  /** Starts to follow changes. */
  async start(): Promise<void> {
    this.#reader = await openOutboxReader({
      database: this.#deps.database,
      logger: this.#deps.logger,
      onEvents: async (events) => {
        await this.#apply(events);
        await this.#follower?.onEvents(events);
      },
      onLost: async () => {
        await this.#rebuildAll();
        await this.#follower?.onLost();
      },
    });
  }

  /** From now on, `follower` receives every batch of events after the snapshots have processed it. */
  follow(follower: SnapshotFollower): void {
    this.#follower = follower;
  }

  async close(): Promise<void> {
    await this.#deps.builds?.close();
    await this.#reader?.close();
    await Promise.all([...this.#scopes.values()].map((scope) => scope.settle()));
    await this.#reporter.close();
  }

  /** Builds the node's snapshot unless it exists. False: the node does not exist. */
  async ensureNode(nodeId: string): Promise<boolean> {
    if (this.#active.has(nodeId) && this.#deps.cache.get(nodeId)) return true;
    const node = await this.findNode(nodeId);
    if (!node) return false;
    await this.#activate(node);
    // An event in between has queued another build after this one.
    if (!this.#deps.cache.get(nodeId)) await this.#scopeOf(nodeId)?.settle();
    return true;
  }

  /** The service and client of a node id, deployed or only listed. */
  async findNode(nodeId: string): Promise<ConfiguredNode | undefined> {
    const named = parseNodeId(nodeId);
    if (!named || !UUID.test(named.project) || !UUID.test(named.clientId)) return undefined;
    const nodes = await this.#deps.listNodes(this.#deps.db, {
      projectId: named.project,
      clientId: named.clientId,
      includeListed: true,
    });
    return nodes.find(({ name }) => name === named.service);
  }

  /** The snapshot that the node would get with the current documents, whether it is active or not. */
  async previewNode(node: ConfiguredNode): Promise<NodePreview> {
    const scope = await this.#open(node);
    return scope.preview(node);
  }

  /**
   * The same for nodes of one project and version, with these documents (keys such as `clusters/backend`) reloaded from
   * the database, because their change event may not have arrived yet.
   */
  async previewFreshNodes(nodes: readonly ConfiguredNode[], keys: readonly string[]): Promise<NodePreview[]> {
    const [first] = nodes;
    if (!first) return [];
    const scope = await this.#open(first);
    await scope.readAgain(keys);
    const previews: NodePreview[] = [];
    const slices = new TimeSlices();
    for (const node of nodes) {
      previews.push(await this.previewNode(node));
      await slices.pause();
    }
    return previews;
  }

  async #activate(node: ConfiguredNode): Promise<void> {
    const scopeKey = scopeKeyOf(node);
    const scope = await this.#open(node);
    const id = nodeIdOf(node);
    const before = this.#active.get(id);
    if (before !== undefined && before !== scopeKey) this.#scopes.get(before)?.leave(id);
    this.#active.set(id, scopeKey);
    await scope.enter(node);
  }

  #forget(nodeId: string): void {
    const scopeKey = this.#active.get(nodeId);
    if (scopeKey === undefined) return;
    this.#active.delete(nodeId);
    this.#reporter.forget(nodeId);
    const scope = this.#scopes.get(scopeKey);
    scope?.leave(nodeId);
    // No node here uses the scope any more, so its documents need not be held.
    if (scope?.isEmpty) this.#scopes.delete(scopeKey);
    this.#deps.cache.delete(nodeId);
  }

  async #apply(events: readonly OutboxEvent[]): Promise<void> {
    const changed = new Map<string, Set<string>>();
    const services = new Set<string>();
    for (const { topic, payload } of events) {
      if (topic === 'documents.changed') {
        const { project, version, keys } = payload as { project: string; version: string; keys: string[] };
        const scopeKey = `${project}/${version}`;
        changed.set(scopeKey, new Set([...(changed.get(scopeKey) ?? []), ...keys]));
      } else if (topic === 'policies.changed') {
        const { project, service_ids: serviceIds } = payload as { project: string; service_ids: string[] };
        this.#deps.policies.forget(project);
        for (const id of serviceIds) services.add(id);
      } else if (topic === 'services.changed') {
        const { service_id: serviceId } = payload as { service_id?: string };
        if (serviceId) services.add(serviceId);
      } else if (topic === 'clients.removed') {
        const { client_id: clientId } = payload as { client_id: string };
        for (const id of this.#active.keys()) if (parseNodeId(id)?.clientId === clientId) this.#forget(id);
      }
    }
    await Promise.all([...changed].map(async ([scopeKey, keys]) => this.#scopes.get(scopeKey)?.take([...keys])));
    if (services.size > 0) await this.#servicesChanged(services);
  }

  async #servicesChanged(serviceIds: ReadonlySet<string>): Promise<void> {
    const touched = [...this.#active.keys()].filter((id) => serviceIds.has(this.#scopeOf(id)?.serviceIdOf(id) ?? ''));
    if (touched.length === 0) return;
    const nodes = await this.#deps.listNodes(this.#deps.db, { serviceIds: [...serviceIds], includeListed: true });
    const byId = new Map(nodes.map((node) => [nodeIdOf(node), node]));
    for (const id of touched) {
      const node = byId.get(id);
      if (node) await this.#activate(node);
      else this.#forget(id);
    }
  }

  #scopeOf(nodeId: string): ScopeSnapshots | undefined {
    return this.#scopes.get(this.#active.get(nodeId) ?? '');
  }

  async #rebuildAll(): Promise<void> {
    this.#deps.policies.forget();
    const serviceIds = new Set<string>();
    for (const scope of this.#scopes.values()) {
      await scope.clear();
      for (const serviceId of scope.serviceIds) serviceIds.add(serviceId);
    }
    await this.#servicesChanged(serviceIds);
  }

  async #open(node: ConfiguredNode): Promise<ScopeSnapshots> {
    const key = scopeKeyOf(node);
    const known = this.#scopes.get(key);
    if (known) return known;
    const { projectId: project, version } = node;
    const api = await this.#deps.envoyApis.get(version);
    const onRebuilt = ({ client }: ConfiguredNode) => this.#follower?.onRebuilt(client.id);
    const scope =
      this.#scopes.get(key) ??
      new ScopeSnapshots({ ...this.#deps, reporter: this.#reporter, onRebuilt }, { project, version }, api);
    this.#scopes.set(key, scope);
    return scope;
  }
}

function scopeKeyOf({ projectId, version }: ConfiguredNode): string {
  return `${projectId}/${version}`;
}
