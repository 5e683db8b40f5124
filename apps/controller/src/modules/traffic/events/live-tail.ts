import type { Readable } from 'node:stream';
import {
  failEvents,
  type Role,
  TRAFFIC_STREAM_MAX_MS,
  TRAFFIC_STREAMS_MAX,
  TRAFFIC_STREAMS_PER_ACTOR,
  type TrafficFilter,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { EventPage } from '@flotilla/event-store';
import { AppError, type Logger, sleep } from '@flotilla/kit';
import { EventStream, findListenerRights, toFrame } from '../../../platform/events/index.ts';
import type { KnownActor } from '../../../platform/http/actor.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { toTime } from './answers.ts';
import { showEvents } from './event-pages.ts';
import { Question } from './question.ts';
import type { EventSource } from './source.ts';
import { type TailPart, TailPosition } from './tail-position.ts';

export interface LiveTailLimits {
  readonly perActor: number;
  readonly streams: number;
  readonly lifetimeMs: number;
  readonly pauseMs: number;
  /** The pause after a problem. */
  readonly retryMs: number;
  readonly heartbeatMs: number;
  readonly recheckMs: number;
}

const LIMITS: LiveTailLimits = {
  perActor: TRAFFIC_STREAMS_PER_ACTOR,
  streams: TRAFFIC_STREAMS_MAX,
  lifetimeMs: TRAFFIC_STREAM_MAX_MS,
  pauseMs: 500,
  retryMs: 5000,
  heartbeatMs: 15_000,
  recheckMs: 5000,
};

/** The most events of a look, and of one write: less than a reader may be behind, however long their texts are. */
const PAGE = 500;
const CHUNK = 20;

interface Look {
  readonly question: Question;
  readonly page: EventPage;
}

interface Follow {
  readonly actor: KnownActor;
  readonly filter: TrafficFilter;
  readonly lastId: string | undefined;
}

/** The parts of a request that a stream needs after its route has answered. */
interface Reader {
  readonly ctx: RequestContext;
  readonly stream: EventStream;
  readonly position: TailPosition;
  readonly filter: TrafficFilter;
  readonly role: Role;
  readonly isReader: boolean;
}

/**
 * Follows the events of the store for readers. Each stream asks for the newest events of its filter, waits until its reader has
 * received them, and asks again, so a slow reader or heavy traffic costs events (frames `skipped`), never memory.
 */
export class LiveTail {
  readonly #deps: { readonly source: EventSource; readonly db: Db; readonly logger: Logger };
  readonly #limits: LiveTailLimits;
  readonly #streams = new Set<EventStream>();
  #isClosed = false;

  constructor(
    deps: { readonly source: EventSource; readonly db: Db; readonly logger: Logger },
    limits: Partial<LiveTailLimits> = {},
  ) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Throws events.too_many, events.full, or the error of the store if it cannot answer now. */
  async open(ctx: RequestContext, { actor, filter, lastId }: Follow): Promise<Readable> {
    const { project } = ctx;
    const key = `${actor.kind} ${actor.id}`;
    const own = [...this.#streams].filter((one) => `${one.actor.kind} ${one.actor.id}` === key).length;
    if (own >= this.#limits.perActor) throw failEvents('events.too_many', { limit: this.#limits.perActor });
    if (this.#streams.size >= this.#limits.streams || this.#isClosed) throw failEvents('events.full');
    const isReader = project.reader !== undefined;
    const listener = { project: project.id, role: project.role, isOwner: false, isReader };
    const stream = new EventStream({ actor, listeners: [listener] }, () => this.#streams.delete(stream));
    this.#streams.add(stream);
    const position = new TailPosition(lastId, ctx.now.getTime());
    const reader = { ctx, stream, position, filter, role: project.role, isReader };
    try {
      const look = await this.#look(reader);
      stream.send(toFrame('hello', { resumed: position.isResumed, key_ids: look.question.keyIds }));
      this.#follow(reader, look).catch((error: unknown) => this.#fail(stream, error));
      return stream.body;
    } catch (error) {
      stream.destroy('closing');
      throw error;
    }
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end('closing');
    setImmediate(() => {
      for (const stream of this.#streams) stream.destroy('closing');
    });
  }

  async #follow(reader: Reader, first: Look): Promise<void> {
    const { stream } = reader;
    await this.#deliver(reader, first);
    const startedAt = performance.now();
    let [checkedAt, beatAt, pause] = [startedAt, startedAt, this.#limits.pauseMs];
    for (;;) {
      await sleep(pause);
      await stream.drained();
      if (!stream.isOpen) return;
      const now = performance.now();
      if (now - startedAt >= this.#limits.lifetimeMs) return stream.end('time');
      if (now - checkedAt >= this.#limits.recheckMs) {
        if (!(await this.#isAdmitted(reader))) return stream.end('session');
        checkedAt = now;
      }
      if (now - beatAt >= this.#limits.heartbeatMs) {
        stream.send(toFrame('heartbeat', {}));
        beatAt = now;
      }
      pause = (await this.#poll(reader)) ? this.#limits.pauseMs : this.#limits.retryMs;
    }
  }

  /** False: the store could not answer, which the reader now knows. */
  async #poll(reader: Reader): Promise<boolean> {
    try {
      await this.#deliver(reader, await this.#look(reader));
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      reader.stream.send(toFrame('problem', { code: error.code, message: error.message }));
      return false;
    }
  }

  /** Each look reads again what the reader may see, because permissions change while a stream is open. */
  async #look({ ctx, position, filter }: Reader): Promise<Look> {
    const question = await Question.open(ctx, this.#deps.source, { ...position.window(Date.now()), filter });
    const page = await question.ask((store, project) => store.page(project, { ...question.range(), limit: PAGE }));
    return { question, page };
  }

  async #deliver({ ctx, stream, position }: Reader, { question, page }: Look): Promise<void> {
    const { events, rest } = position.take(page);
    const skipped = rest && (await countSkipped(question, rest));
    if (skipped) stream.send(toFrame('skipped', skipped));
    const shown = await showEvents(ctx, question, events);
    for (let start = 0; start < shown.length && stream.isOpen; start += CHUNK) {
      const frames = shown.slice(start, start + CHUNK).map((event) => toFrame('event', event, event.id));
      stream.send(frames.join(''));
      await stream.drained();
    }
  }

  async #isAdmitted({ ctx, stream, role, isReader }: Reader): Promise<boolean> {
    const asked = { actor: stream.actor, project: ctx.project.id };
    const rights = await findListenerRights(this.#deps.db, [asked], { family: 'inventory', now: new Date() });
    const found = rights.get(asked);
    return found?.role === role && found.isReader === isReader;
  }

  #fail(stream: EventStream, error: unknown): void {
    this.#deps.logger.warn({ err: error }, 'traffic.tail_failed');
    stream.end('closing');
  }
}

/** The requests of a part of the window that were not sent; undefined: none. */
async function countSkipped(question: Question, { from, to, sentRequests }: NonNullable<TailPart['rest']>) {
  const { data } = await question.ask((store, project) =>
    store.totals(project, { ...question.range(), from, to, resolution: 'raw' }),
  );
  const requests = data.requests - sentRequests;
  return requests > 0 ? { from: toTime(from), to: toTime(to), requests } : undefined;
}
