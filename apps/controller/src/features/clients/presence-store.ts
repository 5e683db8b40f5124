import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isControllerLive } from '../controllers/index.ts';

/**
 * Whether the client of the row in table `clients` is connected: some controller holds its stream, and that controller
 * is up. To be used in any query over `clients`.
 */
export function isConnected(): RawBuilder<SqlBool> {
  return sql<SqlBool>`(clients.connected_to is not null and exists (
    select from controllers where controllers.id = clients.connected_to and ${isControllerLive}))`;
}
