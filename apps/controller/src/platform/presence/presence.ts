import { hostname } from 'node:os';
import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import {
  type ControllerFacts,
  type ControllerLoad,
  forgetLongGone,
  insertController,
  recordBeat,
  removeController,
} from './presence-store.ts';

const HEARTBEAT_MS = 2000;
/** After an outage of the database, every controller beats again before any row is deleted. */
const STEADY_BEATS = 60;

export type ControllerRole = 'api' | 'agents' | 'jobs';
type Counted = 'agents' | 'streams' | 'jobs';

export interface PresenceDeps {
  readonly db: Db;
  readonly controllerId: string;
  readonly version: string;
  readonly logger: Logger;
}

/** Keeps this controller's row fresh, so that its streams count as connected, and notices the removal of the row. */
export class ControllerPresence implements Closable {
  readonly controllerId: string;
  readonly #deps: PresenceDeps;
  readonly #removed = new AbortController();
  readonly #counts = new Map<Counted, () => number>();
  readonly #addresses = new Map<ControllerRole, string>();
  readonly #roles = new Set<ControllerRole>();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #steady = 0;
  #cpu = process.cpuUsage();
  #measuredAtMs = performance.now();

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    this.controllerId = deps.controllerId;
  }

  /** Aborted when this controller was removed: it must stop. */
  get removed(): AbortSignal {
    return this.#removed.signal;
  }

  /** Resolves when other controllers can see this one. */
  async start(): Promise<void> {
    const { db, controllerId, logger } = this.#deps;
    const epoch = await insertController(db, controllerId, this.#describe());
    logger.info({ controller: controllerId, epoch }, 'controllers.begun');
    this.#timer = setInterval(() => {
      this.#beating = this.#beating.then(() => this.#beat()).catch((error: unknown) => this.#fail(error));
    }, HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** Announces a role of this controller; `address`: where it serves the role. */
  async takes(role: ControllerRole, address?: string): Promise<void> {
    this.#roles.add(role);
    if (address !== undefined) this.#addresses.set(role, address);
    await this.#beat();
  }

  counts(what: Counted, read: () => number): void {
    this.#counts.set(what, read);
  }

  /** Leaves no client behind that appears connected through this controller. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    const { db, controllerId } = this.#deps;
    await removeController(db, controllerId, { now: new Date(), reason: 'controller_stopped' });
  }

  async #beat(): Promise<void> {
    const { db, controllerId, logger } = this.#deps;
    if (this.removed.aborted) return;
    if (!(await recordBeat(db, controllerId, this.#describe()))) {
      logger.error({ controller: controllerId }, 'controllers.removed');
      clearInterval(this.#timer);
      this.#removed.abort();
      return;
    }
    this.#steady += 1;
    if (this.#steady % STEADY_BEATS === 0) await forgetLongGone(db);
  }

  #fail(error: unknown): void {
    this.#steady = 0;
    this.#deps.logger.warn({ err: error }, 'controllers.beat_failed');
  }

  #describe(): ControllerFacts {
    return {
      hostname: hostname(),
      version: this.#deps.version,
      roles: [...this.#roles],
      restAddress: this.#addresses.get('api') ?? null,
      grpcAddress: this.#addresses.get('agents') ?? null,
      load: this.#measure(),
    };
  }

  #measure(): ControllerLoad {
    const now = performance.now();
    const used = process.cpuUsage(this.#cpu);
    const elapsedMs = Math.max(1, now - this.#measuredAtMs);
    this.#cpu = process.cpuUsage();
    this.#measuredAtMs = now;
    const count = (what: Counted) => this.#counts.get(what)?.() ?? 0;
    return {
      cpu: Math.round((used.user + used.system) / elapsedMs / 10) / 100,
      rss_bytes: process.memoryUsage.rss(),
      agents: count('agents'),
      streams: count('streams'),
      jobs: count('jobs'),
    };
  }
}
