import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { recordBeat, removeController } from './presence-store.ts';

const HEARTBEAT_MS = 4_000;

/** Keeps this controller's row fresh, so that its streams count. */
export class ControllerPresence {
  readonly controllerId: string;
  readonly #db: Db;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: { db: Db; controllerId: string; logger: Logger }) {
    this.#db = deps.db;
    this.controllerId = deps.controllerId;
    this.#logger = deps.logger;
  }

  /** Resolves when other controllers can see this one. */
  async start(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => {
      this.#beat().catch((error: unknown) => this.#logger.warn({ err: error }, 'presence.beat_failed'));
    }, HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** Leaves no client behind that seems connected through this controller. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await removeController(this.#db, this.controllerId, new Date());
  }

  #beat(): Promise<void> {
    return recordBeat(this.#db, this.controllerId, new Date());
  }
}
