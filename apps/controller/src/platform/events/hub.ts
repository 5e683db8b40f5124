import type { Readable } from 'node:stream';
import { EVENT_HEARTBEAT_MS, failEvents, type HelloEvent } from '@flotilla/contract';
import type { KnownActor } from '../http/actor.ts';
import { BUFFER_MAX_BYTES, EventStream, type StreamEnd, toFrame } from './event-stream.ts';
import { EventHistory, HISTORY_EVENTS, type SentEvent } from './history.ts';
import { condense, hears, type Listener, type News, veil } from './model.ts';

export interface HubLimits {
  /** Open streams per user or API token, and in total. */
  readonly streamsPerActor: number;
  readonly streams: number;
  readonly history: number;
}

export const HUB_LIMITS: HubLimits = { streamsPerActor: 20, streams: 2000, history: HISTORY_EVENTS };

/** Equal events within this time are sent once. */
export const COALESCE_MS = 100;
/** This many different pending events are sent without waiting. */
const PENDING_MAX = 20_000;
const REPLAY_MAX_BYTES = BUFFER_MAX_BYTES / 2;

export interface HubCounters {
  ended(reason: StreamEnd): void;
  refused(): void;
  sent(events: number): void;
  resynced(): void;
}

/** An event as frames. Each variant is rendered once for all streams. */
class ChangeFrames {
  readonly #sent: SentEvent;
  readonly #made = new Map<string, string>();

  constructor(sent: SentEvent) {
    this.#sent = sent;
  }

  /** The variant that a stream with these listeners may receive; empty if none of them may. */
  forStream(listeners: readonly Listener[]): string {
    const { project, event, id } = this.#sent;
    const listener = listeners.find((one) => hears(one, this.#sent));
    if (!listener) return '';
    const isNamed = listeners.length > 1 && project !== null;
    const form = `${listener.isReader} ${isNamed}`;
    const known = this.#made.get(form);
    if (known !== undefined) return known;
    const shown = listener.isReader ? veil(event) : event;
    const frame = toFrame('change', isNamed ? { ...shown, project } : shown, id);
    this.#made.set(form, frame);
    return frame;
  }
}

/** All listeners of this controller. Events are sent in the order of their ids. */
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

  /** Throws events.too_many or events.full. `lastId`: id of the last event that the caller has seen. */
  open(actor: KnownActor, listeners: readonly [Listener, ...Listener[]], lastId: string | undefined): Readable {
    const key = `${actor.kind} ${actor.id}`;
    const own = this.#perActor.get(key) ?? 0;
    if (own >= this.#limits.streamsPerActor || this.#streams.size >= this.#limits.streams || this.#isClosed) {
      this.#counters.refused();
      throw own >= this.#limits.streamsPerActor
        ? failEvents('events.too_many', { limit: this.#limits.streamsPerActor })
        : failEvents('events.full');
    }
    // Pending events are older than this listener, who starts with the ids that are already sent.
    this.#tell();
    const stream = new EventStream({ actor, listeners }, (ended, reason) => this.#forget(ended, key, reason));
    this.#streams.add(stream);
    this.#perActor.set(key, own + 1);
    stream.send(this.#greet(actor, listeners, lastId));
    return stream.body;
  }

  /** Sends the events to all listeners that may receive them, after a short delay. */
  note(news: readonly News[]): void {
    if (this.#isClosed || news.length === 0) return;
    for (const one of news) this.#pending.push(one);
    if (this.#pending.length > PENDING_MAX) this.#tell();
    else if (this.#flush === undefined) {
      this.#flush = setTimeout(() => this.#tell(), COALESCE_MS);
      this.#flush.unref();
    }
  }

  /** Events were lost: tells every listener to read everything again. */
  resync(): void {
    this.#pending = [];
    this.#history.forget();
    const id = this.#history.newestId;
    this.#counters.resynced();
    this.#sendAll(toFrame('resync', { id }, id));
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#flush);
    for (const stream of this.#streams) stream.end('closing');
    // Readers that do not read would keep the server from closing.
    setImmediate(() => {
      for (const stream of this.#streams) stream.destroy('closing');
    });
  }

  #greet(actor: KnownActor, listeners: readonly [Listener, ...Listener[]], lastId: string | undefined): string {
    const newest = this.#history.newestId;
    const toHello = (id: string, resumed: boolean): HelloEvent => ({
      id,
      role: listeners[0].role,
      resumed,
      user_id: actor.kind === 'user' ? actor.id : null,
      projects: listeners.map(({ project }) => project),
    });
    if (lastId === undefined) return toFrame('hello', toHello(newest, false), newest);
    const missed = this.#history
      .since(lastId)
      ?.map((sent) => new ChangeFrames(sent).forStream(listeners))
      .join('');
    // Above this size, reading everything again is faster than a replay.
    if (missed !== undefined && missed.length < REPLAY_MAX_BYTES)
      return toFrame('hello', toHello(lastId, true), lastId) + missed;
    this.#counters.resynced();
    // The id is sent with the resync: a connection that breaks between the two must not make the listener believe that
    // it is up to date.
    return toFrame('hello', toHello(newest, false)) + toFrame('resync', { id: newest }, newest);
  }

  #tell(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    if (this.#pending.length === 0) return;
    const sent = condense(this.#pending).map((news) => this.#history.add(news));
    this.#pending = [];
    this.#counters.sent(sent.length);
    const frames = sent.map((one) => new ChangeFrames(one));
    for (const stream of this.#streams) stream.send(frames.map((one) => one.forStream(stream.listeners)).join(''));
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
