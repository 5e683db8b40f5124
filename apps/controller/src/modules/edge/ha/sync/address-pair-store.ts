import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** An address that this program has allowed on a port of a cloud. */
export interface AllowedAddress {
  readonly projectId: string;
  readonly cloudProject: string;
  readonly server: string;
  readonly portId: string;
  readonly address: string;
  readonly attempts: number;
}

export interface ServingPort {
  readonly projectId: string;
  readonly clientId: string;
  readonly cloudProject: string;
  readonly server: string;
  readonly portId: string;
}

/**
 * Records what was added to a port. Addresses that were recorded before belong to the client that serves through the port now: a host
 * that is enrolled again is another client.
 */
export async function recordAllowed(
  db: Db,
  { projectId, clientId, cloudProject, server, portId }: ServingPort,
  { served, added, now }: { readonly served: readonly string[]; readonly added: readonly string[]; readonly now: Date },
): Promise<void> {
  await sql`update ha_address_pairs set client_id = ${clientId}, server = ${server}
    where project_id = ${projectId} and port_id = ${portId} and address = any(${[...served]}::text[])
      and (client_id, server) is distinct from (${clientId}::uuid, ${server})`.execute(db);
  if (added.length === 0) return;
  await sql`
    insert into ha_address_pairs (project_id, client_id, cloud_project, server, port_id, address, next_attempt_at)
    select ${projectId}::uuid, ${clientId}::uuid, ${cloudProject}, ${server}, ${portId}, address, ${now}::timestamptz
    from unnest(${[...added]}::text[]) address
    on conflict do nothing`.execute(db);
}

/** A service of the client, or of the other member of its pair, has the address. */
const isNeeded = sql<boolean>`exists (
  select from service_targets
  where deployed and ha_address_pairs.address = any(service_targets.addresses)
    and (service_targets.client_id = ha_address_pairs.client_id or service_targets.client_id in (
      select other.client_id from ha_members own join ha_members other on other.pair_id = own.pair_id
      where own.client_id = ha_address_pairs.client_id)))`;

/** Notes since when addresses are not needed. */
export async function noteNeed(tx: Tx, now: Date): Promise<void> {
  await sql`
    with seen as (select project_id, port_id, address, ${isNeeded} as needed from ha_address_pairs)
    update ha_address_pairs set unneeded_since = case when needed then null else ${now}::timestamptz end
    from seen
    where seen.project_id = ha_address_pairs.project_id and seen.port_id = ha_address_pairs.port_id
      and seen.address = ha_address_pairs.address and needed <> (unneeded_since is null)`.execute(tx);
}

export async function hasAllowed(db: Db): Promise<boolean> {
  const { rows } = await sql`select from ha_address_pairs limit 1`.execute(db);
  return rows.length > 0;
}

/** Those that are not needed since the given time, and those whose removal was begun. */
export async function listRemovable(
  db: Db,
  { unneededSince, now, limit }: { readonly unneededSince: Date; readonly now: Date; readonly limit: number },
): Promise<AllowedAddress[]> {
  const { rows } = await sql<AllowedAddress>`
    select project_id as "projectId", cloud_project as "cloudProject", server, port_id as "portId", address, attempts
    from ha_address_pairs
    where (removing or unneeded_since <= ${unneededSince}) and next_attempt_at <= ${now}
    order by next_attempt_at limit ${limit}`.execute(db);
  return rows;
}

type Key = Pick<AllowedAddress, 'projectId' | 'portId' | 'address'>;

const isRow = ({ projectId, portId, address }: Key) =>
  sql<boolean>`ha_address_pairs.project_id = ${projectId} and ha_address_pairs.port_id = ${portId}
    and ha_address_pairs.address = ${address}`;

/** Returns the step that the address needs now, and begins the removal of one that is not needed. Undefined: it needs none, or is gone. */
export async function beginRemoval(tx: Tx, key: Key): Promise<'remove' | 'restore' | undefined> {
  const { rows } = await sql<{ needed: boolean; removing: boolean }>`
    select ${isNeeded} as needed, removing from ha_address_pairs where ${isRow(key)} for update`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  if (row.needed) return row.removing ? 'restore' : undefined;
  if (!row.removing) await sql`update ha_address_pairs set removing = true where ${isRow(key)}`.execute(tx);
  return 'remove';
}

/** Forgets the address. False: a service has got it meanwhile, so the cloud has to allow it again. */
export async function endRemoval(tx: Tx, key: Key): Promise<boolean> {
  const { rows } =
    await sql`delete from ha_address_pairs where ${isRow(key)} and not ${isNeeded} returning address`.execute(tx);
  return rows.length > 0;
}

export async function endRestoring(tx: Tx, key: Key): Promise<void> {
  await sql`update ha_address_pairs set removing = false, unneeded_since = null, attempts = 0 where ${isRow(key)}`.execute(
    tx,
  );
}

export async function noteFailedRemoval(
  tx: Tx,
  key: Key,
  { attempts, nextAttemptAt }: { readonly attempts: number; readonly nextAttemptAt: Date },
): Promise<void> {
  await sql`update ha_address_pairs set attempts = ${attempts}, next_attempt_at = ${nextAttemptAt}
    where ${isRow(key)}`.execute(tx);
}

const KEPT_DAYS = 30;

/** A rule of the daily clean-up: a cloud that was not accessible for so long is not asked any more. */
export async function forgetLostAddresses(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  await db.deleteFrom('ha_address_pairs').where('unneeded_since', '<', before).execute();
}
