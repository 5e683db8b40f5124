import type { Db } from '@flotilla/db';
import type { EventStore } from '@flotilla/event-store';
import { type Clock, type Closable, CoalescedWork, createId, type Logger, toErrorMessage } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import {
  chooseChannels,
  cleanText,
  type DueChannel,
  retryAfterMs,
  toInFlight,
} from '../../../platform/outbound/index.ts';
import { ensureHeads, forgetRead } from './arrival-store.ts';
import { type Gathered, gather } from './gather.ts';
import { type Outgoing, SEND_DEADLINE_MS } from './outgoing.ts';
import {
  type ClaimedExport,
  claimExport,
  failExport,
  listDueExports,
  moveExport,
  type Place,
  releaseExport,
} from './place-store.ts';
import { openTarget } from './secrets.ts';

const LOOK_EVERY_MS = 1000;
const FORGET_EVERY_MS = 10_000;
/** Outlives every attempt and the reading before it. */
const LEASE_MS = SEND_DEADLINE_MS + 60_000;
const BATCH_MAX = 1000;
/** After failures, batches are smaller: a slow receiver gets at least something. */
const BATCH_MIN = 10;
/** Then other exports get their turn. */
const TURN_BATCHES = 50;
const ERROR_MAX = 256;

/** The event store while this controller has one. */
export interface StoreAccess {
  readonly store: EventStore | undefined;
}

export interface ExporterDeps {
  readonly db: Db;
  readonly keyring: Pick<Keyring, 'decrypt'>;
  readonly outgoing: Pick<Outgoing, 'send'>;
  readonly events: StoreAccess;
  /** Without an event store, exports have the findings of filters alone. */
  readonly hasStore: boolean;
  readonly onAttempt: (kind: string, outcome: 'delivered' | 'failed') => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface Turn {
  readonly due: DueChannel;
  /** When the attempt began that runs. */
  begunMs: number;
  readonly done: Promise<void>;
}

/**
 * Sends what arrived to all exports, in the order of arrival and at least once: the place of an export moves after its receiver has accepted a
 * batch, so a batch whose outcome was not recorded is sent again with the same ids. Every controller that has the event store has one; a
 * lease on each export keeps two from sending at the same time. Nothing here is between an agent and the event store, and a receiver that
 * hangs delays only its own export.
 */
export class EventExporter implements Closable {
  readonly #deps: ExporterDeps;
  readonly #holder = createId();
  readonly #stopped = new AbortController();
  readonly #turns = new Map<string, Turn>();
  readonly #looking = new CoalescedWork(() => this.#look());
  readonly #timer: NodeJS.Timeout;
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ExporterDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#looking.request(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Interrupts the attempts that run; their events are sent again later. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#looking.settle();
    await Promise.all([...this.#turns.values()].map(({ done }) => done));
  }

  async #look(): Promise<void> {
    const { db, events, hasStore, clock, logger } = this.#deps;
    if (this.#stopped.signal.aborted || (hasStore && events.store === undefined)) return;
    try {
      await this.#forget();
      const nowMs = clock.monotonic();
      const running = [...this.#turns.values()].map(({ due, begunMs }) =>
        toInFlight({ channel: due, runningMs: nowMs - begunMs }),
      );
      for (const due of chooseChannels(await listDueExports(db), running)) {
        const claimed = await claimExport(db, { id: due.id, holder: this.#holder, leaseMs: LEASE_MS });
        if (claimed) this.#begin(due, claimed);
      }
    } catch (error) {
      logger.warn({ err: error }, 'event_exports.look_failed');
    }
  }

  async #forget(): Promise<void> {
    const nowMs = this.#deps.clock.monotonic();
    if (nowMs - this.#forgottenMs < FORGET_EVERY_MS) return;
    this.#forgottenMs = nowMs;
    await ensureHeads(this.#deps.db);
    await forgetRead(this.#deps.db);
  }

  #begin(due: DueChannel, claimed: ClaimedExport): void {
    const done = this.#run(claimed)
      .catch((error: unknown) =>
        this.#deps.logger.warn({ err: error, export: claimed.id }, 'event_exports.turn_failed'),
      )
      .finally(() => {
        this.#turns.delete(due.id);
        this.#looking.request();
      });
    this.#turns.set(due.id, { due, begunMs: this.#deps.clock.monotonic(), done });
  }

  async #run(claimed: ClaimedExport): Promise<void> {
    const { db } = this.#deps;
    const held = { id: claimed.id, holder: this.#holder };
    let place: Place = claimed;
    let failures = claimed.failures;
    for (let batch = 0; batch < TURN_BATCHES && !this.#stopped.signal.aborted; batch += 1) {
      const turn = this.#turns.get(claimed.id);
      if (turn) turn.begunMs = this.#deps.clock.monotonic();
      const outcome = await this.#sendBatch(claimed, { place, limit: batchLimit(failures) });
      if (typeof outcome === 'string') {
        if (this.#stopped.signal.aborted) break;
        return this.#fail(claimed, failures + 1, outcome);
      }
      const { documents, next, lost, hasMore } = outcome;
      const move = { ...held, leaseMs: LEASE_MS, from: place, to: next, sent: documents.length, lost };
      if (!(await moveExport(db, { ...move, revision: claimed.revision }))) break;
      place = next;
      if (documents.length > 0) failures = 0;
      if (!hasMore) break;
    }
    await releaseExport(db, held);
  }

  /** A text says why nothing was sent. */
  async #sendBatch(
    claimed: ClaimedExport,
    wanted: { readonly place: Place; readonly limit: number },
  ): Promise<Gathered | string> {
    const { db, keyring, outgoing, events, onAttempt } = this.#deps;
    try {
      const gathered = await gather({ db, store: events.store }, claimed, wanted);
      if (gathered.documents.length === 0) return gathered;
      const target = openTarget(keyring, claimed);
      const error = await outgoing.send(target, gathered.documents, this.#stopped.signal);
      onAttempt(target.kind, error === undefined ? 'delivered' : 'failed');
      return error ?? gathered;
    } catch (error) {
      return cleanText(toErrorMessage(error)).slice(0, ERROR_MAX);
    }
  }

  async #fail({ id }: ClaimedExport, failures: number, error: string): Promise<void> {
    const { db, logger } = this.#deps;
    await failExport(db, { id, holder: this.#holder, error, pauseMs: retryAfterMs(failures) });
    logger.info({ export: id, reason: error, failures }, 'event_exports.not_sent');
  }
}

function batchLimit(failures: number): number {
  return Math.max(BATCH_MIN, BATCH_MAX >> Math.min(failures, 10));
}
