import { Buffer } from 'node:buffer';
import { API_DISCOVERY_SETTINGS } from '@flotilla/contract';
import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { Registry } from 'prom-client';
import type { EventStoreChoice } from '../../../platform/event-store-choice.ts';
import type { Settings } from '../../../platform/settings/index.ts';
import type { ClientIdentity, LogAnswer, LogsPort } from '../../../platform/streams/index.ts';
import { Applier, type ApplyBatches } from './applier.ts';
import { listExisting } from './assignment-store.ts';
import { Assignments } from './assignments.ts';
import { readPlace, toKey } from './batch-place.ts';
import { CollectorThread } from './collector-thread.ts';
import type { EventStoreAccess } from './event-store-access.ts';
import { Knowledge, type KnowledgeDeps } from './knowledge.ts';
import { storeLearner } from './learner-store.ts';
import type { BatchPlace, FromThread, RetentionChoice } from './messages.ts';
import { type BatchOutcome, CollectorMetrics } from './metrics.ts';
import type { ProjectKeys } from './project-keys.ts';
import type { PushedBatch } from './pushed-batch.ts';
import { SenderOrder, senderOf } from './sender-order.ts';
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
  /** Only tests set it. */
  readonly worker?: URL;
}

export interface CollectorLimits {
  /** Requests in batches that the thread has not stored yet. */
  readonly queuedEntries: number;
  readonly queuedBytes: number;
  /** Batches without an answer. */
  readonly openBatches: number;
}

const LIMITS: CollectorLimits = { queuedEntries: 30_000, queuedBytes: 24 * 1024 * 1024, openBatches: 2000 };
const ENTRIES_MAX = 10_000;
/** No entry takes less. An agent that says less than it sends is not believed. */
const ENTRY_BYTES_MIN = 24;
const RETRY_MS = { full: 1000, held: 1000, notReady: 5000, notHere: 10_000, failed: 2000 };
const MAINTENANCE_MS = 10 * 60_000;
const LEARNERS_MS = 60_000;
const SHAPES_MAX = 10_000;
/** Settings, and what routes follow from. */
const TOPICS: ReadonlySet<string> = new Set(['setting.changed', 'documents.changed', 'services.changed']);

interface Open {
  readonly place: BatchPlace;
  readonly entries: number;
  readonly bytes: number;
  readonly resolve: (answer: LogAnswer) => void;
}

const STORED: LogAnswer = { stored: true };

