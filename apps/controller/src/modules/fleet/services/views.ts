import {
  DRAIN_TIME,
  fail,
  type HealthState,
  type NodeHealth,
  type ServiceRecord,
  type ServiceStatus,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { CLIENT_ADDRESS } from '@flotilla/translate';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ListQuery, matchesText } from '../../../platform/database/paging.ts';
import { type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';
import { isConnected } from '../clients/index.ts';
import { deriveHealth, type NodeFindings } from './health.ts';
import { healthState, selectTargetHealth, targetFindings, targetHealth } from './health-views.ts';
import { deriveServiceStatus } from './model.ts';

interface TargetView extends NodeFindings {
  readonly addresses: string[];
  readonly admin_port: number | null;
  readonly deployed: boolean;
  readonly connected: boolean;
  readonly envoy_version: string | null;
  readonly drain_time_seconds: number;
  readonly generation: number;
  readonly state: NodeHealth | null;
}

/** All targets of a service as one JSON value in document order, without a query per row. */
function targetsOf(): RawBuilder<TargetView[]> {
  return sql<TargetView[]>`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'client_id', clients.id, 'client_name', clients.name, 'addresses', service_targets.addresses,
      'admin_port', admin_ports.port, 'deployed', service_targets.deployed, 'connected', ${isConnected()},
      'run_state', service_targets.run_state, 'envoy_version', service_targets.envoy_version,
      'drain_time_seconds', coalesce(service_targets.drain_time_s, ${DRAIN_TIME.defaultS}::int),
      'generation', service_targets.generation, 'state', ${targetHealth()}, ${targetFindings()}) order by service_targets.position, clients.id), '[]'::jsonb)
    from service_targets
    join clients on clients.id = service_targets.client_id
    left join admin_ports on admin_ports.client_id = clients.id and admin_ports.service_id = services.id
    left join node_states on node_states.client_id = clients.id and node_states.service_id = services.id
    where service_targets.service_id = services.id)`;
}

/** Listeners of the service that use the client's address. */
function clientListeners(): RawBuilder<string[]> {
  return sql<string[]>`(
    select coalesce(array_agg(documents.name order by documents.name), '{}') from documents
    where documents.project_id = services.project_id and documents.version = services.version
      and documents.collection = 'listeners' and documents.name = any(services.listeners)
      and documents.resource #>> '{address,socket_address,address}' = ${CLIENT_ADDRESS})`;
}

function countTargets(which: 'deployed' | 'connected'): RawBuilder<number> {
  const condition = which === 'deployed' ? sql`true` : isConnected();
  return sql<number>`(
    select count(*) from service_targets join clients on clients.id = service_targets.client_id
    where service_targets.service_id = services.id and service_targets.deployed and ${condition})`;
}

/** deriveServiceStatus as a condition; a test keeps the two equal. */
export function hasStatus(status: ServiceStatus): RawBuilder<boolean> {
  const deployed = countTargets('deployed');
  const connected = countTargets('connected');
  switch (status) {
    case 'Not Deployed':
      return sql<boolean>`(${deployed} = 0)`;
    case 'Offline':
      return sql<boolean>`(${deployed} > 0 and ${connected} = 0)`;
    case 'Live':
      return sql<boolean>`(${deployed} > 0 and ${connected} = ${deployed})`;
    case 'Partial':
      return sql<boolean>`(${connected} > 0 and ${connected} < ${deployed})`;
  }
}

function selectServices(db: Db) {
  return db
    .selectFrom('services')
    .selectAll('services')
    .select([targetsOf().as('targets'), clientListeners().as('client_listeners')]);
}

type ServiceRow = RowOf<typeof selectServices>;

function toRecord(row: ServiceRow): ServiceRecord {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    project: row.project_id,
    bootstrap: row.bootstrap,
    listeners: row.listeners,
    policies: row.policies,
    shield: { threads: row.shield_threads, xff_trusted_hops: row.shield_xff_trusted_hops },
    api_discovery: row.api_discovery,
    clients: row.targets.map(({ client_id, addresses }) => ({ client_id, addresses })),
    status: deriveServiceStatus(row.targets),
    health: deriveHealth(row.targets),
    client_listeners: row.client_listeners,
    missing_addresses:
      row.client_listeners.length === 0
        ? []
        : row.targets.filter(({ addresses }) => addresses.length === 0).map(({ client_id }) => client_id),
    targets: row.targets.map((target) => toTarget(target, row.version)),
    revision: row.revision,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: row.updated_by,
  };
}

function toTarget(target: TargetView, version: string): ServiceRecord['targets'][number] {
  const { addresses: _, phase: _p, agent_error: _a, listeners: _l, errors: _e, traffic: _t, ...own } = target;
  return { ...own, envoy_version: own.envoy_version ?? version };
}

/** Throws record.not_found, also for a service of another project. */
export async function readService(db: Db, key: { projectId: string; serviceId: string }): Promise<ServiceRecord> {
  const row = await selectServices(db)
    .where('services.id', '=', key.serviceId)
    .where('services.project_id', '=', key.projectId)
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'service', name: key.serviceId });
  return toRecord(row);
}

