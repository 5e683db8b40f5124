import type { ConfigErrorRecord } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';
import { findFix, toCode } from './codes.ts';

const ERRORS = new Rows<ErrorRow, ConfigErrorRecord, ConfigErrorQuery>({
  sortable: {
    last_seen: 'config_errors.last_seen',
    first_seen: 'config_errors.first_seen',
    severity: sql`array_position(array['critical', 'error', 'warning'], config_errors.severity)`,
    occurrence_count: 'config_errors.occurrences',
  },
  defaultSort: '-last_seen',
  id: 'config_errors.id',
  searched: ['message', 'raw_message', 'resource_name', 'node_id'].map((column) => `config_errors.${column}`),
  filters: {
    service_id: 'config_errors.service_id',
    status: 'config_errors.status',
    severity: 'config_errors.severity',
    client_id: 'config_errors.client_id',
  },
  toView: toRecord,
});

export interface ConfigErrorQuery extends SearchQuery {
  readonly status?: readonly ('active' | 'resolved')[] | undefined;
  readonly severity?: readonly ('critical' | 'error' | 'warning')[] | undefined;
  readonly client_id?: readonly string[] | undefined;
  readonly service_id?: readonly string[] | undefined;
}

function selectErrors(db: Db) {
  return db
    .selectFrom('config_errors')
    .innerJoin('services', 'services.id', 'config_errors.service_id')
    .selectAll('config_errors')
    .select(['services.version as service_version', 'services.policies as service_policies']);
}

type ErrorRow = RowOf<typeof selectErrors>;

/** `seen`: a condition on rows of `config_errors`, needed if `db` shows more than the caller may see. */
export function listErrors(db: Db, projectId: string, query: ConfigErrorQuery, seen?: RawBuilder<SqlBool>) {
  const select = selectErrors(db).where('config_errors.project_id', '=', projectId);
  return ERRORS.list(seen ? select.where(seen) : select, query);
}

/** Returns the newest 500. */
export async function listActiveErrors(db: Db, serviceId: string): Promise<ConfigErrorRecord[]> {
  const rows = await selectErrors(db)
    .where('config_errors.service_id', '=', serviceId)
    .where('config_errors.status', '=', 'active')
    .orderBy('config_errors.last_seen', 'desc')
    .orderBy('config_errors.id', 'desc')
    .limit(500)
    .execute();
  return rows.map(toRecord);
}

/** Active errors per service, with the worst severity of each. */
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
  const code = toCode(row.code, row.source);
  return {
    id: row.id,
    service_id: row.service_id,
    client_id: row.client_id,
    severity: row.severity,
    status: row.status,
    message: row.message,
    raw_message: row.raw_message,
    code,
    fix_at: findFix({
      code,
      serviceId: row.service_id,
      clientId: row.client_id,
      resource: { type: row.resource_type, name: row.resource_name },
      service: { version: row.service_version, policies: row.service_policies },
    }),
    resource: { name: row.resource_name, type: row.resource_type, node_id: row.node_id },
    first_seen: row.first_seen.toISOString(),
    active_since: (row.active_since ?? row.first_seen).toISOString(),
    last_seen: row.last_seen.toISOString(),
    occurrence_count: row.occurrences,
    ...(row.suggested_fix === null ? {} : { suggested_fix: row.suggested_fix }),
    ...(row.resolved_at === null ? {} : { resolved_at: row.resolved_at.toISOString() }),
    ...(row.resolved_by === null ? {} : { resolved_by: row.resolved_by }),
  };
}
