import type { Db } from '@flotilla/db';
import type { EnvoyApi } from '@flotilla/envoy-api';
import { type Logger, SerialQueue } from '@flotilla/kit';
import { createBuildTurn, LargeBuild, type Translation, Translator, TurnIsOver } from '@flotilla/translate';
import type { Snapshot, SnapshotCache } from '@flotilla/xds';
import type { Keyring } from '../../../platform/keyring/index.ts';
import type { Scope } from '../../configuration/public.ts';
import type { ErrorReporter } from './error-reporter.ts';
import { createHitTest } from './hit-test.ts';
import { BuildsClosed, type LargeBuilds } from './large-builds.ts';
import { type ConfiguredNode, nodeIdOf, toNodeInput } from './node-input.ts';
import { ScopeDocuments } from './scope-documents.ts';
import type { ServicePolicies } from './service-policies.ts';
import { BUILD_TURN_MS, giveTurn, TimeSlices } from './time-slices.ts';
import { toSnapshot } from './to-snapshot.ts';

export interface ScopeSnapshotsDeps {
  readonly db: Db;
  readonly keyring: Keyring;
  readonly cache: SnapshotCache;
  readonly reporter: Pick<ErrorReporter, 'report'>;
  readonly logger: Logger;
  readonly policies: ServicePolicies;
  /** undefined: large documents are built in this process. */
  readonly builds: LargeBuilds | undefined;
  /** Called after an interrupted build has succeeded, for each node that uses it. */
  readonly onRebuilt: (node: ConfiguredNode) => void;
}

/** The result that is or would be sent to a node. */
export interface NodePreview {
  readonly node: ConfiguredNode;
  readonly translation: Translation;
  readonly snapshot: Snapshot;
}

interface ActiveNode {
  readonly id: string;
  readonly node: ConfiguredNode;
  /** Keys of documents that its last translation read. */
  used: ReadonlySet<string>;
}

/**
 * The snapshots of the active nodes of one project and version, with their documents. Requests are processed one after
 * the other in the order of the calls.
 */
export class ScopeSnapshots {
  readonly #deps: ScopeSnapshotsDeps;
  readonly #documents: ScopeDocuments;
  readonly #translator: Translator;
  readonly #nodes = new Map<string, ActiveNode>();
  readonly #queue = new SerialQueue();
  readonly #api: EnvoyApi;
  /** Running builds by document. */
  readonly #building = new Map<string, Promise<void>>();
  /** Work outside the queue. */
  readonly #behind = new Set<Promise<void>>();
  /** Nodes, active or not, whose last translation depends on an interrupted build. */
  readonly #interrupted = new Map<string, ConfiguredNode>();
  #retry: NodeJS.Timeout | undefined;

  constructor(deps: ScopeSnapshotsDeps, scope: Scope, api: EnvoyApi) {
    this.#deps = deps;
    this.#api = api;
    this.#documents = new ScopeDocuments(deps, scope);
    this.#translator = new Translator(api, { buildsUpToChars: deps.builds?.limits.fromChars });
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  get serviceIds(): readonly string[] {
    return [...this.#nodes.values()].map(({ node }) => node.serviceId);
  }

  serviceIdOf(nodeId: string): string | undefined {
    return this.#nodes.get(nodeId)?.node.serviceId;
  }

  /** Builds the node's snapshot and follows its documents from then on. Rejects if it cannot be built. */
  async enter(node: ConfiguredNode): Promise<void> {
    const active = { id: nodeIdOf(node), node, used: new Set<string>() };
    this.#nodes.set(active.id, active);
    await this.#withBuilds(() => this.#refresh(active));
  }

  leave(nodeId: string): void {
    this.#nodes.delete(nodeId);
  }

  /**
   * Reloads changed documents and rebuilds the snapshots of nodes whose translation read one of them. Nodes that need a
   * large build come last and are not waited for.
   */
  async take(keys: readonly string[]): Promise<void> {
    await this.#queue.run(async () => {
      await this.#documents.refresh(keys);
      const isHit = createHitTest(keys);
      await this.#refreshAll([...this.#nodes.values()].filter(({ used }) => isHit(used)));
    });
  }

  /** Reloads them without rebuilding the snapshots. */
  readAgain(keys: readonly string[]): Promise<void> {
    return this.#queue.run(() => this.#documents.refresh(keys));
  }

  /** Drops all documents; each is loaded again when needed. */
  clear(): Promise<void> {
    return this.#queue.run(async () => this.#documents.clear());
  }

  /** Works for any node of the scope, active or not. */
  preview(node: ConfiguredNode): Promise<NodePreview> {
    return this.#withBuilds(async () => {
      const translation = await this.#translate(node);
      const id = nodeIdOf(node);
      return { node, translation, snapshot: toSnapshot(id, translation, this.#deps.cache.get(id)) };
    });
  }

