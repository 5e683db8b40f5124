import type { ShieldEvent } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** A finding of a filter, without what the request says of people: its path, its source and its identity stay here. */
export type FindingRow = Pick<
  ShieldEvent,
  | 'id'
  | 'service_id'
  | 'client_id'
  | 'request_id'
  | 'method'
  | 'host'
  | 'policy'
  | 'route'
  | 'engine'
  | 'reason'
  | 'severity'
  | 'verdict'
  | 'status'
  | 'digest'
> & { readonly time: Date };

/** Those of these findings that still exist, by id, after the given one. */
export async function listFindings(
  db: Db,
  projectId: string,
  { ids, after, limit }: { readonly ids: readonly string[]; readonly after: string | null; readonly limit: number },
): Promise<readonly FindingRow[]> {
  const { rows } = await sql<FindingRow>`
    select id, time, service_id, client_id, request_id, method, host, policy, route, engine, reason, severity, verdict, status,
      digest
    from shield_events where project_id = ${projectId} and id = any(${ids}::uuid[])
      and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${limit}`.execute(db);
  return rows;
}
