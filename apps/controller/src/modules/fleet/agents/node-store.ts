import type { Db, Tx } from '@flotilla/db';
import type { NodeId } from '@flotilla/proto';
import { sql } from 'kysely';
import type { StoredReport, StoredResource } from '../services/index.ts';

export interface NodeKey {
  readonly clientId: string;
  readonly serviceId: string;
}

export interface NodeService {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
}

/** The services of which these clients have nodes, by client. */
export async function listKnownNodes(
  db: Db,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyArray<{ readonly service_id: string }>>> {
  const rows = await db
    .selectFrom('node_states')
    .select(['client_id', 'service_id'])
    .where(sql<boolean>`client_id = any(${[...clientIds]}::uuid[])`)
    .execute();
  return Map.groupBy(rows, (row) => row.client_id);
}

/** False: the service was never assigned to this client, and nothing was written. */
export async function upsertNode(
  tx: Tx,
  { clientId, serviceId }: NodeKey,
  node: {
    report: StoredReport;
    generation: number;
    phase: string | null;
    envoyVersion: string | null;
    policyDigest: string | null;
  },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    insert into node_states (client_id, service_id, report, reported_at, generation, phase, envoy_version, policy_digest)
    select ${clientId}, ${serviceId}, ${JSON.stringify(node.report)}::jsonb, ${now}, ${node.generation}, ${node.phase},
      ${node.envoyVersion}, ${node.policyDigest}
    where exists (select from service_targets where client_id = ${clientId} and service_id = ${serviceId})
      or exists (select from node_states where client_id = ${clientId} and service_id = ${serviceId})
    on conflict (client_id, service_id) do update set report = excluded.report, reported_at = excluded.reported_at,
      generation = excluded.generation, phase = excluded.phase, envoy_version = excluded.envoy_version,
      policy_digest = excluded.policy_digest
    returning service_id`.execute(tx);
  return rows.length > 0;
}

export function findService(tx: Tx, id: string): Promise<NodeService | undefined> {
  return tx
    .selectFrom('services')
    .select(['services.id', 'services.name', 'services.project_id as projectId'])
    .where('services.id', '=', id)
    .executeTakeFirst();
}

/** The client is known to be the caller; the service must belong to the client's project. */
export function findServiceOfNode(tx: Tx, node: NodeId): Promise<NodeService | undefined> {
  return tx
    .selectFrom('services')
    .innerJoin('clients', 'clients.project_id', 'services.project_id')
    .select(['services.id', 'services.name', 'services.project_id as projectId'])
    .where('services.project_id', '=', node.project)
    .where('services.name', '=', node.service)
    .where('clients.id', '=', node.clientId)
    .executeTakeFirst();
}

/** The resources of the previous report; undefined: the service is not assigned to the client. */
export async function lockResources(tx: Tx, key: NodeKey): Promise<StoredResource[] | undefined> {
  const row = await tx
    .selectFrom('node_states')
    .select('resources')
    .where('client_id', '=', key.clientId)
    .where('service_id', '=', key.serviceId)
    .forUpdate()
    .executeTakeFirst();
  return row && ((row.resources ?? []) as StoredResource[]);
}

export async function storeRollout(
  tx: Tx,
  key: NodeKey,
  rollout: { state: string; version: string; resources: readonly StoredResource[] },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('node_states')
    .set({
      rollout_state: rollout.state,
      snapshot_version: rollout.version,
      resources: JSON.stringify(rollout.resources),
      rollout_at: now,
    })
    .where('client_id', '=', key.clientId)
    .where('service_id', '=', key.serviceId)
    .execute();
}

export function findTarget(tx: Tx, key: NodeKey): Promise<{ deployed: boolean } | undefined> {
  return tx
    .selectFrom('service_targets')
    .select('deployed')
    .where('client_id', '=', key.clientId)
    .where('service_id', '=', key.serviceId)
    .forKeyShare()
    .executeTakeFirst();
}

/** Keeps the row, because the service is still assigned. */
export async function forgetNode(tx: Tx, key: NodeKey): Promise<void> {
  await tx
    .updateTable('node_states')
    .set({ phase: null, envoy_version: null, policy_digest: null, report: null, resources: null, rollout_at: null })
    .where('client_id', '=', key.clientId)
    .where('service_id', '=', key.serviceId)
    .execute();
}

export async function deleteNode(tx: Tx, key: NodeKey): Promise<void> {
  await tx
    .deleteFrom('node_states')
    .where('client_id', '=', key.clientId)
    .where('service_id', '=', key.serviceId)
    .execute();
}
