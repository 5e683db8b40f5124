import type { TrafficBacklog } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

interface BacklogQuery {
  readonly service_id?: readonly string[] | undefined;
  readonly client_id?: readonly string[] | undefined;
}

interface BacklogRow extends Omit<TrafficBacklog, 'oldest_at' | 'reported_at'> {
  readonly oldest_at: Date | null;
  readonly reported_at: Date;
}

const LIMIT = 100;

/** The largest backlogs first, as the hosts reported them last, of the clients and services that `db` shows. */
export async function listBacklogs(db: Db, projectId: string, query: BacklogQuery): Promise<TrafficBacklog[]> {
  const { service_id: services = null, client_id: clients = null } = query;
  const { rows } = await sql<BacklogRow>`
    select services.id as service_id, services.name as service_name, clients.id as client_id, clients.name as client_name,
      spool.batches::float8 as batches, spool.bytes::float8 as bytes, spool.oldest_at,
      spool.dropped_batches::float8 as dropped_batches, client_stats.at as reported_at
    from clients join client_stats on client_stats.client_id = clients.id
      cross join lateral jsonb_to_recordset(client_stats.stats -> 'log_spools')
        as spool(service_id text, batches bigint, bytes bigint, oldest_at timestamptz, dropped_batches bigint)
      join services on services.id::text = spool.service_id and services.project_id = clients.project_id
    where clients.project_id = ${projectId} and spool.batches > 0
      and (${services}::uuid[] is null or services.id = any(${services}::uuid[]))
      and (${clients}::uuid[] is null or clients.id = any(${clients}::uuid[]))
    order by spool.batches desc, clients.id, services.id limit ${LIMIT}`.execute(db);
  return rows.map(({ oldest_at, reported_at, ...row }) => ({
    ...row,
    oldest_at: oldest_at?.toISOString() ?? null,
    reported_at: reported_at.toISOString(),
  }));
}
