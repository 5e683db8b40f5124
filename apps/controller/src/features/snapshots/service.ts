import { type Database, type Db, type OutboxEvent, type OutboxReader, openOutboxReader } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { parseNodeId } from '@flotilla/proto';
import { type Translation, Translator } from '@flotilla/translate';
import type { Snapshot, SnapshotCache } from '@flotilla/xds';
import type { Scope } from '../documents/index.ts';
import type { Keyring } from '../keyring/index.ts';
import type { EnvoyApis } from '../proxy-versions/index.ts';
import { ErrorReporter } from './error-reporter.ts';
import { type ConfiguredNode, nodeIdOf, toNodeInput } from './node-input.ts';
import { ScopeDocuments } from './scope-documents.ts';
import type { ServicePolicies } from './service-policies.ts';
import { toSnapshot } from './to-snapshot.ts';

export interface NodeFilter {
  readonly projectId?: string;
  readonly clientId?: string;
  readonly serviceIds?: readonly string[];
  readonly includeListed?: boolean;
}

export interface SnapshotServiceDeps {
  readonly db: Db;
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly envoyApis: EnvoyApis;
  readonly keyring: Keyring;
  readonly cache: SnapshotCache;
  readonly logger: Logger;
  readonly listNodes: (db: Db, filter: NodeFilter) => Promise<readonly ConfiguredNode[]>;
  readonly policies: ServicePolicies;
}

/** Whoever makes something of the same documents and must not be ahead of the snapshots. */
export interface SnapshotFollower {
  onEvents(events: readonly OutboxEvent[]): Promise<void>;
  onLost(): Promise<void>;
}

/** What would go to a node, or goes. */
export interface NodePreview {
  readonly node: ConfiguredNode;
  readonly translation: Translation;
  readonly snapshot: Snapshot;
}

interface ActiveNode {
  readonly id: string;
  node: ConfiguredNode;
  used: ReadonlySet<string>;
}

/** Work of one scope is done in order; work of different scopes side by side. */
interface ScopeState {
  readonly documents: ScopeDocuments;
  readonly translator: Translator;
  readonly nodes: Map<string, ActiveNode>;
  queue: Promise<unknown>;
}

/** How long the event loop may be held while many nodes are made anew. */
const SLICE_MS = 8;

/**
 * Keeps the snapshots of the nodes that this controller serves equal to what the database says.
 *
 * A node is unknown until its first stream opens (`ensureNode`), then active: every committed change of a document that its
 * translation looked at makes it anew, and only it. It is forgotten when its service leaves its client. Everything is
 * derived, so a controller that starts has nothing to recover.
 */
export class SnapshotService {
  readonly #deps: SnapshotServiceDeps;
  readonly #scopes = new Map<string, ScopeState>();
  /** Node id -> scope key. */
  readonly #active = new Map<string, string>();
  readonly #reporter: ErrorReporter;
  #reader: OutboxReader | undefined;
  #follower: SnapshotFollower | undefined;

  constructor(deps: SnapshotServiceDeps) {
    this.#deps = deps;
    this.#reporter = new ErrorReporter(deps);
  }

  /** Begins to follow changes. */
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

  /** From now on `follower` hears of every batch of events after the snapshots have taken it in. */
  follow(follower: SnapshotFollower): void {
    this.#follower = follower;
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    await Promise.all([...this.#scopes.values()].map(({ queue }) => queue));
    await this.#reporter.close();
  }

  /** Makes the node's snapshot unless it is there. False: there is no such node. */
  async ensureNode(nodeId: string): Promise<boolean> {
    if (this.#active.has(nodeId) && this.#deps.cache.get(nodeId)) return true;
    const node = await this.findNode(nodeId);
    if (!node) return false;
    await this.#activate(node);
    // An event that came in between has begun anew, behind us in the same queue.
    if (!this.#deps.cache.get(nodeId)) await this.#scopes.get(this.#active.get(nodeId) ?? '')?.queue;
    return true;
  }

  /** The service on the client that a node id names, deployed or only listed. */
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

  /** What the node gets with the documents as they are now, whether it is active or not. */
  async previewNode(node: ConfiguredNode): Promise<NodePreview> {
    const scope = await this.#open({ project: node.projectId, version: node.version });
    return this.#inOrder(scope, async () => {
      const translation = await this.#translate(scope, node);
      return { node, translation, snapshot: toSnapshot(nodeIdOf(node), translation) };
    });
  }

  /**
   * The same for nodes of one project and version, with these documents (keys such as `clusters/backend`) as the database has them
   * now: their change may not have come round yet.
   */
  async previewFreshNodes(nodes: readonly ConfiguredNode[], keys: readonly string[]): Promise<NodePreview[]> {
    const [first] = nodes;
    if (!first) return [];
    const scope = await this.#open({ project: first.projectId, version: first.version });
    await this.#inOrder(scope, () => scope.documents.refresh(keys));
    const previews: NodePreview[] = [];
    let began = performance.now();
    for (const node of nodes) {
      previews.push(await this.previewNode(node));
      if (performance.now() - began < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
    return previews;
  }

  async #activate(node: ConfiguredNode): Promise<void> {
    const scopeKey = `${node.projectId}/${node.version}`;
    const scope = await this.#open({ project: node.projectId, version: node.version });
    const id = nodeIdOf(node);
    const before = this.#active.get(id);
    if (before !== undefined && before !== scopeKey) this.#scopes.get(before)?.nodes.delete(id);
    this.#active.set(id, scopeKey);
    const active: ActiveNode = { id, node, used: new Set() };
    scope.nodes.set(id, active);
    await this.#inOrder(scope, () => this.#refresh(scope, active));
  }

  #forget(nodeId: string): void {
    const scopeKey = this.#active.get(nodeId);
    if (scopeKey === undefined) return;
    this.#active.delete(nodeId);
    this.#reporter.forget(nodeId);
    const scope = this.#scopes.get(scopeKey);
    scope?.nodes.delete(nodeId);
    // Nobody here runs anything of it any more: its documents need not be held.
    if (scope?.nodes.size === 0) this.#scopes.delete(scopeKey);
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
    await Promise.all([...changed].map(([scopeKey, keys]) => this.#documentsChanged(scopeKey, [...keys])));
    if (services.size > 0) await this.#servicesChanged(services);
  }

  async #documentsChanged(scopeKey: string, keys: readonly string[]): Promise<void> {
    const scope = this.#scopes.get(scopeKey);
    if (!scope) return;
    await this.#inOrder(scope, async () => {
      await scope.documents.refresh(keys);
      const isHit = hitTest(keys);
      await this.#refreshAll(
        scope,
        [...scope.nodes.values()].filter(({ used }) => isHit(used)),
      );
    });
  }

