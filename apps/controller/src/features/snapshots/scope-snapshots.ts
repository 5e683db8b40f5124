import type { Db } from '@flotilla/db';
import { type Logger, SerialQueue } from '@flotilla/kit';
import { type Translation, Translator } from '@flotilla/translate';
import type { Snapshot, SnapshotCache } from '@flotilla/xds';
import type { Scope } from '../documents/index.ts';
import type { Keyring } from '../keyring/index.ts';
import type { ErrorReporter } from './error-reporter.ts';
import { createHitTest } from './hit-test.ts';
import { type ConfiguredNode, nodeIdOf, toNodeInput } from './node-input.ts';
import { ScopeDocuments } from './scope-documents.ts';
import type { ServicePolicies } from './service-policies.ts';
import { TimeSlices } from './time-slices.ts';
import { toSnapshot } from './to-snapshot.ts';

export interface ScopeSnapshotsDeps {
  readonly db: Db;
  readonly keyring: Keyring;
  readonly cache: SnapshotCache;
  readonly reporter: Pick<ErrorReporter, 'report'>;
  readonly logger: Logger;
  readonly policies: ServicePolicies;
}

/** What would go to a node, or goes. */
export interface NodePreview {
  readonly node: ConfiguredNode;
  readonly translation: Translation;
  readonly snapshot: Snapshot;
}

interface ActiveNode {
  readonly id: string;
  readonly node: ConfiguredNode;
  /** Keys of documents that its last translation looked at. */
  used: ReadonlySet<string>;
}

/**
 * The snapshots of the active nodes of one project and version, with the documents that they are made of. Whatever is asked
 * for is done in the order of the calls, one after the other.
 */
export class ScopeSnapshots {
  readonly #deps: ScopeSnapshotsDeps;
  readonly #documents: ScopeDocuments;
  readonly #translator: Translator;
  readonly #nodes = new Map<string, ActiveNode>();
  readonly #queue = new SerialQueue();

  constructor(deps: ScopeSnapshotsDeps, scope: Scope, api: ConstructorParameters<typeof Translator>[0]) {
    this.#deps = deps;
    this.#documents = new ScopeDocuments(deps, scope);
    this.#translator = new Translator(api);
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

  /** Makes the node's snapshot, and follows its documents from then on. Rejects where it cannot be made. */
  async enter(node: ConfiguredNode): Promise<void> {
    const active = { id: nodeIdOf(node), node, used: new Set<string>() };
    this.#nodes.set(active.id, active);
    await this.#queue.run(() => this.#refresh(active));
  }

  leave(nodeId: string): void {
    this.#nodes.delete(nodeId);
  }

  /** These have changed: they are read again, and nodes whose translation looked at one of them get another snapshot. */
  async take(keys: readonly string[]): Promise<void> {
    await this.#queue.run(async () => {
      await this.#documents.refresh(keys);
      const isHit = createHitTest(keys);
      const slices = new TimeSlices();
      for (const active of [...this.#nodes.values()].filter(({ used }) => isHit(used))) {
        await this.#refreshSafely(active);
        await slices.pause();
      }
    });
  }

  /** Reads them again and leaves the snapshots as they are. */
  readAgain(keys: readonly string[]): Promise<void> {
    return this.#queue.run(() => this.#documents.refresh(keys));
  }

  /** Forgets all documents: each is read again when it is needed. */
  clear(): Promise<void> {
    return this.#queue.run(async () => this.#documents.clear());
  }

  /** Of any node of the scope, active or not. */
  preview(node: ConfiguredNode): Promise<NodePreview> {
    return this.#queue.run(async () => {
      const translation = await this.#translate(node);
      return { node, translation, snapshot: toSnapshot(nodeIdOf(node), translation) };
    });
  }

  /** Resolves when nothing that was asked for is under way. */
  settle(): Promise<void> {
    return this.#queue.settle();
  }

  async #refresh(active: ActiveNode): Promise<void> {
    const { cache, reporter } = this.#deps;
    const translation = await this.#translate(active.node);
    // It may have gone while documents were loaded.
    if (this.#nodes.get(active.id) !== active) return;
    active.used = translation.used;
    cache.set(active.id, toSnapshot(active.id, translation));
    reporter.report(active.node, translation.errors);
  }

  async #translate(node: ConfiguredNode): Promise<Translation> {
    const policies = node.policies.length === 0 ? undefined : await this.#deps.policies.of(node);
    return this.#documents.read((source) => this.#translator.translate(source, toNodeInput(node, policies)));
  }

  /** One node that cannot be made must not keep the others from it: it stays with what it has. */
  async #refreshSafely(active: ActiveNode): Promise<void> {
    try {
      await this.#refresh(active);
    } catch (error) {
      if (isFromDatabase(error)) throw error;
      this.#deps.logger.error({ err: error, node: active.id }, 'snapshots.translation_failed');
    }
  }
}

/** Drivers and sockets put a code on their errors; the batch is tried again for those. */
function isFromDatabase(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'string';
}
