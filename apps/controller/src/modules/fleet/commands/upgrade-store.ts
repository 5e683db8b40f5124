import { DRAIN_TIME } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { UNFINISHED } from './model.ts';

/** The versions of a service on a client. */
export interface TargetVersion {
  readonly clientId: string;
  readonly wanted: string;
  /** Null: no Envoy, as far as reported. */
  readonly running: string | null;
  readonly drainTimeS: number;
  /** An earlier upgrade is on its way from `from` to `to`, and may still fail. */
  readonly isUpgrading: boolean;
}

interface Upgrade {
  readonly serviceId: string;
  readonly clientIds: readonly string[];
  readonly from: string;
  readonly to: string;
}

/** Those of the clients where the service is deployed. The caller holds the lock of the service. */
export async function listTargetVersions(
  tx: Tx,
  { serviceId, clientIds, from, to }: Upgrade,
): Promise<Map<string, TargetVersion>> {
  const { rows } = await sql<TargetVersion>`
    select service_targets.client_id as "clientId", coalesce(service_targets.envoy_version, services.version) as wanted,
      node_states.envoy_version as running,
      coalesce(service_targets.drain_time_s, ${DRAIN_TIME.defaultS}::int) as "drainTimeS",
      exists (
        select from commands where commands.service_id = services.id and commands.client_id = service_targets.client_id
          and commands.type = 'UPGRADE_LISTENER' and commands.status = any(${[...UNFINISHED, 'unknown']}::text[])
          and commands.payload ->> 'from_version' = ${from} and commands.payload ->> 'to_version' = ${to}
          and (commands.payload ->> 'returns')::boolean) as "isUpgrading"
    from service_targets
      join services on services.id = service_targets.service_id
      left join node_states on node_states.service_id = services.id and node_states.client_id = service_targets.client_id
    where services.id = ${serviceId} and service_targets.deployed
      and service_targets.client_id = any(${[...clientIds]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.clientId, row]));
}

/** A command that a client has not completed. */
export interface OpenUpgrade {
  readonly id: string;
  readonly clientId: string;
  readonly projectId: string;
  readonly serviceId: string;
  readonly from: string;
  readonly to: string;
}

/** undefined: it is no upgrade from which a client returns, belongs to another client or has ended, or the service is deleted. */
export async function findReturning(
  tx: Tx,
  key: { readonly id: string; readonly clientId: string },
): Promise<OpenUpgrade | undefined> {
  const { rows } = await sql<OpenUpgrade>`
    select commands.id, commands.client_id as "clientId", commands.project_id as "projectId", services.id as "serviceId",
      commands.payload ->> 'from_version' as "from", commands.payload ->> 'to_version' as "to"
    from commands join services on services.id = commands.service_id
    where commands.id = ${key.id} and commands.client_id = ${key.clientId} and commands.type = 'UPGRADE_LISTENER'
      and commands.status = any(${[...UNFINISHED, 'unknown']}::text[])
      and (commands.payload ->> 'returns')::boolean`.execute(tx);
  return rows[0];
}

/** Whether nothing has set the version of the service on the client since the upgrade. The caller holds the lock of the service. */
export async function isNewestVersion(tx: Tx, { id, clientId, serviceId, to }: OpenUpgrade): Promise<boolean> {
  const { rows } = await sql`
    select from service_targets
    where service_id = ${serviceId} and client_id = ${clientId} and deployed and envoy_version = ${to}
      and not exists (
        select from commands own join commands newer
          on newer.service_id = own.service_id and newer.client_id = own.client_id and newer.fence > own.fence
        where own.id = ${id}
          and (newer.type = 'UPGRADE_LISTENER' or newer.type = 'DATAPLANE_VERSION' and newer.operation = 'SET_VERSION'))`.execute(
    tx,
  );
  return rows.length > 0;
}
