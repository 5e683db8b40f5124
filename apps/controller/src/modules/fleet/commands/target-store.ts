import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { isConnected, type StoredFacts } from '../clients/index.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface KnownClient {
  readonly id: string;
  readonly name: string;
  readonly connected: boolean;
  /** `linux-amd64`; as its agent reports it. */
  readonly arch: string;
  /** Undefined: its agent is older and reports none. */
  readonly capabilities: StoredFacts['capabilities'];
}

export interface NamedService {
  readonly id: string;
  readonly name: string;
}

/** Projects of these clients and of this service. Invalid ids belong to none. */
export async function listProjectsOf(
  db: Db,
  { serviceId, clientIds }: { serviceId: string | undefined; clientIds: readonly string[] },
): Promise<string[]> {
  const ids = clientIds.filter((id) => UUID.test(id));
  const { rows } = await sql<{ project_id: string }>`
    select project_id from clients where id = any(${ids}::uuid[])
    union
    select project_id from services where id = ${serviceId ?? null}::uuid`.execute(db);
  return rows.map((row) => row.project_id);
}

export function findNamedService(
  db: Db,
  key: {
    projectId: string;
    serviceId: string | undefined;
    serviceName: string | undefined;
    version: string | undefined;
  },
): Promise<NamedService | undefined> {
  const { serviceId, serviceName, version } = key;
  return db
    .selectFrom('services')
    .select(['id', 'name'])
    .where('project_id', '=', key.projectId)
    .$if(serviceId !== undefined, (query) => query.where('id', '=', serviceId ?? ''))
    .$if(serviceName !== undefined, (query) => query.where('name', '=', serviceName ?? ''))
    .$if(version !== undefined, (query) => query.where('version', '=', version ?? ''))
    .executeTakeFirst();
}

export async function listClientsOfService(
  db: Db,
  serviceId: string | undefined,
  { deployed }: { deployed: boolean },
): Promise<string[]> {
  if (serviceId === undefined) return [];
  const rows = await db
    .selectFrom('service_targets')
    .select('client_id')
    .where('service_id', '=', serviceId)
    .$if(deployed, (query) => query.where('deployed', '=', true))
    .orderBy('position')
    .execute();
  return rows.map((row) => row.client_id);
}

export async function findClients(
  db: Db,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
): Promise<Map<string, KnownClient>> {
  const rows = await db
    .selectFrom('clients')
    .select([
      'clients.id',
      'clients.name',
      'clients.arch',
      'clients.facts',
      sql<boolean>`${isConnected()}`.as('connected'),
    ])
    .where('clients.project_id', '=', projectId)
    .where(sql<boolean>`clients.id = any(${ids.filter((id) => UUID.test(id))}::uuid[])`)
    .execute();
  return new Map(rows.map(({ facts, ...row }) => [row.id, { ...row, capabilities: facts.capabilities }]));
}

/** The services deployed to these clients, in lock order. */
export function listDeployedServices(
  tx: Tx,
  clientIds: readonly string[],
): Promise<Array<{ id: string; name: string; client_id: string }>> {
  return tx
    .selectFrom('service_targets')
    .innerJoin('services', 'services.id', 'service_targets.service_id')
    .select(['services.id', 'services.name', 'service_targets.client_id'])
    .where(sql<boolean>`service_targets.client_id = any(${[...clientIds]}::uuid[])`)
    .where('service_targets.deployed', '=', true)
    .orderBy('services.id')
    .execute();
}

export async function listDeployed(tx: Tx, serviceId: string, clientIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('service_targets')
    .select('client_id')
    .where('service_id', '=', serviceId)
    .where('deployed', '=', true)
    .where(sql<boolean>`client_id = any(${[...clientIds]}::uuid[])`)
    .execute();
  return new Set(rows.map((row) => row.client_id));
}

/** Clients that list the service or may still run it. */
export async function listPresent(tx: Tx, serviceId: string, clientIds: readonly string[]): Promise<Set<string>> {
  const ids = [...clientIds];
  const { rows } = await sql<{ client_id: string }>`
    select client_id from service_targets where service_id = ${serviceId} and client_id = any(${ids}::uuid[])
    union
    select client_id from node_states where service_id = ${serviceId} and client_id = any(${ids}::uuid[])
      and phase is distinct from 'removed'`.execute(tx);
  return new Set(rows.map((row) => row.client_id));
}

/** By client. */
export async function readDesiredRevisions(db: Db, clientIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('clients')
    .select(['id', 'desired_revision'])
    .where(sql<boolean>`id = any(${[...clientIds]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row.desired_revision]));
}
