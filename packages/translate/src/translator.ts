import type { EnvoyApi } from '@flotilla/envoy-api';
import { composeBootstrap } from './bootstrap.ts';
import type { BuildContext } from './build-document.ts';
import { BuildMemory } from './build-memory.ts';
import { toDocumentKey } from './documents/collections.ts';
import { shieldCluster } from './guard/connection-manager.ts';
import { findRoutesWithoutFilter, type NodeManager, reportGuard } from './guard/guard-report.ts';
import { type Reached, reachDocuments } from './reach.ts';
import { toResource, toShieldResource } from './to-resource.ts';
import type { DocumentSource, NodeInput, Translation } from './types.ts';

/**
 * Documents -> what one node gets: everything that can be reached from its listeners and its bootstrap, and nothing else. The
 * result is a function of documents, service and client alone: two controllers make the same bytes. What cannot be
 * translated becomes an error with its place; the rest goes out. Keeps what it built, so use one for many nodes.
 */
export class Translator {
  readonly #memory: BuildMemory;
  readonly #api: EnvoyApi;

  constructor(api: EnvoyApi) {
    this.#api = api;
    this.#memory = new BuildMemory(api);
  }

  translate(source: DocumentSource, node: NodeInput): Translation {
    const managers = this.#findManagers(source, node);
    const routesWithoutFilter = findRoutesWithoutFilter(managers);
    const context: BuildContext = { source, node, routesWithoutFilter };
    const reached = reachDocuments(source, node, (document) => this.#memory.build(document, context));
    const { shield } = node;
    const policies = shield?.policies;
    const unaskedIn = (routes: string) => reached.documents.get(toDocumentKey('routes', routes))?.built.unasked;
    return {
      ...this.#compose(reached, node),
      errors: reached.errors,
      used: reached.used,
      guards: managers.map((manager) => reportGuard(manager, { routesWithoutFilter, unaskedIn, policies })),
      listenerPorts: listPorts(reached),
    };
  }

  /** Before any routes are built: they are shared by the connection managers that take them, and follow all of them. */
  #findManagers(source: DocumentSource, node: NodeInput): NodeManager[] {
    if (!node.shield) return [];
    const context: BuildContext = { source, node, routesWithoutFilter: new Set() };
    const documents = [
      source.get('bootstrap', node.bootstrap),
      ...node.listeners.map((name) => source.get('listeners', name)),
    ];
    return documents.flatMap((document) => {
      if (!document) return [];
      const { managers, unasked } = this.#memory.build(document, context);
      const key = toDocumentKey(document.collection, document.name);
      return managers.map((facts) => ({ document: key, facts, unasked }));
    });
  }

  /** Static resources cannot depend on others: where the bootstrap needs the filter's cluster, it brings it. */
  #compose(
    { bootstrap, documents, statics }: Reached,
    node: NodeInput,
  ): Pick<Translation, 'resources' | 'bootstrap' | 'bootstrapParts'> {
    const { shield } = node;
    const all = [...documents.values()];
    const resources = all.flatMap((one) => toResource(one, { statics, shield }) ?? []);
    const isStatic = bootstrap?.hasConnectionManager === true;
    const isGuarded = isStatic || all.some(({ built }) => built.hasConnectionManager);
    return {
      resources: shield && isGuarded && !isStatic ? [...resources, toShieldResource(this.#api, shield)] : resources,
      bootstrap: composeBootstrap(bootstrap?.resource ?? {}, node, shield && isStatic ? [shieldCluster(shield)] : []),
      bootstrapParts: bootstrap ? [toDocumentKey('bootstrap', node.bootstrap), ...bootstrap.parts] : [],
    };
  }
}

function listPorts({ documents }: Reached): number[] {
  const ports = [...documents.values()].flatMap(({ built }) => built.ports);
  return [...new Set(ports)].sort((a, b) => a - b);
}
