import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { ServiceDocument } from './model.ts';

export interface Stamp {
  readonly updated_at: Date;
  readonly updated_by: string;
}

/** False: the project already has a service with this name. */
export async function insertService(
  tx: Tx,
  key: { id: string; projectId: string },
  { document, stamp }: { document: ServiceDocument; stamp: Stamp },
): Promise<boolean> {
  const row = await tx
    .insertInto('services')
    .values({
      id: key.id,
      project_id: key.projectId,
      ...toColumns(document),
      ...stamp,
      created_at: stamp.updated_at,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Excludes other changes of the service. Rows that refer to it can still be written: a new member of a pair notes its work with its
 * client locked, for which a change of the service waits.
 */
export function lockServiceRow(
  tx: Tx,
  key: { id: string; projectId: string },
): Promise<{ name: string; version: string; revision: number } | undefined> {
  return tx
    .selectFrom('services')
    .select(['name', 'version', 'revision'])
    .where('id', '=', key.id)
    .where('project_id', '=', key.projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function isNameTaken(tx: Tx, key: { id: string; projectId: string; name: string }): Promise<boolean> {
  const row = await tx
    .selectFrom('services')
    .select('id')
    .where('project_id', '=', key.projectId)
    .where('name', '=', key.name)
    .where('id', '!=', key.id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Without a document, only the stamp and the revision are written. */
export async function updateService(
  tx: Tx,
  id: string,
  write: { document?: ServiceDocument; stamp: Stamp; revision: number },
): Promise<void> {
  await tx
    .updateTable('services')
    .set({ ...(write.document && toColumns(write.document)), ...write.stamp, revision: write.revision })
    .where('id', '=', id)
    .execute();
}

export async function deleteService(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('config_errors').where('service_id', '=', id).execute();
  await tx.deleteFrom('services').where('id', '=', id).execute();
}

export async function findRevisionDocument(tx: Tx, serviceId: string, revision: number): Promise<unknown> {
  const row = await tx
    .selectFrom('service_revisions')
    .select('document')
    .where('service_id', '=', serviceId)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row?.document;
}

export async function insertRevision(
  tx: Tx,
  serviceId: string,
  entry: { revision: number; document: ServiceDocument; stamp: Stamp },
): Promise<void> {
  await tx
    .insertInto('service_revisions')
    .values({
      service_id: serviceId,
      revision: entry.revision,
      at: entry.stamp.updated_at,
      by_name: entry.stamp.updated_by,
      document: JSON.stringify(entry.document),
    })
    .execute();
}

export function listTargetClients(
  tx: Tx,
  serviceId: string,
): Promise<Array<{ id: string; name: string; deployed: boolean }>> {
  return tx
    .selectFrom('service_targets')
    .innerJoin('clients', 'clients.id', 'service_targets.client_id')
    .select(['clients.id', 'clients.name', 'service_targets.deployed'])
    .where('service_id', '=', serviceId)
    .orderBy('clients.name')
    .execute();
}

export function listTargetRows(
  tx: Tx,
  serviceId: string,
): Promise<Array<{ client_id: string; deployed: boolean; addresses: string[] }>> {
  return tx
    .selectFrom('service_targets')
    .select(['client_id', 'deployed', 'addresses'])
    .where('service_id', '=', serviceId)
    .execute();
}

export async function deleteTarget(tx: Tx, serviceId: string, clientId: string): Promise<void> {
  await tx
    .deleteFrom('service_targets')
    .where('service_id', '=', serviceId)
    .where('client_id', '=', clientId)
    .execute();
}

/** In the order of the document. Targets in `touchedIds` and new ones get a new generation; the others keep theirs. */
export async function upsertTargets(
  tx: Tx,
  serviceId: string,
  write: { clients: ServiceDocument['clients']; touchedIds: readonly string[] },
): Promise<void> {
  await tx
    .insertInto('service_targets')
    .values(
      write.clients.map(({ client_id, addresses }, position) => ({
        service_id: serviceId,
        client_id,
        position,
        addresses,
        generation: sql<number>`nextval('fleet_generation')`,
        envoy_version: null,
        drain_time_s: null,
        content_digest: null,
        content_generation: null,
        sealed_content: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['service_id', 'client_id']).doUpdateSet((eb) => ({
        position: eb.ref('excluded.position'),
        addresses: eb.ref('excluded.addresses'),
        generation: sql<number>`case when service_targets.client_id = any(${[...write.touchedIds]}::uuid[])
          then excluded.generation else service_targets.generation end`,
      })),
    )
    .execute();
}

interface TargetColumns {
  readonly deployed?: true;
  readonly run_state?: 'running' | 'stopped';
  readonly envoy_version?: string;
  readonly drain_time_s?: number;
}

export interface TargetChange {
  readonly serviceId: string;
  readonly clientIds: readonly string[];
  readonly set?: TargetColumns;
}

/** Gives a new generation to each target that is deployed or becomes so. */
export async function changeTargets(tx: Tx, change: TargetChange): Promise<Map<string, number>> {
  const rows = await tx
    .updateTable('service_targets')
    .set({ ...change.set, generation: sql<number>`nextval('fleet_generation')` })
    .where('service_id', '=', change.serviceId)
    .where(sql<boolean>`client_id = any(${[...change.clientIds]}::uuid[])`)
    .$if(change.set?.deployed === undefined, (query) => query.where('deployed', '=', true))
    .returning(['client_id', 'generation'])
    .execute();
  return new Map(rows.map(({ client_id, generation }) => [client_id, generation]));
}

/** Returns the clients where it was deployed. */
export async function markUndeployed(tx: Tx, serviceId: string, clientIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .updateTable('service_targets')
    .set({ deployed: false })
    .where('service_id', '=', serviceId)
    .where('deployed', '=', true)
    .where(sql<boolean>`client_id = any(${[...clientIds]}::uuid[])`)
    .returning('client_id')
    .execute();
  return rows.map(({ client_id }) => client_id);
}

/** Clears the version overrides of clients. */
export async function clearVersions(tx: Tx, serviceId: string): Promise<void> {
  await tx.updateTable('service_targets').set({ envoy_version: null }).where('service_id', '=', serviceId).execute();
}

/** Marks the service as possibly present on these clients, with nothing known yet. */
export async function expectNodes(tx: Tx, serviceId: string, clientIds: readonly string[]): Promise<void> {
  await tx
    .insertInto('node_states')
    .values(
      clientIds.map((client_id) => ({
        client_id,
        service_id: serviceId,
        phase: null,
        envoy_version: null,
        policy_digest: null,
        rollout_state: null,
        snapshot_version: null,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function isNodeExpected(tx: Tx, serviceId: string, clientId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('node_states')
    .select('phase')
    .where('service_id', '=', serviceId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findClientIds(tx: Tx, projectId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('clients')
    .select('id')
    .where('project_id', '=', projectId)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Raises the desired revision of these clients; the controllers that hold their streams send it. */
export async function noteDesiredChange(tx: Tx, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  // Ordered, so that two changes of many clients cannot deadlock.
  await sql`
    update clients set desired_revision = nextval('fleet_generation')
    where id in (select id from clients where id = any(${[...clientIds]}::uuid[]) order by id for no key update)`.execute(
    tx,
  );
}

function toColumns(document: ServiceDocument) {
  return {
    name: document.name,
    version: document.version,
    bootstrap: document.bootstrap,
    listeners: [...document.listeners],
    policies: [...document.policies],
    shield_threads: document.shield.threads,
    shield_xff_trusted_hops: document.shield.xff_trusted_hops,
    api_discovery: document.api_discovery,
  };
}
