import type { Readable } from 'node:stream';
import { EVENT_HEARTBEAT_MS, failEvents } from '@flotilla/contract';
import type { KnownActor } from '../../http/actor.ts';
import { BUFFER_MAX_BYTES, EventStream, type StreamEnd, toFrame } from './event-stream.ts';
import { EventHistory, HISTORY_EVENTS } from './history.ts';
import { condense, hears, type Listener, type News, veil } from './model.ts';

export interface HubLimits {
  /** Open at once of one user or API token, and of all. */
  readonly streamsPerActor: number;
  readonly streams: number;
  readonly history: number;
}

export const HUB_LIMITS: HubLimits = { streamsPerActor: 20, streams: 2000, history: HISTORY_EVENTS };

/** Equal events within this time are told once. */
export const COALESCE_MS = 100;
/** So many different ones at once are told without waiting. */
const PENDING_MAX = 20_000;
const REPLAY_MAX_BYTES = BUFFER_MAX_BYTES / 2;

export interface HubCounters {
  ended(reason: StreamEnd): void;
  refused(): void;
  told(events: number): void;
  resynced(): void;
}

/** Everybody who listens at this controller. Events are told in the order of their ids. */
export class EventHub {
  readonly #limits: HubLimits;
  readonly #counters: HubCounters;
  readonly #history: EventHistory;
  readonly #streams = new Set<EventStream>();
  readonly #perActor = new Map<string, number>();
  readonly #heartbeat: NodeJS.Timeout;
  #pending: News[] = [];
  #flush: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: { readonly counters: HubCounters; readonly limits?: Partial<HubLimits> }) {
    this.#limits = { ...HUB_LIMITS, ...deps.limits };
    this.#counters = deps.counters;
    this.#history = new EventHistory(this.#limits.history);
    this.#heartbeat = setInterval(() => this.#sendAll(toFrame('heartbeat', {})), EVENT_HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  get streams(): ReadonlySet<EventStream> {
    return this.#streams;
  }

  /** Throws events.too_many or events.full. `lastId`: of the event that the listener saw last. */
  open(actor: KnownActor, listener: Listener, lastId: string | undefined): Readable {
    const key = `${actor.kind} ${actor.id}`;
    const own = this.#perActor.get(key) ?? 0;
    if (own >= this.#limits.streamsPerActor || this.#streams.size >= this.#limits.streams || this.#isClosed) {
      this.#counters.refused();
      throw own >= this.#limits.streamsPerActor
        ? failEvents('events.too_many', { limit: this.#limits.streamsPerActor })
        : failEvents('events.full');
    }
    // What waits to be told came before this listener: it goes by the ids that are already out.
    this.#tell();
    const stream = new EventStream({ actor, listener }, (ended, reason) => this.#forget(ended, key, reason));
    this.#streams.add(stream);
    this.#perActor.set(key, own + 1);
    stream.send(this.#greet(listener, lastId));
    return stream.body;
  }

  /** Tells everybody whom it concerns, soon. */
  note(news: readonly News[]): void {
    if (this.#isClosed || news.length === 0) return;
    for (const one of news) this.#pending.push(one);
    if (this.#pending.length > PENDING_MAX) this.#tell();
    else if (this.#flush === undefined) {
      this.#flush = setTimeout(() => this.#tell(), COALESCE_MS);
      this.#flush.unref();
    }
  }

  /** Events were missed for good: everybody reads everything again. */
  resync(): void {
    this.#pending = [];
    this.#history.forget();
    const id = this.#history.newestId;
    this.#counters.resynced();
    this.#sendAll(toFrame('resync', { id }, id));
  }

  /** Ends all streams; none is opened any more. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#flush);
    for (const stream of this.#streams) stream.end('closing');
    // Those who do not read would keep the server from closing.
    setImmediate(() => {
      for (const stream of this.#streams) stream.destroy('closing');
    });
  }

  #greet(listener: Listener, lastId: string | undefined): string {
    const { role } = listener;
    const newest = this.#history.newestId;
    if (lastId === undefined) return toFrame('hello', { id: newest, role, resumed: false }, newest);
    const missed = this.#history
      .since(lastId)
      ?.flatMap((told) =>
        hears(listener, told) ? [toFrame('change', listener.isReader ? veil(told.event) : told.event, told.id)] : [],
      )
      .join('');
    // More than a reader is given time for is quicker read again than told.
    if (missed !== undefined && missed.length < REPLAY_MAX_BYTES)
      return toFrame('hello', { id: lastId, role, resumed: true }, lastId) + missed;
    this.#counters.resynced();
    // The id comes with the resync: a line that breaks between the two must not make the listener believe it is up to date.
    return toFrame('hello', { id: newest, role, resumed: false }) + toFrame('resync', { id: newest }, newest);
  }

  #tell(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    if (this.#pending.length === 0) return;
    const told = condense(this.#pending).map((news) => this.#history.add(news));
    this.#pending = [];
    this.#counters.told(told.length);
    const frames = told.map((one) => ({
      one,
      frame: toFrame('change', one.event, one.id),
      veiled: toFrame('change', veil(one.event), one.id),
    }));
    for (const stream of this.#streams) {
      const { listener } = stream;
      const heard = frames.filter(({ one }) => hears(listener, one));
      stream.send(heard.map(({ frame, veiled }) => (listener.isReader ? veiled : frame)).join(''));
    }
  }

  #sendAll(frame: string): void {
    for (const stream of this.#streams) stream.send(frame);
  }

  #forget(stream: EventStream, key: string, reason: StreamEnd): void {
    if (!this.#streams.delete(stream)) return;
    this.#counters.ended(reason);
    const left = (this.#perActor.get(key) ?? 1) - 1;
    if (left === 0) this.#perActor.delete(key);
    else this.#perActor.set(key, left);
  }
}