export interface ServiceListQuery extends SearchQuery {
  readonly name?: string | undefined;
  readonly version?: readonly string[] | undefined;
  readonly status?: readonly (ServiceStatus | 'Not_Deployed')[] | undefined;
  readonly health?: readonly HealthState[] | undefined;
  readonly ip_address?: string | undefined;
  readonly client_id?: readonly string[] | undefined;
}

const SERVICES = new Rows<ListedRow, ReturnType<typeof toListItem>, ServiceListQuery>({
  sortable: {
    name: 'services.name',
    version: 'services.version',
    created_at: 'services.created_at',
    updated_at: 'services.updated_at',
  },
  defaultSort: 'name',
  id: 'services.id',
  searched: ['services.name', 'services.bootstrap'],
  filters: {
    name: (text) => matchesText(['services.name'], text),
    version: 'services.version',
    status: (all) => anyOf(all.map((status) => hasStatus(status === 'Not_Deployed' ? 'Not Deployed' : status))),
    health: hasHealth,
    ip_address: (text) => sql`exists (select from service_targets, unnest(service_targets.addresses) address
      where service_targets.service_id = services.id and ${matchesText(['address'], text)})`,
    client_id: (ids) => sql`exists (select from service_targets
      where service_targets.service_id = services.id and service_targets.client_id = any(${ids}))`,
  },
  toView: toListItem,
});

function anyOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join([...conditions], sql` or `)})`;
}

function hasHealth(states: readonly HealthState[]): RawBuilder<SqlBool> {
  const targets = selectTargetHealth(sql`service_targets.service_id = services.id`);
  return sql<SqlBool>`(select ${healthState()} from (${targets}) targets) = any(${[...states]}::text[])`;
}

type ListedRow = ServiceRow & { readonly active_errors: number };

/** `seen`: a condition on rows of `services`, needed if `db` shows more than the caller may see. */
export function listServices(db: Db, projectId: string, query: ServiceListQuery, seen?: RawBuilder<SqlBool>) {
  const select = selectServices(db)
    .select(
      sql<number>`(select count(*) from config_errors where config_errors.service_id = services.id
        and config_errors.status = 'active')`.as('active_errors'),
    )
    .where('services.project_id', '=', projectId);
  return SERVICES.list(seen ? select.where(seen) : select, query);
}

function toListItem(row: ListedRow) {
  const { clients, bootstrap: _b, policies: _p, shield: _s, ...record } = toRecord(row);
  return {
    id: record.id,
    name: record.name,
    status: record.status,
    health: record.health,
    client_listeners: record.client_listeners,
    missing_addresses: record.missing_addresses,
    version: record.version,
    project: record.project,
    listeners: record.listeners,
    deployed: record.targets.filter((target) => target.deployed).length,
    ip_addresses: [...new Set(clients.flatMap(({ addresses }) => addresses))],
    admin_port: record.targets[0]?.admin_port ?? null,
    targets: record.targets,
    active_errors: row.active_errors,
    api_discovery: record.api_discovery,
    revision: record.revision,
    updated_at: record.updated_at,
  };
}

/** Services that run on a client or are assigned to it, with its agent's reports. `seen` as for listServices. */
export async function listServicesOfClient(db: Db, clientId: string, seen: RawBuilder<SqlBool> = sql<SqlBool>`true`) {
  const rows = await selectServices(db)
    .innerJoin('service_targets as here', (join) =>
      join.onRef('here.service_id', '=', 'services.id').on('here.client_id', '=', clientId),
    )
    .leftJoin('node_states', (join) =>
      join.onRef('node_states.service_id', '=', 'services.id').on('node_states.client_id', '=', clientId),
    )
    .select(['node_states.phase', 'node_states.envoy_version as running_version'])
    .where(seen)
    .orderBy('services.name')
    .execute();
  return rows.map((row) => {
    const target = row.targets.find(({ client_id }) => client_id === clientId);
    return {
      id: row.id,
      name: row.name,
      version: row.version,
      status: deriveServiceStatus(row.targets),
      deployed: target?.deployed ?? false,
      admin_port: target?.admin_port ?? null,
      addresses: target?.addresses ?? [],
      phase: row.phase,
      envoy_version: row.running_version,
    };
  });
}

/** Services whose document lists the client. */
export async function listTargeting(db: Db, clientId: string): Promise<Array<{ id: string; name: string }>> {
  return db
    .selectFrom('service_targets')
    .innerJoin('services', 'services.id', 'service_targets.service_id')
    .select(['services.id', 'services.name'])
    .where('service_targets.client_id', '=', clientId)
    .orderBy('services.name')
    .execute();
}

const REVISIONS = new Rows({
  sortable: { revision: 'service_revisions.revision' },
  defaultSort: '-revision',
  id: 'service_revisions.revision',
  toView: toRevision,
});

export const listRevisions = (db: Db, serviceId: string, query: ListQuery) =>
  REVISIONS.list(db.selectFrom('service_revisions').selectAll().where('service_id', '=', serviceId), query);

/** Throws record.not_found. */
export async function readRevision(db: Db, serviceId: string, revision: number) {
  const row = await db
    .selectFrom('service_revisions')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('revision', '=', revision)
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'revision', name: String(revision) });
  return toRevision(row);
}

function toRevision(row: { revision: number; at: Date; by_name: string; document: Record<string, unknown> }) {
  return { revision: row.revision, at: row.at.toISOString(), by: row.by_name, document: row.document };
}
