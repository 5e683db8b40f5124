import type { EventTopic } from '@flotilla/contract';
import { type Database, type OutboxReader, openOutboxReader } from '@flotilla/db';
import { type Closable, CoalescedWork, type Logger } from '@flotilla/kit';
import type { Registry } from 'prom-client';
import { EventHub, type HubLimits } from './hub.ts';
import { createHubCounters } from './metrics.ts';
import { type News, ofTopic } from './model.ts';
import { readOutbox } from './read-outbox.ts';
import { findStandings, listControllers } from './standing-store.ts';

/** NOTIFY channel of samples: `<project> <client>,<client>...`. */
const SAMPLES_CHANNEL = 'client_samples';
const SAMPLES_EVERY_MS = 1000;
/** Who listens is asked again this often, and whenever accounts change. */
const RECHECK_MS = 15_000;
/** The role of a listener that cannot be asked for this long is not believed any more. */
const UNCHECKED_MAX_MS = 60_000;

export interface LiveEventsDeps {
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly limits?: Partial<HubLimits>;
}

/**
 * Hears of every change at any controller and tells those who listen at this one. What it hears of a batch is told in any
 * case: events say only what is to be read again.
 */
export class LiveEvents implements Closable {
  readonly hub: EventHub;
  readonly #deps: LiveEventsDeps;
  readonly #samples = new Map<string, News>();
  readonly #timers: NodeJS.Timeout[];
  #reader: OutboxReader | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  readonly #checking = new CoalescedWork(() => this.#check());
  #closing: Promise<void> | undefined;
  #checkedAtMs = performance.now();
  #controllers: string | undefined;

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps;
    this.hub = new EventHub({
      counters: createHubCounters(deps.metrics, () => this.hub.streams.size),
      ...(deps.limits && { limits: deps.limits }),
    });
    this.#timers = [
      setInterval(() => this.#tellSamples(), SAMPLES_EVERY_MS),
      setInterval(() => this.#checking.request(), RECHECK_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Resolves when every change that is committed from now on is heard. */
  async start(): Promise<void> {
    const { database, logger } = this.#deps;
    this.#stopListening = await database.listen(SAMPLES_CHANNEL, {
      onNotify: (payload) => this.#noteSample(payload),
      // The next sample is as good as the one that was missed.
      onGap: () => undefined,
    });
    this.#reader = await openOutboxReader({
      database,
      logger,
      onEvents: async (rows) => {
        const { news, isAboutListeners } = readOutbox(rows);
        if (isAboutListeners) this.#checking.request();
        this.hub.note(news);
      },
      onLost: async () => this.hub.resync(),
    });
  }

  /** That something of a topic has changed in these projects; `all`: in any. */
  tellOf(topic: EventTopic, projects: readonly string[] | 'all'): void {
    const told =
      projects === 'all' ? [...new Set([...this.hub.streams].map(({ listener }) => listener.project))] : projects;
    this.hub.note(told.map((project) => ({ project, event: ofTopic(topic) })));
  }

  /** Ends all streams at once; hears nothing more. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.hub.close();
    await this.#reader?.close();
    await this.#stopListening?.();
    await this.#checking.settle();
  }

  #noteSample(payload: string): void {
    const [project, ids] = payload.split(' ', 2);
    if (!project || !ids || this.hub.streams.size === 0) return;
    for (const id of ids.split(','))
      this.#samples.set(id, { project, event: { topic: 'client', client_id: id, change: 'stats' } });
  }

  #tellSamples(): void {
    this.hub.note([...this.#samples.values()]);
    this.#samples.clear();
  }

  async #check(): Promise<void> {
    if (this.hub.streams.size === 0) {
      this.#checkedAtMs = performance.now();
      return;
    }
    try {
      const now = new Date();
      const streams = [...this.hub.streams].map((stream) => ({ stream, actor: stream.actor, ...stream.listener }));
      const standings = await findStandings(this.#deps.database.db, streams, { family: 'events', now });
      for (const one of streams) {
        const standing = standings.get(one);
        if (standing?.role !== one.role || standing.isReader !== one.isReader) one.stream.end('session');
      }
      await this.#checkControllers();
      this.#checkedAtMs = performance.now();
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'events.check_failed');
      if (performance.now() - this.#checkedAtMs < UNCHECKED_MAX_MS) return;
      for (const stream of this.hub.streams) stream.end('session');
    }
  }

  /** Clients of a controller that was killed are offline without a row having changed. */
  async #checkControllers(): Promise<void> {
    const controllers = (await listControllers(this.#deps.database.db)).join();
    if (this.#controllers !== undefined && this.#controllers !== controllers) {
      this.tellOf('client', 'all');
      this.tellOf('service', 'all');
    }
    this.#controllers = controllers;
  }
}
