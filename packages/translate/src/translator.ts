import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { accessLogCluster } from './access-log/access-log.ts';
import { composeBootstrap } from './bootstrap.ts';
import type { BuildContext, BuildNode } from './build-context.ts';
import { BuildMemory } from './build-memory.ts';
import type { BuildTurn } from './build-turn.ts';
import { toDocumentKey } from './documents/collections.ts';
import { shieldCluster } from './guard/connection-manager.ts';
import { findRoutesWithoutFilter, type NodeManager, reportGuard } from './guard/guard-report.ts';
import { type Reached, reachDocuments } from './reach.ts';
import { idOf, toLogResource, toResource, toShieldResource } from './to-resource.ts';
import type { DocumentSource, NodeInput, TranslatedResource, Translation } from './types.ts';

export interface TranslatorOptions {
  /** Size of a document including inserted content; undefined: all are built here. */
  readonly buildsUpToChars?: number | undefined;
}

/**
 * Translates documents to what one node gets: everything that its listeners and bootstrap refer to, and nothing else.
 * The result depends only on documents, service and client: two controllers create the same bytes. Untranslatable parts
 * become errors with their place; the rest is sent. Caches its builds, so use one translator for many nodes.
 */
export class Translator {
  readonly #memory: BuildMemory;
  readonly #api: EnvoyApi;

  constructor(api: EnvoyApi, options: TranslatorOptions = {}) {
    this.#api = api;
    this.#memory = new BuildMemory(api, options);
  }

  /**
   * With a `turn`, throws `TurnIsOver` at its end; call again to continue. Throws `LargeBuild` in the same way if a
   * document exceeds `buildsUpToChars`.
   */
  translate(source: DocumentSource, node: NodeInput, turn?: BuildTurn): Translation {
    const { managers, isComplete } = this.#findManagers(source, node, turn);
    // It is unknown which routes a failed document uses.
    const routesWithoutFilter = isComplete ? findRoutesWithoutFilter(managers) : new Set<string>();
    const context: BuildContext = { source, node: toBuildNode(node), routesWithoutFilter };
    const reached = reachDocuments(source, node, (document) => this.#memory.build(document, context, turn));
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

  /** Documents with an interrupted build are built again on demand. */
  forgetInterrupted(): void {
    this.#memory.forgetInterrupted();
  }

  /** Runs before any routes are built, because several connection managers share them and all of them decide. */
  #findManagers(
    source: DocumentSource,
    node: NodeInput,
    turn: BuildTurn | undefined,
  ): { readonly managers: NodeManager[]; readonly isComplete: boolean } {
    if (!node.shield) return { managers: [], isComplete: true };
    const context: BuildContext = { source, node: toBuildNode(node), routesWithoutFilter: new Set() };
    const documents = [
      source.get('bootstrap', node.bootstrap),
      ...node.listeners.map((name) => source.get('listeners', name)),
    ];
    const builds = documents.flatMap((document) =>
      document ? [{ document, built: this.#memory.build(document, context, turn) }] : [],
    );
    const managers = builds.flatMap(({ document, built }) => {
      const key = toDocumentKey(document.collection, document.name);
      return built.managers.map((facts) => ({ document: key, facts, unasked: built.unasked }));
    });
    return { managers, isComplete: builds.every(({ built }) => !built.isFailed) };
  }

  /** Static resources cannot depend on others: if the bootstrap needs a cluster of ours, it contains it. */
  #compose(
    { bootstrap, documents, statics }: Reached,
    node: NodeInput,
  ): Pick<Translation, 'resources' | 'withheld' | 'bootstrap' | 'bootstrapParts'> {
    const { shield, accessLogSocket } = node;
    const all = [...documents.values()];
    const isLogged = accessLogSocket !== undefined;
    const own: { readonly isStatic: boolean; readonly cluster: JsonObject; readonly resource: TranslatedResource }[] =
      [];
    if (shield && [bootstrap, ...all.map(({ built }) => built)].some((one) => one?.hasConnectionManager)) {
      const isStatic = bootstrap?.hasConnectionManager === true;
      own.push({ isStatic, cluster: shieldCluster(shield), resource: toShieldResource(this.#api, shield) });
    }
    if (isLogged && [bootstrap, ...all.map(({ built }) => built)].some((one) => one?.hasLog)) {
      const cluster = accessLogCluster(accessLogSocket);
      own.push({ isStatic: bootstrap?.hasLog === true, cluster, resource: toLogResource(this.#api, accessLogSocket) });
    }
    const dynamic = own.filter(({ isStatic }) => !isStatic).map(({ resource }) => resource);
    const fixed = own.filter(({ isStatic }) => isStatic).map(({ cluster }) => cluster);
    return {
      resources: [...all.flatMap((one) => toResource(one, { statics, shield, isLogged }) ?? []), ...dynamic],
      withheld: all.flatMap((one) => (one.built.isWithheld ? (idOf(one) ?? []) : [])),
      bootstrap: composeBootstrap(bootstrap?.bootstrap ?? {}, node, fixed),
      bootstrapParts: bootstrap ? [toDocumentKey('bootstrap', node.bootstrap), ...bootstrap.parts] : [],
    };
  }
}

function toBuildNode({ filesDir, addresses, shield, accessLogSocket }: NodeInput): BuildNode {
  return { filesDir, addresses, shield, isLogged: accessLogSocket !== undefined };
}

function listPorts({ documents }: Reached): number[] {
  const ports = [...documents.values()].flatMap(({ built }) => built.ports);
  return [...new Set(ports)].sort((a, b) => a - b);
}
