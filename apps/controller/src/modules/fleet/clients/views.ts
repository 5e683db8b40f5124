import { fail, parseLabel } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { containing, matchesText } from '../../../platform/database/paging.ts';
import { type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';
import { hasClientStatus, isConnected } from './connected-view.ts';
import { toLabelViews } from './labels.ts';

/** Distinct downstream addresses of the services on a client. */
const serviceIps: RawBuilder<string[]> = sql<string[]>`(
  select coalesce(array_agg(distinct address order by address), '{}')
  from service_targets, unnest(service_targets.addresses) address
  where service_targets.client_id = clients.id)`;

const CLIENTS = new Rows<ClientRow, ReturnType<typeof toListItem>, ClientListQuery>({
  sortable: {
    name: 'clients.name',
    hostname: 'clients.hostname',
    version: 'clients.agent_version',
    last_seen: sql`coalesce(clients.last_seen, 'epoch')`,
    created_at: 'clients.created_at',
    cpu_percent: sql`coalesce(client_stats.load_percent, -1)`,
    memory_percent: sql`coalesce(client_stats.memory_percent, -1)`,
  },
  defaultSort: 'name',
  id: 'clients.id',
  searched: isAbout,
  filters: { status: hasClientStatus, label: hasLabels },
  toView: toListItem,
});

export interface ClientListQuery extends SearchQuery {
  readonly with_service_ips?: boolean | undefined;
  readonly status?: readonly ('Live' | 'Offline')[] | undefined;
  /** `KEY=VALUE` or `KEY`; all have to match. */
  readonly label?: readonly string[] | undefined;
}

function selectClients(db: Db) {
  return db
    .selectFrom('clients')
    .leftJoin('client_stats', 'client_stats.client_id', 'clients.id')
    .selectAll('clients')
    .select([
      'client_stats.at as stats_at',
      'client_stats.load_percent',
      'client_stats.memory_percent',
      sql<boolean>`${isConnected()}`.as('connected'),
      serviceIps.as('service_ips'),
    ]);
}

function isAbout(text: string): RawBuilder<SqlBool> {
  const columns = ['name', 'hostname', 'os', 'arch', 'agent_version', 'provider'].map((column) => `clients.${column}`);
  return sql<SqlBool>`(${matchesText(columns, text)} or ${matchesLabel(text)} or ${matchesCloud(text)} or clients.id::text ilike ${containing(text)}
    or exists (select from service_targets, unnest(service_targets.addresses) address
      where service_targets.client_id = clients.id and ${matchesText(['address'], text)}))`;
}

export async function listClients(db: Db, projectId: string, query: ClientListQuery) {
  const { items, ...page } = await CLIENTS.list(selectClients(db).where('clients.project_id', '=', projectId), query);
  if (query.with_service_ips) return { ...page, items };
  return { ...page, items: items.map(({ service_ips: _, ...item }) => item) };
}

type ClientRow = RowOf<typeof selectClients>;

/** Searches `key=value`, so that a part of either or both is found. */
function matchesLabel(text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select from jsonb_each_text(clients.labels) label
    where label.key || '=' || label.value ilike ${containing(text)})`;
}

function matchesCloud(text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`concat_ws(' ', clients.facts #>> '{cloud,server_id,value}', clients.facts #>> '{cloud,project,value}')
    ilike ${containing(text)}`;
}

function hasLabels(labels: readonly string[]): RawBuilder<SqlBool> {
  const conditions = labels
    .map(parseLabel)
    .map(({ key, value }) =>
      value === undefined
        ? sql<SqlBool>`clients.labels ? ${key}`
        : sql<SqlBool>`clients.labels @> ${JSON.stringify({ [key]: value })}::jsonb`,
    );
  return sql<SqlBool>`(${sql.join([sql`true`, ...conditions], sql` and `)})`;
}

/** The clients with all of these labels, in the order of their names. */
export function listLabelledClients(
  db: Db,
  projectId: string,
  labels: readonly string[],
): Promise<Array<{ id: string; name: string }>> {
  return db
    .selectFrom('clients')
    .select(['id', 'name'])
    .where('project_id', '=', projectId)
    .where(hasLabels(labels))
    .orderBy('name')
    .orderBy('id')
    .execute();
}

const LABELS_LISTED_MAX = 200;

/** The labels of the clients that the caller may see, those of the most clients first. */
export async function listClientLabels(db: Db, projectId: string) {
  const { rows } = await sql<{ key: string; value: string; clients: number }>`
    select label.key, label.value, count(*)::int as clients
    from clients cross join lateral jsonb_each_text(clients.labels) label
    where clients.project_id = ${projectId}
    group by 1, 2 order by 3 desc, 1, 2 limit ${LABELS_LISTED_MAX}`.execute(db);
  return { items: rows, next_cursor: null };
}

function identify(row: ClientRow) {
  return {
    client_id: row.id,
    name: row.name,
    project: row.project_id,
    status: row.connected ? 'Live' : 'Offline',
    connected: row.connected,
    hostname: row.hostname,
    os: row.os,
    arch: row.arch,
    version: row.agent_version,
  } as const;
}

function toListItem(row: ClientRow) {
  return {
    ...identify(row),
    provider: row.provider,
    labels: row.labels,
    service_ip_count: row.service_ips.length,
    service_ips: row.service_ips,
    cpu_percent: row.load_percent,
    memory_percent: row.memory_percent,
    stats_at: row.stats_at?.toISOString() ?? null,
    last_seen: row.last_seen?.toISOString() ?? null,
  };
}

const UNREPORTED = { detection: 'unreported', provider: null, server_id: null, project: null, reason: null } as const;

/** Throws record.not_found, also for a client of another project. */
export async function readClient(db: Db, key: { projectId: string; clientId: string }) {
  const row = await selectClients(db)
    .select('client_stats.stats')
    .where('clients.id', '=', key.clientId)
    .where('clients.project_id', '=', key.projectId)
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'client', name: key.clientId });
  return {
    ...identify(row),
    kernel: row.kernel,
    provider: row.provider,
    cloud: row.facts.cloud ?? UNREPORTED,
    hypervisor: row.facts.hypervisor ?? null,
    bgp: row.bgp,
    bgp_source: row.facts.bgp_source ?? null,
    capabilities: row.facts.capabilities ?? null,
    labels: toLabelViews(row),
    metadata: row.metadata,
    cores: row.cores,
    memory_bytes: row.memory_bytes,
    runtime_dir: row.runtime_dir,
    data_dir: row.data_dir,
    last_seen: row.last_seen?.toISOString() ?? null,
    connect_time: row.connect_time?.toISOString() ?? null,
    connect_reason: row.connect_reason,
    disconnect_time: row.disconnect_time?.toISOString() ?? null,
    disconnect_reason: row.disconnect_reason,
    created_at: row.created_at.toISOString(),
    usage:
      row.stats_at && row.load_percent !== null && row.memory_percent !== null
        ? { at: row.stats_at.toISOString(), cpu_percent: row.load_percent, memory_percent: row.memory_percent }
        : null,
    stats: row.stats,
  };
}

export async function findProjectOfClient(db: Db, clientId: string): Promise<string | undefined> {
  const row = await db.selectFrom('clients').select('project_id').where('id', '=', clientId).executeTakeFirst();
  return row?.project_id;
}

export async function findClientName(db: Db, clientId: string): Promise<string | undefined> {
  const row = await db.selectFrom('clients').select('name').where('id', '=', clientId).executeTakeFirst();
  return row?.name;
}