  async #servicesChanged(serviceIds: ReadonlySet<string>): Promise<void> {
    const touched = [...this.#active.keys()].filter((id) => serviceIds.has(this.#activeNode(id)?.node.serviceId ?? ''));
    if (touched.length === 0) return;
    const nodes = await this.#deps.listNodes(this.#deps.db, { serviceIds: [...serviceIds], includeListed: true });
    const byId = new Map(nodes.map((node) => [nodeIdOf(node), node]));
    for (const id of touched) {
      const node = byId.get(id);
      if (node) await this.#activate(node);
      else this.#forget(id);
    }
  }

  #activeNode(id: string): ActiveNode | undefined {
    return this.#scopes.get(this.#active.get(id) ?? '')?.nodes.get(id);
  }

  async #rebuildAll(): Promise<void> {
    this.#deps.policies.forget();
    const serviceIds = new Set<string>();
    for (const scope of this.#scopes.values()) {
      await this.#inOrder(scope, async () => scope.documents.clear());
      for (const { node } of scope.nodes.values()) serviceIds.add(node.serviceId);
    }
    await this.#servicesChanged(serviceIds);
  }

  async #refreshAll(scope: ScopeState, nodes: readonly ActiveNode[]): Promise<void> {
    let began = performance.now();
    for (const node of nodes) {
      await this.#refreshSafely(scope, node);
      if (performance.now() - began > SLICE_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        began = performance.now();
      }
    }
  }

  async #refresh(scope: ScopeState, active: ActiveNode): Promise<void> {
    const translation = await this.#translate(scope, active.node);
    // It may have gone while documents were loaded.
    if (scope.nodes.get(active.id) !== active) return;
    active.used = translation.used;
    this.#deps.cache.set(active.id, toSnapshot(active.id, translation));
    this.#reporter.report(active.node, translation.errors);
  }

  async #translate(scope: ScopeState, node: ConfiguredNode): Promise<Translation> {
    const policies = node.policies.length === 0 ? undefined : await this.#deps.policies.of(node);
    return scope.documents.read((source) => scope.translator.translate(source, toNodeInput(node, policies)));
  }

  /** One node that cannot be made must not keep the others from it: it stays with what it has. */
  async #refreshSafely(scope: ScopeState, active: ActiveNode): Promise<void> {
    try {
      await this.#refresh(scope, active);
    } catch (error) {
      if (isFromDatabase(error)) throw error;
      this.#deps.logger.error({ err: error, node: active.id }, 'snapshots.translation_failed');
    }
  }

  async #open(scope: Scope): Promise<ScopeState> {
    const key = `${scope.project}/${scope.version}`;
    const known = this.#scopes.get(key);
    if (known) return known;
    const api = await this.#deps.envoyApis.get(scope.version);
    const state: ScopeState = this.#scopes.get(key) ?? {
      documents: new ScopeDocuments(this.#deps, scope),
      translator: new Translator(api),
      nodes: new Map(),
      queue: Promise.resolve(),
    };
    this.#scopes.set(key, state);
    return state;
  }

  /** One piece of work of a scope after the other; a failed one does not stop those behind it. */
  #inOrder<T>(scope: ScopeState, work: () => Promise<T>): Promise<T> {
    const result = scope.queue.then(work, work);
    scope.queue = result.catch(() => undefined);
    return result;
  }
}

/** Drivers and sockets put a code on their errors; the batch is tried again for those. */
function isFromDatabase(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'string';
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a translation looked at one of these documents; of a virtual host also: at its route configuration's. */
function hitTest(keys: readonly string[]): (used: ReadonlySet<string>) => boolean {
  const wanted = new Set(keys);
  for (const key of keys) {
    const [collection, routes] = key.split('/', 2);
    if (collection === 'virtual_hosts') wanted.add(`virtual_hosts/${routes}/`);
  }
  const list = [...wanted];
  return (used) => list.some((key) => used.has(key));
}
