import type { Readable } from 'node:stream';
import { EVENT_HEARTBEAT_MS, failEvents, type Role } from '@flotilla/contract';
import type { Database } from '@flotilla/db';
import { type Closable, CoalescedWork, type Logger } from '@flotilla/kit';
import { EventStream, findListenerRights, toFrame } from '../events/index.ts';
import type { KnownActor } from '../http/actor.ts';
import { EVENTS_CHANNEL } from './end-store.ts';
import { readEnds, readEventsAfter } from './watch-store.ts';

/** Poll interval, in case notifications are lost. */
const POLL_MS = 1000;
/** Minimum interval of notifications to listeners who show lists. */
const TELL_EVERY_MS = 250;
/** Interval of checking the watchers' rights. */
const RECHECK_MS = 5000;
/**
 * Jobs of the installation have no project to check rights for: their watchers must reconnect through the guard after
 * this time.
 */
const UNSCOPED_MAX_MS = 60_000;
const STREAMS_PER_ACTOR = 20;
const STREAMS_MAX = 1000;

/** Receives the projects with changed jobs; `all`: notifications may have been missed. */
type JobNews = (projects: readonly string[] | 'all') => void;

interface Watcher {
  readonly stream: EventStream;
  readonly jobId: string;
  readonly project: string | null;
  readonly role: Role;
  readonly openedAtMs: number;
  seq: number;
}

/**
 * Sends events of a job to its watchers, starting after the last one they saw. Reads the rows, so it works on any
 * controller.
 */
export class JobWatch implements Closable {
  readonly #database: Pick<Database, 'db' | 'listen'>;
  readonly #logger: Logger;
  readonly #watchers = new Set<Watcher>();
  readonly #tell: JobNews;
  readonly #timers: NodeJS.Timeout[];
  /** Projects with changed jobs since the last notification. */
  readonly #moved = new Set<string>();
  #stopListening: (() => Promise<void>) | undefined;
  readonly #reading = new CoalescedWork(() => this.#read());
  #isClosed = false;

  constructor(deps: { database: Pick<Database, 'db' | 'listen'>; logger: Logger; tell: JobNews }) {
    this.#database = deps.database;
    this.#logger = deps.logger;
    this.#tell = deps.tell;
    this.#timers = [
      setInterval(() => this.#look(), POLL_MS),
      setInterval(() => this.#tellMoved(), TELL_EVERY_MS),
      setInterval(() => void this.#recheck(), RECHECK_MS),
      setInterval(() => this.#sendHeartbeat(), EVENT_HEARTBEAT_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#database.listen(EVENTS_CHANNEL, {
      onNotify: (project) => {
        if (project !== '') this.#moved.add(project);
        this.#look();
      },
      onGap: () => {
        this.#tell('all');
        this.#look();
      },
    });
  }

  /** `after`: number of the last event that the watcher saw. Throws events.too_many or events.full. */
  open(actor: KnownActor, of: { jobId: string; project: string | null; role: Role; after: number }): Readable {
    const own = [...this.#watchers].filter(({ stream }) => stream.actor.id === actor.id).length;
    if (own >= STREAMS_PER_ACTOR) throw failEvents('events.too_many', { limit: STREAMS_PER_ACTOR });
    if (this.#watchers.size >= STREAMS_MAX || this.#isClosed) throw failEvents('events.full');
    const { jobId, project, role, after } = of;
    const listener = { project: project ?? '', role, isOwner: project === null, isReader: false };
    const stream = new EventStream({ actor, listeners: [listener] }, () => this.#watchers.delete(watcher));
    const watcher: Watcher = { stream, jobId, project, role, openedAtMs: performance.now(), seq: after };
    this.#watchers.add(watcher);
    stream.send(toFrame('hello', { job: jobId, after }));
    this.#look();
    return stream.body;
  }

  /** Ends all streams and refuses new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { stream } of this.#watchers) stream.end('closing');
    setImmediate(() => {
      for (const { stream } of this.#watchers) stream.destroy('closing');
    });
    await this.#stopListening?.();
    this.#stopListening = undefined;
    await this.#reading.settle();
  }

  #tellMoved(): void {
    if (this.#moved.size === 0) return;
    this.#tell([...this.#moved]);
    this.#moved.clear();
  }

  #look(): void {
    if (this.#watchers.size > 0 && !this.#isClosed) this.#reading.request();
  }

  async #read(): Promise<void> {
    await this.#tellWatchers().catch((error: unknown) => this.#logger.warn({ err: error }, 'jobs.watch_failed'));
  }

  async #tellWatchers(): Promise<void> {
    const { db } = this.#database;
    const watchers = [...this.#watchers];
    if (watchers.length === 0 || this.#isClosed) return;
    // Reads the ends before the events: a job that has ended by then gets all of its events sent.
    const ends = await readEnds(db, [...new Set(watchers.map(({ jobId }) => jobId))]);
    const { rows, isFull } = await readEventsAfter(
      db,
      watchers.map(({ jobId, seq }) => ({ id: jobId, seq })),
    );
    for (const { watcher: index, seq, at, kind, data } of rows) {
      const watcher = watchers[index];
      if (!watcher) continue;
      watcher.stream.send(toFrame('job', { seq, at: at.toISOString(), kind, data }, String(seq)));
      watcher.seq = seq;
    }
    if (isFull) this.#reading.request();
    for (const { stream, jobId, seq } of watchers) {
      const last = ends.get(jobId);
      if (!ends.has(jobId) || (last !== undefined && seq >= last)) stream.end('done');
    }
  }

  async #recheck(): Promise<void> {
    const now = performance.now();
    for (const { project, stream, openedAtMs } of this.#watchers)
      if (project === null && now - openedAtMs > UNSCOPED_MAX_MS) stream.end('session');
    const asked = [...this.#watchers].flatMap(({ project, stream, role }) =>
      project === null ? [] : [{ project, actor: stream.actor, stream, role }],
    );
    if (asked.length === 0) return;
    try {
      const rights = await findListenerRights(this.#database.db, asked, { family: 'jobs', now: new Date() });
      for (const one of asked) if (rights.get(one)?.role !== one.role) one.stream.end('session');
    } catch (error) {
      this.#logger.warn({ err: error }, 'jobs.watch_check_failed');
    }
  }

  #sendHeartbeat(): void {
    for (const { stream } of this.#watchers) stream.send(toFrame('heartbeat', {}));
  }
}