  /** Resolves when all requested work is done. */
  async settle(): Promise<void> {
    await this.#queue.settle();
    await Promise.all(this.#behind);
    await this.#queue.settle();
  }

  async #refreshAll(nodes: readonly ActiveNode[]): Promise<void> {
    const slices = new TimeSlices();
    const waiting: ActiveNode[] = [];
    for (const active of nodes) {
      if (!(await this.#refreshSafely(active))) waiting.push(active);
      await slices.pause();
    }
    if (waiting.length > 0) this.#runBehind(() => this.#refreshLarge(waiting));
  }

  #runBehind(start: () => Promise<void>): void {
    const work = start();
    this.#behind.add(work);
    void work.finally(() => this.#behind.delete(work));
  }

  async #refreshLarge(nodes: readonly ActiveNode[]): Promise<void> {
    for (const active of nodes) {
      await this.#buildSafely(active.node, () => this.#refresh(active));
      await giveTurn();
    }
  }

  async #buildSafely(node: ConfiguredNode, work: () => Promise<unknown>): Promise<void> {
    try {
      await this.#withBuilds(work);
    } catch (error) {
      if (error instanceof BuildsClosed) return;
      this.#deps.logger.error({ err: error, node: nodeIdOf(node) }, 'snapshots.translation_failed');
      this.#retryLater(node);
    }
  }

  /** Runs the work in the queue. Large builds run outside the queue, after which the work is queued again. */
  async #withBuilds<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#queue.run(work);
      } catch (error) {
        if (!(error instanceof LargeBuild)) throw error;
        await this.#buildOnce(error);
      }
    }
  }

  /** One build per document at a time: a waiting caller checks afterwards whether its build is done. */
  async #buildOnce(large: LargeBuild): Promise<void> {
    const { document } = large.question;
    const running = this.#building.get(document);
    if (running) return running;
    const build = this.#buildElsewhere(large).finally(() => this.#building.delete(document));
    this.#building.set(document, build);
    await build;
  }

  /** The inputs of a build are only known while it runs, so it is repeated until nothing is missing. */
  async #buildElsewhere(large: LargeBuild): Promise<void> {
    const { builds } = this.#deps;
    if (!builds) throw large;
    const keys = new Set(large.keys);
    for (;;) {
      // In the queue: a read concurrent with a change would be outdated.
      const documents = await this.#queue.run(() => this.#documents.take(keys));
      // It was deleted while others were built.
      if (!documents.get(large.question.document)) return;
      const { project } = this.#documents.scope;
      const answer = await builds.build(project, { api: this.#api, question: large.question, documents });
      if (!answer.ok) return large.fail(answer.error, documents);
      if (answer.value.kind === 'built') return large.complete(answer.value.build, documents);
      for (const key of answer.value.keys) keys.add(key);
    }
  }

  #retryLater(node: ConfiguredNode): void {
    const { builds } = this.#deps;
    if (!builds) return;
    this.#interrupted.set(nodeIdOf(node), node);
    if (this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (!builds.isClosed) this.#runBehind(() => this.#retryInterrupted());
    }, builds.limits.retryMs).unref();
  }

  async #retryInterrupted(): Promise<void> {
    const interrupted = [...this.#interrupted];
    this.#interrupted.clear();
    this.#translator.forgetInterrupted();
    for (const [id, node] of interrupted) {
      const active = this.#nodes.get(id);
      await this.#buildSafely(node, () => (active ? this.#refresh(active) : this.#translate(node)));
      if (this.#deps.builds?.isClosed) return;
      if (!this.#interrupted.has(id)) this.#deps.onRebuilt(node);
      await giveTurn();
    }
  }

  async #refresh(active: ActiveNode): Promise<void> {
    const { cache, reporter } = this.#deps;
    const translation = await this.#translate(active.node);
    // It may have become inactive while documents were loaded.
    if (this.#nodes.get(active.id) !== active) return;
    active.used = translation.used;
    reporter.report(active.node, translation.errors);
    const before = cache.get(active.id);
    // Without a previous snapshot, the node's withheld resources are unknown: it keeps everything it has.
    if (translation.withheld.length > 0 && !before) return;
    cache.set(active.id, toSnapshot(active.id, translation, before));
  }

  /** Rejects with `LargeBuild` if that must be done first. */
  async #translate(node: ConfiguredNode): Promise<Translation> {
    const policies = node.policies.length === 0 ? undefined : await this.#deps.policies.of(node);
    const input = toNodeInput(node, policies);
    for (;;) {
      const turn = createBuildTurn(BUILD_TURN_MS);
      try {
        const translation = await this.#documents.read((source) => this.#translator.translate(source, input, turn));
        if (translation.errors.some(({ rule }) => rule === 'document.build_interrupted')) this.#retryLater(node);
        return translation;
      } catch (error) {
        if (!(error instanceof TurnIsOver)) throw error;
      }
      await giveTurn();
    }
  }

  /** A node that cannot be built keeps what it has and must not stop the others. False if it needs a large build. */
  async #refreshSafely(active: ActiveNode): Promise<boolean> {
    try {
      await this.#refresh(active);
    } catch (error) {
      if (error instanceof LargeBuild) return false;
      if (isFromDatabase(error)) throw error;
      this.#deps.logger.error({ err: error, node: active.id }, 'snapshots.translation_failed');
    }
    return true;
  }
}

/** Errors of drivers and sockets have a code; the batch is retried for these. */
function isFromDatabase(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'string';
}
