import type { ConfigErrorRecord } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { executePage, type ListQuery, type ListRules, matchesText, parsePage } from '../../http/paging.ts';

const ERROR_LIST: ListRules = {
  sortable: {
    last_seen: 'config_errors.last_seen',
    first_seen: 'config_errors.first_seen',
    severity: sql`array_position(array['critical', 'error', 'warning'], config_errors.severity)`,
    occurrence_count: 'config_errors.occurrences',
  },
  defaultSort: '-last_seen',
  id: 'config_errors.id',
};

export interface ConfigErrorQuery extends ListQuery {
  readonly q?: string | undefined;
  readonly status?: readonly ('active' | 'resolved')[] | undefined;
  readonly severity?: readonly ('critical' | 'error' | 'warning')[] | undefined;
  readonly client_id?: readonly string[] | undefined;
}

function selectErrors(db: Db) {
  return db.selectFrom('config_errors').selectAll('config_errors');
}

type ErrorRow = Awaited<ReturnType<ReturnType<typeof selectErrors>['executeTakeFirstOrThrow']>>;

export async function listErrors(db: Db, key: { projectId: string; serviceId: string }, query: ConfigErrorQuery) {
  let narrowed = selectErrors(db).where('project_id', '=', key.projectId).where('service_id', '=', key.serviceId);
  if (query.status) narrowed = narrowed.where('status', 'in', [...query.status]);
  if (query.severity) narrowed = narrowed.where('severity', 'in', [...query.severity]);
  if (query.client_id) narrowed = narrowed.where('client_id', 'in', [...query.client_id]);
  if (query.q) {
    const columns = ['message', 'raw_message', 'resource_name', 'node_id'].map((column) => `config_errors.${column}`);
    narrowed = narrowed.where(matchesText(columns, query.q));
  }
  const { rows, next_cursor } = await executePage(narrowed, parsePage(query, ERROR_LIST));
  return { items: rows.map(toRecord), next_cursor };
}

/** Bounded: the newest 500. */
export async function listActiveErrors(db: Db, serviceId: string): Promise<ConfigErrorRecord[]> {
  const rows = await selectErrors(db)
    .where('service_id', '=', serviceId)
    .where('status', '=', 'active')
    .orderBy('last_seen', 'desc')
    .orderBy('id', 'desc')
    .limit(500)
    .execute();
  return rows.map(toRecord);
}

/** Active errors per service; a service shows its worst severity. */
export async function summarizeErrors(db: Db, projectId: string) {
  const rows = await db
    .selectFrom('config_errors')
    .innerJoin('services', 'services.id', 'config_errors.service_id')
    .select(['services.id', 'services.name'])
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      sql<number>`min(array_position(array['critical', 'error', 'warning'], config_errors.severity))`.as('worst'),
    ])
    .where('config_errors.project_id', '=', projectId)
    .where('config_errors.status', '=', 'active')
    .groupBy(['services.id', 'services.name'])
    .orderBy('services.name')
    .execute();
  const services = rows.map(({ id, name, count, worst }) => ({
    id,
    name,
    status: (['Critical', 'Error', 'Warning'] as const)[worst - 1] ?? 'Warning',
    count: Number(count),
  }));
  return { total_error: services.reduce((sum, { count }) => sum + count, 0), services };
}

function toRecord(row: ErrorRow): ConfigErrorRecord {
  return {
    id: row.id,
    service_id: row.service_id,
    client_id: row.client_id,
    severity: row.severity,
    status: row.status,
    message: row.message,
    raw_message: row.raw_message,
    resource: { name: row.resource_name, type: row.resource_type, node_id: row.node_id },
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
    occurrence_count: row.occurrences,
    ...(row.suggested_fix === null ? {} : { suggested_fix: row.suggested_fix }),
    ...(row.resolved_at === null ? {} : { resolved_at: row.resolved_at.toISOString() }),
    ...(row.resolved_by === null ? {} : { resolved_by: row.resolved_by }),
  };
}
