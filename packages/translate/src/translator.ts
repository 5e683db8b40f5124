import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { SHIELD_CLUSTER_NAME } from '@flotilla/policy';
import { composeBootstrap } from './bootstrap.ts';
import { type Capabilities, capabilitiesOf } from './capabilities.ts';
import { type DocumentCollection, type DocumentKey, MESSAGE, toDocumentKey } from './documents/collections.ts';
import { findDefinedNames } from './documents/references.ts';
import { shieldCluster } from './guard/connection-manager.ts';
import type { ManagerFacts } from './guard/manager-facts.ts';
import { type BuiltDocument, ResourceBuilder } from './resource-builder.ts';
import { messageOf, toTypeUrl } from './resource-kinds.ts';
import type {
  DocumentSource,
  GuardReport,
  NodeInput,
  ResourceId,
  SourceDocument,
  TranslatedResource,
  Translation,
  TranslationError,
} from './types.ts';

/**
 * Documents -> what one node gets: everything that can be reached from its listeners and its bootstrap, and nothing else. The
 * result is a function of documents, service and client alone: two controllers make the same bytes. What cannot be
 * translated becomes an error with its place; the rest goes out. Keeps what it built, so use one for many nodes.
 */
export class Translator {
  readonly #builder: ResourceBuilder;
  readonly #api: EnvoyApi;

  constructor(api: EnvoyApi) {
    this.#api = api;
    this.#builder = new ResourceBuilder(api);
  }

  translate(source: DocumentSource, node: NodeInput): Translation {
    return new Run(this.#api, this.#builder, source, node).translate();
  }
}

class Run {
  readonly #api: EnvoyApi;
  readonly #builder: ResourceBuilder;
  readonly #source: DocumentSource;
  readonly #node: NodeInput;
  readonly #capabilities: Capabilities;
  readonly #resources = new Map<DocumentKey, TranslatedResource>();
  readonly #errors: TranslationError[] = [];
  readonly #used = new Set<string>();
  readonly #seen = new Set<DocumentKey>();
  readonly #ports = new Set<number>();
  /** Names that the bootstrap gives to static things. */
  #statics = new Set<string>();
  #isGuarded = false;
  /** Route configurations taken by RDS -> whether all that take them let routes do without the filter. */
  readonly #mayDoWithout = new Map<string, boolean>();
  readonly #managers: { document: DocumentKey; facts: ManagerFacts; inline: BuiltDocument['switchedOff'] }[] = [];
  readonly #switchedOff = new Map<string, BuiltDocument['switchedOff']>();

  constructor(api: EnvoyApi, builder: ResourceBuilder, source: DocumentSource, node: NodeInput) {
    this.#api = api;
    this.#builder = builder;
    this.#source = source;
    this.#node = node;
    this.#capabilities = capabilitiesOf(api.version);
  }

