import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** A controller that has been silent for longer holds no streams: it is gone, whatever its rows say. */
export const CONTROLLER_SILENCE_MAX_MS = 15_000;
const HEARTBEAT_MS = 4_000;

/**
 * Whether the client of the row in table `clients` is connected: some controller holds its stream, and that controller
 * is up. A condition without a parameter but the time, to be used in any query over `clients`.
 */
export function isConnected(now: Date): RawBuilder<SqlBool> {
  const alive = new Date(now.getTime() - CONTROLLER_SILENCE_MAX_MS);
  return sql<SqlBool>`(clients.connected_to is not null and exists (
    select from controllers where controllers.id = clients.connected_to and controllers.seen_at > ${alive}))`;
}

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
    const now = new Date();
    await this.#db
      .updateTable('clients')
      .set({ connected_to: null, disconnect_time: now, disconnect_reason: 'controller_stopped' })
      .where('connected_to', '=', this.controllerId)
      .execute();
    await this.#db.deleteFrom('controllers').where('id', '=', this.controllerId).execute();
  }

  async #beat(): Promise<void> {
    const now = new Date();
    await this.#db
      .insertInto('controllers')
      .values({ id: this.controllerId, started_at: now, seen_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
      .execute();
    // Rows of controllers that were killed; an hour is long past any doubt.
    await this.#db
      .deleteFrom('controllers')
      .where('seen_at', '<', new Date(now.getTime() - 3_600_000))
      .execute();
  }
}
