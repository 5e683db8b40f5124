import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { Registry } from 'prom-client';
import type { EventStoreChoice } from '../../../platform/event-store-choice.ts';
import type { Settings } from '../../../platform/settings/index.ts';
import type { ClientIdentity, LogAnswer, LogsPort } from '../../../platform/streams/index.ts';
import { Admission } from './admission.ts';
import { RETRY_MS, STORED } from './answers.ts';
import { Applier, type ApplyBatches } from './applier.ts';
import { Assignments } from './assignments.ts';
import { readPlace, toKey } from './batch-place.ts';
import { CollectorThread } from './collector-thread.ts';
import type { EventStoreAccess } from './event-store-access.ts';
import { Knowledge, type KnowledgeDeps } from './knowledge.ts';
import { LearnedWriter } from './learned-writer.ts';
import type { FromThread } from './messages.ts';
import { CollectorMetrics } from './metrics.ts';
import { OpenBatches, type QueueLimits } from './open-batches.ts';
import type { ProjectKeys } from './project-keys.ts';
import type { PushedBatch } from './pushed-batch.ts';
import { StoreUpkeep } from './store-upkeep.ts';
import { Suspects } from './suspects.ts';

export interface CollectorDeps extends Pick<KnowledgeDeps, 'routes' | 'templates'> {
  /** Under which it stores what it has learned: other collectors have other ids. */
  readonly id?: string;
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly settings: Pick<Settings, 'getAcceptable'>;
  readonly keys: ProjectKeys;
  readonly store: EventStoreChoice;
  readonly applyBatches: ApplyBatches;
  /** Stored operations of the project may have other names now. */
  readonly onNamesChanged?: ((project: string) => void) | undefined;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly now?: () => number;
  readonly limits?: Partial<CollectorLimits>;
  /** How often what was learned is stored. */
  readonly learnersMs?: number;
  /** Only tests set it. */
  readonly worker?: URL;
}

export interface CollectorLimits extends QueueLimits {
  /** Batches without an answer. */
  readonly openBatches: number;
}

const LIMITS: CollectorLimits = { queuedEntries: 30_000, queuedBytes: 24 * 1024 * 1024, openBatches: 2000 };
const MAINTENANCE_MS = 10 * 60_000;
const LEARNERS_MS = 60_000;
/** Settings, and what routes follow from. */
const TOPICS: ReadonlySet<string> = new Set(['setting.changed', 'documents.changed', 'services.changed']);

/**
 * Takes batches of agents, and answers when the event store and the catalogue have them. A batch passes `Admission`, the thread (`CollectorThread`) and the
 * `Applier`, in this order.
 */
