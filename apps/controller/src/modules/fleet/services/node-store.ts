import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** The deployed nodes of these services, each with its last report, if any. */
export function selectDeployedNodes(db: Db, serviceIds: readonly string[]) {
  return db
    .selectFrom('service_targets')
    .leftJoin('node_states', (join) =>
      join
        .onRef('node_states.client_id', '=', 'service_targets.client_id')
        .onRef('node_states.service_id', '=', 'service_targets.service_id'),
    )
    .where(sql<boolean>`service_targets.service_id = any(${[...serviceIds]}::uuid[])`)
    .where('service_targets.deployed', '=', true);
}
