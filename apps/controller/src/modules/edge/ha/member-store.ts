import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { foundAddresses } from './candidate-store.ts';
import type { Member } from './model.ts';

export interface NewMember {
  readonly pairId: string;
  readonly clientId: string;
  readonly slot: 0 | 1;
  readonly priority: number;
  readonly dataOverride?: string | undefined;
  readonly interfaces?: Readonly<Record<string, string>> | undefined;
}

export async function insertMembers(tx: Tx, members: readonly NewMember[]): Promise<void> {
  await tx
    .insertInto('ha_members')
    .values(
      members.map(({ pairId, clientId, slot, priority, dataOverride, interfaces }) => ({
        client_id: clientId,
        pair_id: pairId,
        slot,
        priority,
        data_override: dataOverride ?? null,
        mgmt_override: null,
        interfaces: JSON.stringify(interfaces ?? {}),
        given_digest: null,
      })),
    )
    .execute();
}

/** By slot. */
export async function listMembers(db: Db, pairId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('ha_members')
    .innerJoin('clients', 'clients.id', 'ha_members.client_id')
    .selectAll('ha_members')
    .select(['clients.name', foundAddresses().as('found')])
    .where('pair_id', '=', pairId)
    .orderBy('slot')
    .execute();
  return rows.map(toMember);
}

export function toMember(row: {
  client_id: string;
  name: string;
  slot: number;
  priority: number;
  data_override: string | null;
  mgmt_override: string | null;
  interfaces: Record<string, string>;
  found: Member['found'] | null;
}): Member {
  return {
    clientId: row.client_id,
    name: row.name,
    slot: row.slot === 0 ? 0 : 1,
    priority: row.priority,
    dataOverride: row.data_override,
    mgmtOverride: row.mgmt_override,
    interfaces: row.interfaces,
    found: row.found ?? undefined,
  };
}

export async function updateMember(
  tx: Tx,
  {
    clientId,
    priority,
    dataOverride,
    mgmtOverride,
  }: Pick<Member, 'clientId' | 'priority' | 'dataOverride' | 'mgmtOverride'>,
): Promise<void> {
  await tx
    .updateTable('ha_members')
    .set({ priority, data_override: dataOverride, mgmt_override: mgmtOverride })
    .where('client_id', '=', clientId)
    .execute();
}

export async function deleteMember(tx: Tx, clientId: string): Promise<void> {
  await tx.deleteFrom('ha_members').where('client_id', '=', clientId).execute();
}

export async function findMembership(
  db: Db,
  clientId: string,
): Promise<{ readonly pairId: string; readonly projectId: string; readonly priority: number } | undefined> {
  const row = await db
    .selectFrom('ha_members')
    .innerJoin('ha_pairs', 'ha_pairs.id', 'ha_members.pair_id')
    .select(['pair_id', 'ha_pairs.project_id', 'priority'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row && { pairId: row.pair_id, projectId: row.project_id, priority: row.priority };
}

/** The services that are deployed to clients of the pair, by name. */
export async function listPairServices(
  db: Db,
  pairIds: readonly string[],
): Promise<Array<{ pairId: string; id: string; name: string; clientIds: string[]; addresses: string[] }>> {
  const { rows } = await sql<{
    pair_id: string;
    id: string;
    name: string;
    client_ids: string[];
    addresses: string[];
  }>`
    select ha_members.pair_id, services.id, services.name, array_agg(ha_members.client_id::text order by slot) as client_ids,
      array(select distinct address from service_targets served
          join ha_members serving on serving.client_id = served.client_id, unnest(served.addresses) address
        where served.service_id = services.id and served.deployed and serving.pair_id = ha_members.pair_id
        order by address) as addresses
    from ha_members join service_targets on service_targets.client_id = ha_members.client_id and deployed
      join services on services.id = service_targets.service_id
    where ha_members.pair_id = any(${[...pairIds]}::uuid[])
    group by 1, 2, 3 order by services.name, services.id`.execute(db);
  return rows.map(({ pair_id: pairId, client_ids: clientIds, ...row }) => ({ ...row, pairId, clientIds }));
}

/** Those of the names that services of the project have. */
export async function findServiceNames(
  db: Db,
  projectId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await db
    .selectFrom('services')
    .select('name')
    .where('project_id', '=', projectId)
    .where('name', 'in', names)
    .execute();
  return new Set(rows.map(({ name }) => name));
}
