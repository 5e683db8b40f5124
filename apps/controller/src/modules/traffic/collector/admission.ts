import type { Logger } from '@flotilla/kit';
import type { LogAnswer } from '../../../platform/streams/index.ts';
import { RETRY_MS, STORED } from './answers.ts';
import type { Assignments } from './assignments.ts';
import { toKey } from './batch-place.ts';
import type { CollectorThread } from './collector-thread.ts';
import type { Knowledge } from './knowledge.ts';
import type { BatchPlace } from './messages.ts';
import type { BatchOutcome, CollectorMetrics } from './metrics.ts';
import type { OpenBatches } from './open-batches.ts';
import type { PushedBatch } from './pushed-batch.ts';
import { SenderOrder, senderOf } from './sender-order.ts';
import type { Suspects } from './suspects.ts';

const ENTRIES_MAX = 10_000;
/** No entry takes less. An agent that says less than it sends is not believed. */
const ENTRY_BYTES_MIN = 24;

export interface AdmissionDeps {
  readonly thread: Pick<CollectorThread, 'start' | 'isReady' | 'post'>;
  readonly open: OpenBatches;
  readonly suspects: Suspects;
  readonly assignments: Pick<Assignments, 'has'>;
  readonly knowledge: Pick<Knowledge, 'ensure'>;
  readonly metrics: Pick<CollectorMetrics, 'countBatch'>;
  readonly logger: Logger;
  readonly now: () => number;
  /** Batches without an answer, and how many there may be. */
  readonly waiting: () => number;
  readonly waitingMax: number;
}

/** Why a batch does not go to the thread, or the promise of the thread's answer. */
type Admitted = { readonly answer: LogAnswer } | { readonly result: Promise<LogAnswer> };

/** Decides which batches the thread gets, and in which order. A batch that it does not get is answered at once. */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #order = new SenderOrder();
  /** The last admission of each sender. */
  readonly #admissions = new Map<string, Promise<unknown>>();
  /** Whether this controller collects. The caller sets it. */
  isWanted = false;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Batches of a sender are admitted one after the other, in their order. Never rejects. */
  async handle(place: BatchPlace, batch: PushedBatch): Promise<LogAnswer> {
    const { logger, now } = this.#deps;
    const sender = senderOf(place);
    const before = this.#admissions.get(sender) ?? Promise.resolve();
    const admission = before.then(() => this.#admit(place, batch));
    const settled = admission.catch(() => undefined);
    this.#admissions.set(sender, settled);
    try {
      const admitted = await admission;
      const answer = 'answer' in admitted ? admitted.answer : await admitted.result;
      if ('retryMs' in answer) this.#order.noteFailed(place, now());
      else this.#order.noteStored(place);
      return answer;
    } catch (error) {
      logger.warn({ err: error, client_id: place.client }, 'collector.push_failed');
      this.#order.noteFailed(place, now());
      return { retryMs: RETRY_MS.failed };
    } finally {
      if (this.#admissions.get(sender) === settled) this.#admissions.delete(sender);
    }
  }

  async #admit(place: BatchPlace, { payload, entries: claimed }: PushedBatch): Promise<Admitted> {
    const { thread, suspects, open, assignments, knowledge, metrics, now } = this.#deps;
    if (this.isWanted) thread.start();
    if (!thread.isReady)
      return this.#refuse(place, 'not_collecting', this.isWanted ? RETRY_MS.notReady : RETRY_MS.notHere);
    const isSuspect = suspects.has(toKey(place));
    if (suspects.areWaiting && !isSuspect) return this.#refuse(place, 'held', RETRY_MS.held);
    if (this.#order.isHeld(place, now())) {
      metrics.countBatch('held');
      return { answer: { retryMs: RETRY_MS.held } };
    }
    const entries = Math.min(ENTRIES_MAX, Math.max(claimed, Math.ceil(payload.byteLength / ENTRY_BYTES_MIN)));
    const size = { entries, bytes: payload.byteLength };
    if (this.#deps.waiting() > this.#deps.waitingMax || !open.hasRoom(size))
      return this.#refuse(place, 'queue_full', RETRY_MS.full);
    const isAssigned = await assignments.has(place);
    const project = isAssigned ? await knowledge.ensure(place.project) : 'absent';
    if (project === 'absent') {
      metrics.countBatch('unassigned');
      this.#order.noteTaken(place);
      return { answer: STORED };
    }
    if (project === 'outdated' || !thread.isReady) return this.#refuse(place, 'not_collecting', RETRY_MS.notReady);
    this.#order.noteTaken(place);
    const send = () => this.#send(place, payload, size);
    return { result: isSuspect ? this.#sendAlone(send) : send() };
  }

  #refuse(place: BatchPlace, outcome: BatchOutcome, retryMs: number): Admitted {
    this.#deps.metrics.countBatch(outcome);
    // So that the next one of the sender does not overtake this one.
    this.#order.noteFailed(place, this.#deps.now());
    return { answer: { retryMs } };
  }

  /** Sends a batch when nothing else is in the thread. */
  async #sendAlone(send: () => Promise<LogAnswer>): Promise<LogAnswer> {
    const { suspects, open, thread } = this.#deps;
    const { answer } = await suspects.takeTurn(async () => {
      await open.becomeIdle();
      if (!thread.isReady) return { answer: { retryMs: RETRY_MS.notReady } };
      const sent = send();
      await open.becomeIdle();
      return { answer: sent };
    });
    return answer;
  }

  #send(place: BatchPlace, payload: Uint8Array, size: { entries: number; bytes: number }): Promise<LogAnswer> {
    const { id, answer } = this.#deps.open.add(place, size);
    // A part of a larger buffer cannot be transferred without the rest.
    const own = size.bytes === payload.buffer.byteLength ? payload : Uint8Array.from(payload);
    this.#deps.thread.post({ kind: 'batch', id, place, payload: own }, [own.buffer as ArrayBuffer]);
    return answer;
  }
}
