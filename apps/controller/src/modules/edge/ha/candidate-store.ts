import type { Db, Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { isConnected } from '../../fleet/public.ts';
import type { FoundAddresses } from './model.ts';

/** A client with what decides whether it can join a pair. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly connected: boolean;
  readonly isAppliance: boolean;
  readonly found: FoundAddresses | null;
  readonly serviceCount: number;
  readonly pairId: string | null;
}

/** Null: the agent is older, or has found none. For any query over `clients`. */
export const foundAddresses = (): RawBuilder<FoundAddresses | null> =>
  sql<FoundAddresses | null>`clients.facts -> 'ha'`;

const hasCapability = (name: string) => sql<boolean>`exists (
  select from jsonb_array_elements(coalesce(clients.facts -> 'capabilities', '[]')) capability
  where capability ->> 'name' = ${name} and capability -> 'available' = 'true')`;

/** The host has everything that the daemon of pairs needs, or lacks only an address: an agent without one reports no `ha`. */
const isAppliance = () =>
  sql<boolean>`(${hasCapability('ha')} or (${hasCapability('appliance')} and clients.facts -> 'ha' is null))`;

function selectCandidates(db: Db, projectId: string) {
  return db
    .selectFrom('clients')
    .leftJoin('ha_members', 'ha_members.client_id', 'clients.id')
    .select([
      'clients.id',
      'clients.name',
      'clients.hostname',
      'ha_members.pair_id as pairId',
      sql<boolean>`${isConnected()}`.as('connected'),
      isAppliance().as('isAppliance'),
      foundAddresses().as('found'),
      sql<number>`(select count(*)::int from service_targets
        where service_targets.client_id = clients.id and deployed)`.as('serviceCount'),
    ])
    .where('clients.project_id', '=', projectId);
}

export function listCandidates(db: Db, projectId: string): Promise<Candidate[]> {
  return selectCandidates(db, projectId).orderBy('clients.name').orderBy('clients.id').execute();
}

/** Locks the services of these clients before the clients, as everywhere. */
export async function lockServicesOf(tx: Tx, clientIds: readonly string[]): Promise<void> {
  await sql`select from services where id in (
      select service_id from service_targets where client_id = any(${[...clientIds]}::uuid[]) and deployed)
    order by id for no key update`.execute(tx);
}

/** Those that exist, locked in the order of their ids. Their services and pairs cannot change until the transaction ends. */
export async function lockCandidates(
  tx: Tx,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Candidate>> {
  await sql`select from clients where id = any(${[...ids]}::uuid[]) and project_id = ${projectId}
    order by id for no key update`.execute(tx);
  // One statement with the lock would read the other tables as they were before it waited.
  const rows = await selectCandidates(tx, projectId)
    .where(sql<boolean>`clients.id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
