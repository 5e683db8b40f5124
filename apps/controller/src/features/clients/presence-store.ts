import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** A controller that has been silent for longer holds no streams: it is gone, whatever its rows say. */
export const CONTROLLER_SILENCE_MAX_MS = 15_000;
/** Rows of controllers that were killed; an hour is long past any doubt. */
const FORGET_MS = 3_600_000;

/**
 * Whether the client of the row in table `clients` is connected: some controller holds its stream, and that controller
 * is up. A condition without a parameter but the time, to be used in any query over `clients`.
 */
export function isConnected(now: Date): RawBuilder<SqlBool> {
  const alive = new Date(now.getTime() - CONTROLLER_SILENCE_MAX_MS);
  return sql<SqlBool>`(clients.connected_to is not null and exists (
    select from controllers where controllers.id = clients.connected_to and controllers.seen_at > ${alive}))`;
}

/** Writes this controller's row anew, and forgets those that are long gone. */
export async function recordBeat(db: Db, controllerId: string, now: Date): Promise<void> {
  await db
    .insertInto('controllers')
    .values({ id: controllerId, started_at: now, seen_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
    .execute();
  await db
    .deleteFrom('controllers')
    .where('seen_at', '<', new Date(now.getTime() - FORGET_MS))
    .execute();
}

/** Takes this controller away, with everything that seems connected through it. */
export async function removeController(db: Db, controllerId: string, now: Date): Promise<void> {
  await db
    .updateTable('clients')
    .set({ connected_to: null, disconnect_time: now, disconnect_reason: 'controller_stopped' })
    .where('connected_to', '=', controllerId)
    .execute();
  await db.deleteFrom('controllers').where('id', '=', controllerId).execute();
}