/** Takes batches of agents, and answers when the event store and the catalogue have them. */
export class Collector implements LogsPort, Closable {
  readonly #deps: CollectorDeps;
  readonly #limits: CollectorLimits;
  readonly #now: () => number;
  readonly #thread: CollectorThread;
  readonly #applier: Applier;
  readonly #knowledge: Knowledge;
  readonly #assignments: Assignments;
  readonly #metrics: CollectorMetrics;
  readonly #order = new SenderOrder();
  readonly #suspects = new Suspects();
  /** Answers that are not given yet: a batch that comes twice is handled once. */
  readonly #answers = new Map<string, Promise<LogAnswer>>();
  readonly #open = new Map<number, Open>();
  /** Called when nothing is open any more. */
  readonly #idle: Array<() => void> = [];
  /** The last admission of each sender. */
  readonly #admissions = new Map<string, Promise<unknown>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #isWanted = false;
  #nextId = 0;
  #queuedEntries = 0;
  #queuedBytes = 0;
  #retention: RetentionChoice | undefined;
  #stopListening: (() => Promise<void>) | undefined;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...deps.limits };
    this.#now = deps.now ?? Date.now;
    const { logger, store, settings, keys, database } = deps;
    const { db } = database;
    this.#thread = new CollectorThread({
      store,
      logger,
      worker: deps.worker,
      onMessage: (message) => this.#receive(message),
      onReady: () => this.#greet(),
      onEnd: () => this.#endAll(),
    });
    this.#applier = new Applier({ db, logger, applyBatches: deps.applyBatches });
    this.#assignments = new Assignments({ db, now: this.#now });
    this.#knowledge = new Knowledge({
      db,
      settings,
      keys,
      logger,
      now: this.#now,
      collector: deps.id ?? '',
      routes: deps.routes,
      templates: deps.templates,
      onNamesChanged: (project) => deps.onNamesChanged?.(project),
      post: (message, transfer) => this.#thread.post(message, transfer),
    });
    this.#metrics = new CollectorMetrics(deps.metrics, {
      queuedEntries: () => this.#queuedEntries,
      waitingBatches: () => this.#answers.size,
      projects: () => this.#knowledge.projects,
      isReady: () => this.#thread.isReady,
    });
  }

  get events(): EventStoreAccess {
    return this.#thread;
  }

  /** Begins to collect. The caller has the seat of the event store, if the store needs one. */
  async start(): Promise<void> {
    this.#stopListening ??= await this.#deps.database.listen(OUTBOX_CHANNEL, {
      onNotify: (topic) => {
        if (TOPICS.has(topic)) this.#refresh();
      },
      onGap: () => this.#refresh(),
    });
    if (this.#timers.length === 0) {
      this.#timers.push(
        setInterval(() => this.#thread.post({ kind: 'learners' }), LEARNERS_MS).unref(),
        setInterval(() => void this.#maintain(), MAINTENANCE_MS).unref(),
      );
    }
    this.#isWanted = true;
    // Without a store, nobody needs the thread before the first batch.
    if (this.#deps.store.kind !== 'off') this.#thread.start();
  }

  /** Stops to collect. Agents keep what has no answer, and send it again. */
  async stop(reason: string): Promise<void> {
    this.#isWanted = false;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await this.#thread.stop(reason);
  }

  async close(): Promise<void> {
    await this.#stopListening?.();
    await this.stop('The controller is stopping.');
    await this.#knowledge.close();
    await this.#applier.close();
    await Promise.allSettled(this.#saving);
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
    const answer = this.#handle(place, batch).finally(() => this.#answers.delete(key));
    this.#answers.set(key, answer);
    return answer;
  }

  async #handle(place: BatchPlace, batch: PushedBatch): Promise<LogAnswer> {
    const sender = senderOf(place);
    const before = this.#admissions.get(sender) ?? Promise.resolve();
    const admission = before.then(() => this.#admit(place, batch));
    const settled = admission.catch(() => undefined);
    this.#admissions.set(sender, settled);
    try {
      const admitted = await admission;
      const answer = 'answer' in admitted ? admitted.answer : await admitted.result;
      if ('retryMs' in answer) this.#order.noteFailed(place, this.#now());
      else this.#order.noteStored(place);
      return answer;
    } catch (error) {
      this.#deps.logger.warn({ err: error, client_id: place.client }, 'collector.push_failed');
      this.#order.noteFailed(place, this.#now());
      return { retryMs: RETRY_MS.failed };
    } finally {
      if (this.#admissions.get(sender) === settled) this.#admissions.delete(sender);
    }
  }

  /** Checks a batch and gives it to the thread. Batches of a sender are admitted one after the other, in their order. */
  async #admit(
    place: BatchPlace,
    { payload, entries: claimed }: PushedBatch,
  ): Promise<{ readonly answer: LogAnswer } | { readonly result: Promise<LogAnswer> }> {
    const refuse = (outcome: BatchOutcome, retryMs: number) => {
      this.#metrics.countBatch(outcome);
      // So that the next one of the sender does not overtake this one.
      this.#order.noteFailed(place, this.#now());
      return { answer: { retryMs } };
    };
    if (this.#isWanted) this.#thread.start();
    if (!this.#thread.isReady) return refuse('not_collecting', this.#isWanted ? RETRY_MS.notReady : RETRY_MS.notHere);
    const isSuspect = this.#suspects.has(toKey(place));
    if (this.#suspects.areWaiting && !isSuspect) return refuse('held', RETRY_MS.held);
    if (this.#order.isHeld(place, this.#now())) {
      this.#metrics.countBatch('held');
      return { answer: { retryMs: RETRY_MS.held } };
    }
    const entries = Math.min(ENTRIES_MAX, Math.max(claimed, Math.ceil(payload.byteLength / ENTRY_BYTES_MIN)));
    if (!this.#hasRoom(entries, payload.byteLength)) return refuse('queue_full', RETRY_MS.full);
    const isAssigned = await this.#assignments.has(place);
    const project = isAssigned ? await this.#knowledge.ensure(place.project) : 'absent';
    if (project === 'absent') {
      this.#metrics.countBatch('unassigned');
      this.#order.noteTaken(place);
      return { answer: STORED };
    }
    if (project === 'outdated' || !this.#thread.isReady) return refuse('not_collecting', RETRY_MS.notReady);
    this.#order.noteTaken(place);
    const send = () => this.#send(place, payload, entries);
    return { result: isSuspect ? this.#sendAlone(send) : send() };
  }

  /** With nothing else in the thread. */
  async #sendAlone(send: () => Promise<LogAnswer>): Promise<LogAnswer> {
    const { answer } = await this.#suspects.takeTurn(async () => {
      await this.#becomeIdle();
      if (!this.#thread.isReady) return { answer: { retryMs: RETRY_MS.notReady } };
      const sent = send();
      await this.#becomeIdle();
      return { answer: sent };
    });
    return answer;
  }

  #becomeIdle(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  #hasRoom(entries: number, bytes: number): boolean {
    const { queuedEntries, queuedBytes, openBatches } = this.#limits;
    if (this.#answers.size > openBatches) return false;
    // One batch always has room.
    if (this.#open.size === 0) return true;
    return this.#queuedEntries + entries <= queuedEntries && this.#queuedBytes + bytes <= queuedBytes;
  }

  #send(place: BatchPlace, payload: Uint8Array, entries: number): Promise<LogAnswer> {
    return new Promise((resolve) => {
      const id = this.#nextId;
      this.#nextId += 1;
      const bytes = payload.byteLength;
      this.#open.set(id, { place, entries, bytes, resolve });
      this.#queuedEntries += entries;
      this.#queuedBytes += bytes;
      // A part of a larger buffer cannot be transferred without the rest.
      const own = bytes === payload.buffer.byteLength ? payload : Uint8Array.from(payload);
      this.#thread.post({ kind: 'batch', id, place, payload: own }, [own.buffer as ArrayBuffer]);
    });
  }

  #take(id: number): Open | undefined {
    const open = this.#open.get(id);
    if (open === undefined) return undefined;
    this.#open.delete(id);
    this.#queuedEntries -= open.entries;
    this.#queuedBytes -= open.bytes;
    if (this.#open.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    return open;
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'collected':
        void this.#apply(message);
        return;
      case 'malformed':
        this.#metrics.countBatch('malformed');
        this.#deps.logger.warn({ problem: message.problem }, 'collector.batch_malformed');
        this.#take(message.id)?.resolve(STORED);
        return;
      case 'failed':
        this.#metrics.countBatch(message.code === 'collector.held' ? 'held' : 'retried');
        if (message.code !== 'collector.held')
          this.#deps.logger.warn({ code: message.code }, 'collector.append_failed');
        this.#take(message.id)?.resolve({ retryMs: message.retryMs });
        return;
      case 'learner':
        this.#saveLearner(message);
        return;
      case 'maintained':
        this.#metrics.countMaintenance(message.expired, message.evicted);
        this.#metrics.setSizes(message.sizes);
        return;
      case 'problem':
        this.#metrics.countProblem(message.what);
        this.#deps.logger.warn({ what: message.what, message: message.message }, 'collector.problem');
        return;
      default:
        return;
    }
  }

  async #apply({ id, deltas, report, span }: FromThread & { kind: 'collected' }): Promise<void> {
    const open = this.#take(id);
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

  readonly #saving = new Set<Promise<void>>();
  /** The templates of each project that were saved last. */
  readonly #shapes = new Map<string, string>();

  #saveLearner({ project, state, places, shapes }: FromThread & { kind: 'learner' }): void {
    const { database, logger, onNamesChanged, id = '' } = this.#deps;
    const saving = storeLearner(database.db, project, {
      collector: id,
      state: Buffer.from(state.buffer, state.byteOffset, state.byteLength),
      places,
      at: new Date(this.#now()),
    })
      .then(() => {
        if (this.#shapes.get(project) === shapes) return;
        if (this.#shapes.size >= SHAPES_MAX) this.#shapes.clear();
        this.#shapes.set(project, shapes);
        onNamesChanged?.(project);
      })
      .catch((error: unknown) => logger.warn({ err: error }, 'collector.learner_not_saved'))
      .finally(() => this.#saving.delete(saving));
    this.#saving.add(saving);
  }

  #greet(): void {
    this.#knowledge.reset();
    void this.#maintain();
  }

  /** The batches of the thread are not stored: agents send them again, except for one that has ended the thread too often. */
  #endAll(): void {
    this.#metrics.countEnd();
    this.#knowledge.reset();
    const open = [...this.#open.values()].map(({ place }) => toKey(place));
    const culprit = this.#isWanted ? this.#suspects.noteEnd(open) : undefined;
    for (const id of [...this.#open.keys()]) {
      const { place, resolve } = this.#take(id) ?? {};
      const isCulprit = place !== undefined && toKey(place) === culprit;
      this.#metrics.countBatch(isCulprit ? 'thrown_away' : 'retried');
      if (isCulprit) this.#deps.logger.error({ batch: place }, 'collector.batch_ends_thread');
      resolve?.(isCulprit ? STORED : { retryMs: RETRY_MS.notReady });
    }
  }

  #refresh(): void {
    this.#knowledge.refresh();
    void this.#followRetention();
  }

  async #followRetention(): Promise<void> {
    const before = JSON.stringify(this.#retention);
    if (JSON.stringify(await this.#readRetention()) !== before) await this.#maintain();
  }

  async #maintain(): Promise<void> {
    await this.#dropDeletedProjects();
    const retention = await this.#readRetention();
    if (retention !== undefined) this.#thread.post({ kind: 'maintain', retention });
  }

  /** Deletes the events of projects that do not exist any more. A store belongs to one installation. */
  async #dropDeletedProjects(): Promise<void> {
    const { store } = this.events;
    try {
      const stored = (await store?.projects()) ?? [];
      const existing = await listExisting(this.#deps.database.db, stored);
      for (const project of stored) if (!existing.has(project)) await store?.deleteProject(project);
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'collector.projects_not_dropped');
    }
  }

  async #readRetention(): Promise<RetentionChoice | undefined> {
    try {
      const { value } = await this.#deps.settings.getAcceptable(API_DISCOVERY_SETTINGS);
      const { event_days: eventDays, max_disk_percent: maxDiskPercent } = value.store;
      this.#retention = { eventDays, maxDiskPercent };
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'collector.retention_not_read');
    }
    return this.#retention;
  }
}
