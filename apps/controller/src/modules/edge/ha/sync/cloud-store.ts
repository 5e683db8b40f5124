import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

export interface CloudMember {
  readonly id: string;
  readonly name: string;
  readonly server: string | null;
  readonly cloudProject: string | null;
  readonly portId: string | null;
  readonly ownAddress: string | null;
}

/** Those of the members that run in OpenStack. */
export async function listCloudMembers(
  db: Db,
  { clientIds, service }: { readonly clientIds: readonly string[]; readonly service: string },
): Promise<CloudMember[]> {
  const { rows } = await sql<CloudMember>`
    select clients.id, clients.name, clients.facts #>> '{cloud,server_id,value}' as server,
      clients.facts #>> '{cloud,project,value}' as "cloudProject", ha_members.interfaces ->> ${service} as "portId",
      coalesce(ha_members.data_override, clients.facts #>> '{ha,data,address}') as "ownAddress"
    from ha_members join clients on clients.id = ha_members.client_id
    where clients.provider = 'openstack' and clients.id = any(${[...clientIds]}::uuid[])
    order by clients.id`.execute(db);
  return rows;
}
