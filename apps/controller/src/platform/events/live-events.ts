import type { EventTopic } from '@flotilla/contract';
import { type Database, type OutboxReader, openOutboxReader } from '@flotilla/db';
import { type Closable, CoalescedWork, type Logger } from '@flotilla/kit';
import type { Registry } from 'prom-client';
import type { Feature } from '../features/index.ts';
import type { KnownActor } from '../http/actor.ts';
import { isSystemOwner } from '../http/guard.ts';
import { EventHub, type HubLimits } from './hub.ts';
import { findListenerRights, listControllers } from './listener-rights-store.ts';
import { createHubCounters } from './metrics.ts';
import { type Listener, type News, ofTopic } from './model.ts';
import { createOutboxReading } from './read-outbox.ts';

/** NOTIFY channel of samples: `<project> <client>,<client>...`. */
const SAMPLES_CHANNEL = 'client_samples';
const SAMPLES_EVERY_MS = 1000;
/** Interval of checking the listeners' rights; account changes trigger a check too. */
const RECHECK_MS = 15_000;
/** A listener's role expires if it cannot be checked for this long. */
const UNCHECKED_MAX_MS = 60_000;

export interface LiveEventsDeps {
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly limits?: Partial<HubLimits>;
  readonly features: readonly Feature[];
}

/**
 * Receives changes from all controllers and sends events to the listeners of this one. An incomplete batch is still
 * sent: an event only says what to read again.
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

  /** Resolves when the listener sees every change that is committed from now on. */
  async start(): Promise<void> {
    const { database, logger } = this.#deps;
    this.#stopListening = await database.listen(SAMPLES_CHANNEL, {
      onNotify: (payload) => this.#noteSample(payload),
      // The next sample replaces a missed one.
      onGap: () => undefined,
    });
    const read = createOutboxReading(this.#deps.features);
    this.#reader = await openOutboxReader({
      database,
      logger,
      onEvents: async (rows) => {
        const { news, isAboutListeners } = read(rows);
        if (isAboutListeners) this.#checking.request();
        this.hub.note(news);
      },
      onLost: async () => this.hub.resync(),
    });
  }

  /** Announces a change of a topic in these projects; `all`: in every project. */
  tellOf(topic: EventTopic, projects: readonly string[] | 'all'): void {
    const targets =
      projects === 'all'
        ? [...new Set([...this.hub.streams].flatMap(({ listeners }) => listeners.map(({ project }) => project)))]
        : projects;
    this.hub.note(targets.map((project) => ({ project, event: ofTopic(topic) })));
  }

  /** The actor in further projects, as the guard would admit it. Omits projects in which it has no role. */
  async findListeners(actor: KnownActor, projects: readonly string[]): Promise<Listener[]> {
    const wanted = [...new Set(projects.map((id) => id.toLowerCase()))].map((project) => ({ actor, project }));
    if (wanted.length === 0) return [];
    const rights = await findListenerRights(this.#deps.database.db, wanted, { family: 'events', now: new Date() });
    return wanted.flatMap((one) => {
      const found = rights.get(one);
      return found ? [{ project: one.project, isOwner: isSystemOwner(actor), ...found }] : [];
    });
  }

  /** Ends all streams at once and stops listening. */
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
      const streams = [...this.hub.streams].flatMap((stream) =>
        stream.listeners.map((listener) => ({ stream, actor: stream.actor, ...listener })),
      );
      const rights = await findListenerRights(this.#deps.database.db, streams, { family: 'events', now });
      for (const one of streams) {
        const found = rights.get(one);
        if (found?.role !== one.role || found.isReader !== one.isReader) one.stream.end('session');
      }
      await this.#checkControllers();
      this.#checkedAtMs = performance.now();
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'events.check_failed');
      if (performance.now() - this.#checkedAtMs < UNCHECKED_MAX_MS) return;
      for (const stream of this.hub.streams) stream.end('session');
    }
  }

  /** When a controller dies, its clients go offline without a change of any row. */
  async #checkControllers(): Promise<void> {
    const controllers = (await listControllers(this.#deps.database.db)).join();
    if (this.#controllers !== undefined && this.#controllers !== controllers) {
      this.tellOf('client', 'all');
      this.tellOf('service', 'all');
    }
    this.#controllers = controllers;
  }
}
