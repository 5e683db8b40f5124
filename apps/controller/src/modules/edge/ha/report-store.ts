import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { Rotation, StoredMember } from './tables.ts';

export interface NewReport {
  readonly clientId: string;
  readonly report: StoredMember;
  readonly now: Date;
}

/** The member that has reported. */
export interface Reporter {
  readonly clientId: string;
  readonly name: string;
  readonly pairId: string;
  readonly projectId: string;
  readonly pairSince: Date;
  readonly rotation: Rotation | null;
  readonly rotationRev: number | null;
}

/**
 * Stores the newest report of many members in one statement. Returns those members by client; reports of clients that are in no pair,
 * or in another one than they say, are left out. A daemon without a configuration says that it is in none.
 */
export async function storeReports(db: Db, reports: readonly NewReport[]): Promise<ReadonlyMap<string, Reporter>> {
  const given = reports.map(({ clientId, report, now }) => ({ id: clientId, pair_id: report.pair_id, report, now }));
  const { rows } = await sql<Reporter>`
    with s as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as s(id uuid, pair_id uuid, report jsonb, now timestamptz)
    ), reporting as materialized (
      select ha_members.client_id, clients.name, ha_pairs.id, ha_pairs.project_id, ha_pairs.created_at, rotation, rotation_rev
      from s join ha_members on ha_members.client_id = s.id join ha_pairs on ha_pairs.id = ha_members.pair_id
        join clients on clients.id = s.id
      where s.pair_id is null or s.pair_id = ha_pairs.id
    ), stored as (
      insert into ha_reports (client_id, report, reported_at)
      select s.id, s.report, s.now from s join reporting on reporting.client_id = s.id order by s.id
      on conflict (client_id) do update set report = excluded.report, reported_at = excluded.reported_at
    )
    select client_id as "clientId", name, id as "pairId", project_id as "projectId", created_at as "pairSince", rotation,
      rotation_rev as "rotationRev"
    from reporting`.execute(db);
  return new Map(rows.map((row) => [row.clientId, row]));
}

/** By member; 0 for one that has not reported. */
export async function listAppliedRevisions(
  db: Db,
  pairId: string,
): Promise<Array<{ readonly clientId: string; readonly revision: number }>> {
  const { rows } = await sql<{ clientId: string; revision: number }>`
    select ha_members.client_id as "clientId", case when ha_reports.report ->> 'pair_id' = ${pairId}
      then (ha_reports.report ->> 'config_rev_applied')::float8 else 0 end as revision
    from ha_members left join ha_reports on ha_reports.client_id = ha_members.client_id
    where ha_members.pair_id = ${pairId}`.execute(db);
  return rows;
}

/** The pairs whose members both say that they do not hear each other. */
export async function listDeafPairs(db: Db): Promise<Array<{ readonly id: string; readonly projectId: string }>> {
  const { rows } = await sql<{ id: string; projectId: string }>`
    select ha_pairs.id, ha_pairs.project_id as "projectId"
    from ha_reports join ha_members on ha_members.client_id = ha_reports.client_id join ha_pairs on ha_pairs.id = ha_members.pair_id
    where ha_reports.report ->> 'peer_ok' = 'false' and ha_reports.report ->> 'daemon' = 'running'
    group by ha_pairs.id having count(*) = 2`.execute(db);
  return rows;
}
