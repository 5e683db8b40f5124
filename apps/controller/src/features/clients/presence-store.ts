import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { CONTROLLER_SILENCE_MAX_MS } from '../controllers/index.ts';

/**
 * Whether the client of the row in table `clients` is connected: some controller holds its stream, and that controller
 * is up. A condition without a parameter but the time, to be used in any query over `clients`.
 */
export function isConnected(now: Date): RawBuilder<SqlBool> {
  const alive = new Date(now.getTime() - CONTROLLER_SILENCE_MAX_MS);
  return sql<SqlBool>`(clients.connected_to is not null and exists (
    select from controllers where controllers.id = clients.connected_to and controllers.seen_at > ${alive}))`;
}
