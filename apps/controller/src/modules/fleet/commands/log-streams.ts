import type { Readable } from 'node:stream';
import {
  type CommandBody,
  type CommandResultRecord,
  failEvents,
  LOG_STREAM_MAX_MS,
  LOG_STREAMS_MAX,
  LOG_STREAMS_PER_ACTOR,
  type LogPage,
  type Role,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { AppError, type Logger, sleep } from '@flotilla/kit';
import { EventStream, findListenerRights, toFrame } from '../../../platform/events/index.ts';
import type { KnownActor } from '../../../platform/http/actor.ts';
import type { RefusedTarget } from '../../../platform/http/refused-target.ts';
import type { CommandService } from './service.ts';

export interface LogStreamLimits {
  readonly perActor: number;
  readonly streams: number;
  readonly lifetimeMs: number;
  /** How long the client waits for lines before it answers without any. */
  readonly waitMs: number;
  /** The pause after an answer. */
  readonly pauseMs: number;
  /** The pause after a problem. */
  readonly retryMs: number;
}

const LIMITS: LogStreamLimits = {
  perActor: LOG_STREAMS_PER_ACTOR,
  streams: LOG_STREAMS_MAX,
  lifetimeMs: LOG_STREAM_MAX_MS,
  waitMs: 10_000,
  pauseMs: 1000,
  retryMs: 5000,
};

/** Less than a reader may be behind. */
const PAGE_MAX_BYTES = 128 * 1024;
/** The client has to receive the command and send its answer, too. */
const ANSWER_MS = 10_000;
/** The client could read the log later. */
const PASSING = new Set(['client.offline', 'logs.busy', 'logs.rotating', 'agent.busy', 'command.deadline']);

export interface FollowRequest {
  readonly project: string;
  readonly role: Role;
  readonly body: CommandBody;
  readonly cursor: string | undefined;
  readonly noteRefusal: (target: RefusedTarget) => void;
}

/**
 * Follows logs for readers: repeats the command that reads the log with the cursor of its last answer. The client answers when
 * it has new lines. Commands reach clients of other controllers, so any controller can serve a stream.
 */
export class LogStreams {
  readonly #deps: { readonly commands: CommandService; readonly db: Db; readonly logger: Logger };
  readonly #limits: LogStreamLimits;
  readonly #streams = new Set<EventStream>();
  readonly #opening = new Map<string, number>();
  #isClosed = false;

  constructor(
    deps: { readonly commands: CommandService; readonly db: Db; readonly logger: Logger },
    limits: Partial<LogStreamLimits> = {},
  ) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Throws events.too_many, events.full, or the error of the command if the caller may not send it. */
  async open(actor: KnownActor, request: FollowRequest): Promise<Readable> {
    const key = `${actor.kind} ${actor.id}`;
    const own = [...this.#streams].filter((one) => `${one.actor.kind} ${one.actor.id}` === key).length;
    const opening = this.#opening.get(key) ?? 0;
    if (own + opening >= this.#limits.perActor) throw failEvents('events.too_many', { limit: this.#limits.perActor });
    if (this.#streams.size >= this.#limits.streams || this.#isClosed) throw failEvents('events.full');
    this.#opening.set(key, opening + 1);
    try {
      const first = await this.#ask(actor, request, { cursor: request.cursor, waitMs: 0 });
      if (this.#isClosed) throw failEvents('events.full');
      const { project, role } = request;
      const listener = { project, role, isOwner: false, isReader: false };
      const stream = new EventStream({ actor, listeners: [listener] }, () => this.#streams.delete(stream));
      this.#streams.add(stream);
      this.#follow(stream, request, first).catch((error: unknown) => this.#fail(stream, error));
      return stream.body;
    } finally {
      const left = (this.#opening.get(key) ?? 1) - 1;
      if (left === 0) this.#opening.delete(key);
      else this.#opening.set(key, left);
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

  async #follow(stream: EventStream, request: FollowRequest, first: Answer): Promise<void> {
    const endsAt = performance.now() + this.#limits.lifetimeMs;
    const { waitMs, pauseMs, retryMs } = this.#limits;
    let { cursor } = request;
    let answer = first;
    for (;;) {
      if (answer.page) {
        cursor = answer.page.newer_cursor;
        const isNews = answer.page.logs.length > 0 || answer.page.gap || answer === first;
        stream.send(isNews ? toFrame('log', answer.page, cursor) : toFrame('heartbeat', {}));
      } else if (answer.problem) {
        const { isPassing, ...problem } = answer.problem;
        stream.send(toFrame('problem', problem));
        if (!isPassing) return stream.end('done');
      }
      await sleep(answer.page ? pauseMs : retryMs);
      await stream.drained();
      if (!stream.isOpen) return;
      if (performance.now() >= endsAt) return stream.end('time');
      if (!(await this.#isAdmitted(stream, request))) return stream.end('session');
      answer = await this.#ask(stream.actor, request, { cursor, waitMs });
    }
  }

  async #ask(
    actor: KnownActor,
    { body, project, noteRefusal }: FollowRequest,
    { cursor, waitMs }: { readonly cursor: string | undefined; readonly waitMs: number },
  ): Promise<Answer> {
    const { since: _, count: __, ...following } = body.command;
    const command = {
      ...(cursor === undefined ? body.command : { ...following, count: 1000 }),
      ...(cursor !== undefined && { cursor, wait_ms: waitMs }),
      max_bytes: PAGE_MAX_BYTES,
    };
    const result = await this.#deps.commands.ask(actor, {
      body: { ...body, command },
      project,
      waitMs: waitMs + ANSWER_MS,
      noteRefusal,
    });
    return toAnswer(result);
  }

  async #isAdmitted({ actor }: EventStream, { project, role }: FollowRequest): Promise<boolean> {
    const asked = { actor, project };
    const rights = await findListenerRights(this.#deps.db, [asked], { family: 'commands', now: new Date() });
    return rights.get(asked)?.role === role;
  }

  /** The actor has lost its rights, or the service is gone. */
  #fail(stream: EventStream, error: unknown): void {
    if (error instanceof AppError) {
      stream.send(toFrame('problem', { code: error.code, message: error.message }));
      stream.end(error.httpStatus === 403 ? 'session' : 'done');
      return;
    }
    this.#deps.logger.warn({ err: error }, 'logs.follow_failed');
    stream.end('closing');
  }
}

interface Answer {
  readonly page?: LogPage;
  readonly problem?: { readonly code: string; readonly message: string; readonly isPassing: boolean };
}

function toAnswer(result: CommandResultRecord | undefined): Answer {
  if (result?.outcome === 'done') return { page: result.result as LogPage };
  const { code, message } = result?.error ?? {
    code: 'command.deadline',
    message: 'the client has not answered in time',
  };
  return { problem: { code, message, isPassing: PASSING.has(code) } };
}
