import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { decodeBatch } from '@flotilla/access-log';
import { type Collected, Pipeline, packLearner, unpackLearner, unpackState } from '@flotilla/collector';
import { EVENT_STORE_ERRORS, type EventStore, eventIdsOf, spanOf, toProjectId } from '@flotilla/event-store';
import { type LearnerState, type OperationDelta, RouteNames, TemplateIndex, toOperationId } from '@flotilla/inventory';
import { AppError, toErrorMessage } from '@flotilla/kit';
import type { EventStoreChoice } from '../../../../platform/event-store-choice.ts';
import type { BatchPlace, BatchReport, FromThread, ProjectMessage, RetentionChoice, ToThread } from '../messages.ts';
import { SenderOrder, senderOf } from '../sender-order.ts';
import { DataSets } from './data-sets.ts';

export interface CoreOptions {
  readonly store: EventStore | undefined;
  readonly choice: EventStoreChoice;
  readonly post: (message: FromThread, transfer?: readonly ArrayBuffer[]) => void;
  readonly now: () => number;
}

interface Project {
  readonly pipeline: Pipeline;
  /** Batches since what was learned was handed out. */
  unsaved: number;
  /** The number of the last reset of operations that the detectors have followed. */
  lastReset: number;
}

/** A batch that was understood, until it is stored. */
interface Understood {
  readonly events: Collected['events'];
  readonly deltas: readonly OperationDelta[];
  readonly report: BatchReport;
}

const RETRY_MS = 2000;
const HELD_RETRY_MS = 1000;
const REFUSED_EVENTS_MAX = 60_000;

/** The work of the collector's thread: from the bytes of a batch to stored events and deltas. */
export class CollectorCore {
  readonly #options: CoreOptions;
  readonly #data = new DataSets();
  readonly #projects = new Map<string, Project>();
  readonly #order = new SenderOrder();
  /** The last append of each sender. */
  readonly #appends = new Map<string, Promise<void>>();
  /** Batches that the store has refused: they are not counted by detectors a second time. */
  readonly #refused = new Map<string, Understood>();

  constructor(options: CoreOptions) {
    this.#options = options;
  }

  async handle(message: ToThread): Promise<void> {
    switch (message.kind) {
      case 'batch':
        return this.#take(message.id, message.place, message.payload);
      case 'project':
        return this.#setProject(message);
      case 'forget':
        this.#projects.delete(message.project);
        return;
      case 'networks':
        return this.#data.addNetworks(message.id, message.part, message.isLast);
      case 'geo':
        return this.#addDatabase(message);
      case 'drop-data':
        return this.#data.drop(message.id);
      case 'learners':
        return this.#saveLearners();
      case 'maintain':
        return this.#maintain(message.retention);
      case 'close':
        return this.#close();
    }
  }

