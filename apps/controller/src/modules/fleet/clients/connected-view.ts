import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isControllerLive } from '../../../platform/presence/index.ts';

/**
 * Whether the client of the row in table `clients` is connected: a controller holds its stream, and that controller is
 * alive. For any query over `clients`.
 */
export function isConnected(): RawBuilder<SqlBool> {
  return sql<SqlBool>`(clients.connected_to is not null and exists (
    select from controllers where controllers.id = clients.connected_to and ${isControllerLive}))`;
}

/** The filter `status` of lists of clients. */
export function hasClientStatus(statuses: readonly ('Live' | 'Offline')[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`${isConnected()} = any(${statuses.map((status) => status === 'Live')})`;
}