  translate(): Translation {
    const bootstrap = this.#bootstrap();
    if (this.#node.shield) this.#lookAtManagers();
    this.#follow(toDocumentKey('bootstrap', this.#node.bootstrap), bootstrap);
    for (const name of this.#node.listeners) {
      const key = toDocumentKey('listeners', name);
      if (!this.#visit('listeners', name)) this.#missing(key, '', key);
    }
    const resources = [...this.#resources.values()];
    if (this.#node.shield && this.#isGuarded) {
      const cluster = shieldCluster(this.#node.shield);
      if (bootstrap.hasConnectionManager) bootstrap.extraClusters.push(cluster);
      else resources.push(this.#added(MESSAGE.cluster, SHIELD_CLUSTER_NAME, cluster));
    }
    return {
      resources,
      bootstrap: composeBootstrap(bootstrap.resource, this.#node, bootstrap.extraClusters),
      bootstrapParts: bootstrap.parts,
      errors: this.#errors,
      used: this.#used,
      guards: this.#guards(),
      listenerPorts: [...this.#ports].sort((a, b) => a - b),
    };
  }

  #bootstrap() {
    const key = toDocumentKey('bootstrap', this.#node.bootstrap);
    this.#used.add(key);
    const document = this.#source.get('bootstrap', this.#node.bootstrap);
    const extraClusters: JsonObject[] = [];
    if (!document) {
      this.#missing(key, '', key);
      return { resource: {} as JsonObject, references: [], hasConnectionManager: false, extraClusters, parts: [] };
    }
    const built = this.#build(document);
    this.#statics = new Set(
      findDefinedNames({ ...document, resource: built.resource }).map(
        ({ collection, name }) => `${collection}/${name}`,
      ),
    );
    const { resource, references, hasConnectionManager, used } = built;
    return { resource, references, hasConnectionManager, extraClusters, parts: [key, ...used] };
  }

  /** Before any routes are made: they are shared by the connection managers that take them. */
  #lookAtManagers(): void {
    const documents = [
      this.#source.get('bootstrap', this.#node.bootstrap),
      ...this.#node.listeners.map((name) => this.#source.get('listeners', name)),
    ];
    for (const document of documents) {
      if (!document) continue;
      const { managers, switchedOff } = this.#builder.build(this.#source, document, this.#node);
      const key = toDocumentKey(document.collection, document.name);
      for (const facts of managers) {
        this.#managers.push({ document: key, facts, inline: switchedOff });
        const { routes, reasons } = facts;
        if (routes === undefined) continue;
        this.#mayDoWithout.set(routes, reasons.length === 0 && this.#mayDoWithout.get(routes) !== false);
      }
    }
  }

  #guards(): GuardReport[] {
    return this.#managers.map(({ document, facts: { path, routes, reasons }, inline }) => {
      const switchedOff = routes === undefined ? inline : this.#switchedOff.get(routes);
      const isShared = reasons.length === 0 && routes !== undefined && this.#mayDoWithout.get(routes) !== true;
      return {
        document,
        path,
        reasons: [
          ...reasons,
          ...(isShared ? [`another listener takes ${routes}, and has to ask the filter about every request`] : []),
          ...(this.#node.shield?.policies ? [] : ['the policies could not be read']),
        ],
        unaskedHosts: switchedOff?.hostCount ?? 0,
        unaskedRoutes: switchedOff?.routeCount ?? 0,
      };
    });
  }

  /** False when there is no such document. */
  #visit(collection: DocumentCollection, name: string): boolean {
    const key = toDocumentKey(collection, name);
    this.#used.add(key);
    const document = this.#source.get(collection, name);
    if (!document) return false;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    const built = this.#build(document);
    const message = messageOf(collection);
    if (built.bytes && message) {
      this.#resources.set(key, {
        typeUrl: toTypeUrl(message),
        name,
        type: message,
        bytes: built.bytes,
        dependsOn: this.#dependenciesOf(built),
        document: key,
        parts: built.used,
      });
    }
    this.#follow(key, built);
    if (collection === 'routes') this.#visitHosts(name);
    return true;
  }

  /** Either parts of the route configuration, or resources beside it. */
  #visitHosts(routes: string): void {
    this.#used.add(`virtual_hosts/${routes}/`);
    if (!this.#capabilities.virtualHostDiscovery) return;
    for (const { name } of this.#source.virtualHostsOf(routes)) this.#visit('virtual_hosts', name);
  }

  #build(document: SourceDocument): BuiltDocument {
    const mayDoWithout = document.collection === 'routes' && this.#mayDoWithout.get(document.name) === true;
    const built = this.#builder.build(this.#source, document, this.#node, mayDoWithout);
    this.#errors.push(...built.errors);
    for (const key of built.used) this.#used.add(key);
    for (const port of built.ports) this.#ports.add(port);
    if (built.hasConnectionManager) this.#isGuarded = true;
    if (document.collection === 'routes') this.#switchedOff.set(document.name, built.switchedOff);
    return built;
  }

  #follow(from: DocumentKey, built: Pick<BuiltDocument, 'references'>): void {
    for (const { path, collection, name } of built.references) {
      const key = toDocumentKey(collection, name);
      if (this.#visit(collection, name) || this.#statics.has(key)) continue;
      this.#missing(from, path, key);
    }
  }

  #dependenciesOf(built: BuiltDocument): ResourceId[] {
    const ids = new Map<string, ResourceId>();
    for (const { collection, name } of built.references) {
      const message = messageOf(collection);
      if (message && !this.#statics.has(toDocumentKey(collection, name))) {
        ids.set(`${collection}/${name}`, { typeUrl: toTypeUrl(message), name });
      }
    }
    if (this.#node.shield && built.hasConnectionManager) {
      ids.set('shield', { typeUrl: toTypeUrl(MESSAGE.cluster), name: SHIELD_CLUSTER_NAME });
    }
    return [...ids.values()];
  }

  #added(type: string, name: string, json: JsonObject): TranslatedResource {
    const encoded = this.#api.encode(type, json);
    if (!encoded.ok) throw new Error(`${type} ${name}: ${encoded.error[0]?.path} ${encoded.error[0]?.message}`);
    return {
      typeUrl: toTypeUrl(type),
      name,
      type,
      bytes: encoded.value,
      dependsOn: [],
      document: undefined,
      parts: [],
    };
  }

  #missing(document: DocumentKey, path: string, target: DocumentKey): void {
    this.#errors.push({ document, path, rule: 'reference.missing', message: `${target} does not exist` });
  }
}