  #setProject({
    project,
    settings,
    key,
    routes,
    templates,
    threats,
    city,
    asn,
    learner,
    others,
    detectors,
    resets,
  }: ProjectMessage): void {
    const knowledge = {
      settings,
      key,
      routes: new RouteNames(routes),
      openApi: new TemplateIndex(templates),
      threats: this.#data.networks(threats),
      city: this.#data.database(city),
      asn: this.#data.database(asn),
    };
    const known = this.#projects.get(project);
    if (known !== undefined) {
      known.pipeline.update(knowledge);
      this.#adopt(known.pipeline, others);
      known.pipeline.forgetOperations(resets.operations);
      known.lastReset = resets.last;
      return;
    }
    const restored = learner === undefined ? undefined : unpackLearner(learner);
    if (typeof restored === 'string') this.#options.post({ kind: 'problem', what: 'learner', message: restored });
    const pipeline = new Pipeline({
      project,
      knowledge,
      toOperationId,
      learner: typeof restored === 'string' ? undefined : restored,
    });
    this.#adopt(pipeline, others);
    this.#restoreDetectors(project, pipeline, detectors);
    pipeline.forgetOperations(resets.operations);
    this.#projects.set(project, { pipeline, unsaved: 0, lastReset: resets.last });
  }

  /** Paths that other collectors know have names here, too, and the same ones. */
  #adopt(pipeline: Pipeline, others: ProjectMessage['others']): void {
    const states: LearnerState[] = [];
    for (const bytes of others) {
      const state = unpackState(bytes);
      if (typeof state === 'string') this.#options.post({ kind: 'problem', what: 'learner', message: state });
      else states.push(state);
    }
    pipeline.learner.adopt(states);
  }

  #restoreDetectors(project: string, pipeline: Pipeline, state: Uint8Array | undefined): void {
    const complaint = state && pipeline.restoreDetectors(state, this.#options.now());
    if (complaint === undefined) return;
    this.#options.post({ kind: 'problem', what: 'detectors', message: `project ${project}: ${complaint}` });
  }

  #addDatabase({ id, part, isLast }: ToThread & { kind: 'geo' }): void {
    try {
      this.#data.addDatabase(id, part, isLast);
    } catch (error) {
      this.#options.post({ kind: 'problem', what: 'geoip', message: toErrorMessage(error) });
    }
  }

  #take(id: number, place: BatchPlace, payload: Uint8Array): void {
    const { post, now } = this.#options;
    if (this.#order.isHeld(place, now())) {
      post({ kind: 'failed', id, code: 'collector.held', retryMs: HELD_RETRY_MS });
      return;
    }
    const understood = this.#understand(place, payload);
    if (typeof understood === 'string') {
      post({ kind: 'malformed', id, problem: understood });
      return;
    }
    if (understood === undefined) {
      post({ kind: 'failed', id, code: 'collector.project_unknown', retryMs: RETRY_MS });
      return;
    }
    const sender = senderOf(place);
    const before = this.#appends.get(sender) ?? Promise.resolve();
    const mine = before.then(() => this.#store(id, place, understood));
    this.#appends.set(sender, mine);
    void mine.then(() => {
      if (this.#appends.get(sender) === mine) this.#appends.delete(sender);
    });
  }

  /** Undefined: nothing is known of the project. A text says what is wrong with the batch. */
  #understand(place: BatchPlace, payload: Uint8Array): Understood | string | undefined {
    const key = keyOf(place);
    const again = this.#refused.get(key);
    if (again !== undefined) return again;
    const project = this.#projects.get(place.project);
    if (project === undefined) return undefined;
    const decoded = decodeBatch(payload);
    if (!decoded.ok) return decoded.error;
    const { epoch, sequence } = place;
    const { events, deltas, ...counts } = project.pipeline.collect(
      { ...decoded.value, epoch, sequence },
      {
        service: place.service,
        client: place.client,
        nowMs: this.#options.now(),
        toEventId: eventIdsOf(place.project, { sender: senderOf(place), epoch, sequence }),
      },
    );
    project.unsaved += 1;
    const { received, sampledOut, dropped, flags, agentKinds } = counts;
    return { events, deltas, report: { received, stored: events.rows, sampledOut, dropped, flags, agentKinds } };
  }

  /** Never rejects. */
  async #store(id: number, place: BatchPlace, understood: Understood): Promise<void> {
    const { post, now, store } = this.#options;
    const key = keyOf(place);
    try {
      // An earlier batch of the sender may have failed in the meantime.
      if (this.#order.isHeld(place, now())) {
        this.#keepRefused(key, understood);
        post({ kind: 'failed', id, code: 'collector.held', retryMs: HELD_RETRY_MS });
        return;
      }
      const { epoch, sequence } = place;
      const batch = { sender: senderOf(place), epoch, sequence, events: understood.events };
      const outcome = await store?.append(toProjectId(place.project), batch);
      const span = outcome && spanOf(place.project, batch, { nowMs: now(), isRepeated: outcome === 'duplicate' });
      this.#refused.delete(key);
      this.#order.noteStored(place);
      post({ kind: 'collected', id, deltas: understood.deltas, report: understood.report, span });
    } catch (error) {
      this.#keepRefused(key, understood);
      this.#order.noteFailed(place, now());
      const { code } = error instanceof AppError ? error : EVENT_STORE_ERRORS.failed(error);
      post({ kind: 'failed', id, code, retryMs: RETRY_MS });
    }
  }

  #keepRefused(key: string, understood: Understood): void {
    this.#refused.set(key, understood);
    let events = 0;
    for (const kept of this.#refused.values()) events += kept.events.rows;
    for (const [oldest, kept] of this.#refused) {
      if (events <= REFUSED_EVENTS_MAX) break;
      events -= kept.events.rows;
      this.#refused.delete(oldest);
    }
  }

  #saveLearners(): void {
    const { post } = this.#options;
    for (const [name, project] of this.#projects) {
      if (project.unsaved === 0) continue;
      project.unsaved = 0;
      this.#saveDetectors(name, project);
      const { learner } = project.pipeline;
      const state = packLearner(learner);
      if (state !== undefined)
        post({ kind: 'learner', project: name, state, places: learner.nodes, shapes: learner.shapes() });
      else post({ kind: 'problem', what: 'learner', message: `project ${name} has too many places to store` });
    }
    post({ kind: 'learners-end' });
  }

  #saveDetectors(project: string, { pipeline, lastReset }: Project): void {
    const { post, now } = this.#options;
    const state = pipeline.packDetectors(now());
    if (state !== undefined) post({ kind: 'detectors', project, state, lastReset });
    else post({ kind: 'problem', what: 'detectors', message: `project ${project} has too many states to store` });
  }

  async #maintain({ eventDays, maxDiskPercent }: RetentionChoice): Promise<void> {
    const { post, store, choice, now } = this.#options;
    const sizes = Array.from(this.#projects, ([project, { pipeline }]) => ({ project, ...pipeline.sizes }));
    const maxBytes = choice.kind === 'duckdb' ? shareOf(choice.path, maxDiskPercent) : undefined;
    try {
      const done = await store?.maintain(now(), { eventsDays: eventDays, ...(maxBytes !== undefined && { maxBytes }) });
      post({ kind: 'maintained', expired: done?.expiredEvents ?? 0, evicted: done?.evictedEvents ?? 0, sizes });
    } catch (error) {
      post({ kind: 'problem', what: 'maintenance', message: toErrorMessage(error) });
    }
  }

  async #close(): Promise<void> {
    const { post, store } = this.#options;
    await Promise.all(this.#appends.values());
    this.#saveLearners();
    try {
      await store?.close();
    } catch (error) {
      post({ kind: 'problem', what: 'closing', message: toErrorMessage(error) });
    }
    post({ kind: 'closed' });
  }
}

const keyOf = (place: BatchPlace) => `${place.project} ${senderOf(place)} ${place.epoch} ${place.sequence}`;

/** Bytes of the disk on which the file is. */
function shareOf(path: string, percent: number): number {
  const { blocks, bsize } = statfsSync(dirname(path));
  return Math.floor((blocks * bsize * percent) / 100);
}