export class Collector implements LogsPort, Closable {
  readonly #deps: CollectorDeps;
  readonly #now: () => number;
  readonly #open: OpenBatches;
  readonly #suspects = new Suspects();
  readonly #thread: CollectorThread;
  readonly #knowledge: Knowledge;
  readonly #admission: Admission;
  readonly #applier: Applier;
  readonly #learned: LearnedWriter;
  readonly #upkeep: StoreUpkeep;
  readonly #metrics: CollectorMetrics;
  /** Answers that are not given yet: a batch that comes twice is handled once. */
  readonly #answers = new Map<string, Promise<LogAnswer>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #stopListening: (() => Promise<void>) | undefined;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const { logger, settings, database } = deps;
    const { db } = database;
    const limits = { ...LIMITS, ...deps.limits };
    this.#open = new OpenBatches(limits);
    this.#thread = this.#createThread();
    this.#knowledge = this.#createKnowledge();
    this.#metrics = this.#createMetrics();
    this.#applier = new Applier({ db, logger, applyBatches: deps.applyBatches });
    this.#upkeep = new StoreUpkeep({ db, settings, thread: this.#thread, logger });
    this.#learned = new LearnedWriter({
      db,
      logger,
      collector: deps.id ?? '',
      now: this.#now,
      onNamesChanged: (project) => deps.onNamesChanged?.(project),
    });
    this.#admission = new Admission({
      thread: this.#thread,
      open: this.#open,
      suspects: this.#suspects,
      assignments: new Assignments({ db, now: this.#now }),
      knowledge: this.#knowledge,
      metrics: this.#metrics,
      logger,
      now: this.#now,
      waiting: () => this.#answers.size,
      waitingMax: limits.openBatches,
    });
  }

  get events(): EventStoreAccess {
    return this.#thread;
  }

  /** Starts collecting. The caller has the seat of the event store, if the store needs one. */
  async start(): Promise<void> {
    this.#stopListening ??= await this.#deps.database.listen(OUTBOX_CHANNEL, {
      onNotify: (topic) => {
        if (TOPICS.has(topic)) this.#refresh();
      },
      onGap: () => this.#refresh(),
    });
    if (this.#timers.length === 0) {
      this.#timers.push(
        setInterval(() => this.#thread.post({ kind: 'learners' }), this.#deps.learnersMs ?? LEARNERS_MS).unref(),
        setInterval(() => void this.#upkeep.run(), MAINTENANCE_MS).unref(),
      );
    }
    this.#admission.isWanted = true;
    // Without a store, nobody needs the thread before the first batch.
    if (this.#deps.store.kind !== 'off') this.#thread.start();
  }

  /** Stops collecting. Agents keep what has no answer, and send it again. */
  async stop(reason: string): Promise<void> {
    this.#admission.isWanted = false;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await this.#thread.stop(reason);
  }

  async close(): Promise<void> {
    await this.#stopListening?.();
    await this.stop('The controller is stopping.');
    await this.#knowledge.close();
    await this.#applier.close();
    await this.#learned.settle();
  }

  push(client: ClientIdentity, batch: PushedBatch): Promise<LogAnswer> {
    const place = readPlace(client, batch);
    if (place === undefined) {
      this.#metrics.countBatch('malformed');
      return Promise.resolve(STORED);
    }
    const key = toKey(place);
    const open = this.#answers.get(key);
    if (open !== undefined) return open;
    const answer = this.#admission.handle(place, batch).finally(() => this.#answers.delete(key));
    this.#answers.set(key, answer);
    return answer;
  }

  #createThread(): CollectorThread {
    const { store, logger, worker } = this.#deps;
    return new CollectorThread({
      store,
      logger,
      worker,
      onMessage: (message) => this.#receive(message),
      onReady: () => {
        this.#knowledge.reset();
        void this.#upkeep.run();
      },
      onEnd: () => this.#endAll(),
    });
  }

  #createKnowledge(): Knowledge {
    const { database, settings, keys, logger, id = '', routes, templates, onNamesChanged } = this.#deps;
    return new Knowledge({
      db: database.db,
      settings,
      keys,
      logger,
      now: this.#now,
      collector: id,
      routes,
      templates,
      onNamesChanged: (project) => onNamesChanged?.(project),
      post: (message, transfer) => this.#thread.post(message, transfer),
    });
  }

  #createMetrics(): CollectorMetrics {
    return new CollectorMetrics(this.#deps.metrics, {
      queuedEntries: () => this.#open.entries,
      waitingBatches: () => this.#answers.size,
      projects: () => this.#knowledge.projects,
      isReady: () => this.#thread.isReady,
    });
  }

  #receive(message: FromThread): void {
    const { logger } = this.#deps;
    switch (message.kind) {
      case 'collected':
        void this.#apply(message);
        return;
      case 'malformed':
        this.#metrics.countBatch('malformed');
        logger.warn({ problem: message.problem }, 'collector.batch_malformed');
        this.#open.take(message.id)?.resolve(STORED);
        return;
      case 'failed':
        this.#metrics.countBatch(message.code === 'collector.held' ? 'held' : 'retried');
        if (message.code !== 'collector.held') logger.warn({ code: message.code }, 'collector.append_failed');
        this.#open.take(message.id)?.resolve({ retryMs: message.retryMs });
        return;
      case 'learner':
        this.#learned.savePaths(message);
        return;
      case 'detectors':
        this.#learned.saveDetectors(message);
        return;
      case 'maintained':
        this.#metrics.countMaintenance(message.expired, message.evicted);
        this.#metrics.setSizes(message.sizes);
        return;
      case 'problem':
        this.#metrics.countProblem(message.what);
        logger.warn({ what: message.what, message: message.message }, 'collector.problem');
        return;
      default:
        return;
    }
  }

  async #apply({ id, deltas, report, span }: FromThread & { kind: 'collected' }): Promise<void> {
    const open = this.#open.take(id);
    if (open === undefined) return;
    this.#suspects.acquit(toKey(open.place));
    const { project, client, service, epoch, sequence } = open.place;
    const outcome = await this.#applier.add({
      projectId: project,
      clientId: client,
      serviceId: service,
      epoch,
      sequence,
      deltas,
      span,
      now: new Date(this.#now()),
    });
    this.#metrics.countBatch(outcome === 'applied' ? 'stored' : 'duplicate');
    if (outcome === 'applied') this.#metrics.countReport(report);
    open.resolve(STORED);
  }

  /** The batches of the thread are not stored: agents send them again, except for one that has ended the thread too often. */
  #endAll(): void {
    this.#metrics.countEnd();
    this.#knowledge.reset();
    const keys = this.#open.places.map(toKey);
    const culprit = this.#admission.isWanted ? this.#suspects.noteEnd(keys) : undefined;
    for (const id of this.#open.ids) {
      const { place, resolve } = this.#open.take(id) ?? {};
      const isCulprit = place !== undefined && toKey(place) === culprit;
      this.#metrics.countBatch(isCulprit ? 'thrown_away' : 'retried');
      if (isCulprit) this.#deps.logger.error({ batch: place }, 'collector.batch_ends_thread');
      resolve?.(isCulprit ? STORED : { retryMs: RETRY_MS.notReady });
    }
  }

  #refresh(): void {
    this.#knowledge.refresh();
    void this.#upkeep.followSettings();
  }
}
