import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** A service that is deployed to members of a pair, with the member's part of it. */
export interface ServedPart {
  readonly pairId: string;
  readonly serviceId: string;
  readonly service: string;
  readonly version: string;
  readonly clientId: string;
  readonly addresses: readonly string[];
  readonly adminPort: number | null;
  readonly phase: string | null;
}

/** The services of these pairs by name, with one row for each member that has it. */
export async function listServedParts(db: Db, pairIds: readonly string[]): Promise<ServedPart[]> {
  const { rows } = await sql<ServedPart>`
    select ha_members.pair_id as "pairId", services.id as "serviceId", services.name as service, services.version,
      ha_members.client_id as "clientId", service_targets.addresses, admin_ports.port as "adminPort", node_states.phase
    from ha_members join service_targets on service_targets.client_id = ha_members.client_id and deployed
      join services on services.id = service_targets.service_id
      left join admin_ports
        on admin_ports.client_id = ha_members.client_id and admin_ports.service_id = service_targets.service_id
      left join node_states
        on node_states.client_id = ha_members.client_id and node_states.service_id = service_targets.service_id
    where ha_members.pair_id = any(${[...pairIds]}::uuid[])
    order by services.name, services.id, ha_members.slot`.execute(db);
  return rows;
}
