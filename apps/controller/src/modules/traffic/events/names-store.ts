import type { TrafficFinding } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** Names of services and clients by id. An id that is missing was deleted, or the caller may not see it. */
export type Names = ReadonlyMap<string, string>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isId = (text: string) => UUID.test(text);

/** One query for all names of an answer. Texts that are no ids are left out. */
export async function readNames(
  db: Db,
  projectId: string,
  { services = [], clients = [] }: { readonly services?: Iterable<string>; readonly clients?: Iterable<string> },
): Promise<Names> {
  const [serviceIds, clientIds] = [services, clients].map((ids) => [...new Set(ids)].filter(isId)) as [
    string[],
    string[],
  ];
  if (serviceIds.length === 0 && clientIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from services where project_id = ${projectId} and id = any(${serviceIds}::uuid[])
    union all select id, name from clients where project_id = ${projectId} and id = any(${clientIds}::uuid[])`.execute(
    db,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The services that `db` shows: those that a member of a restricted project may see. */
export async function listSeenServices(db: Db, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from services where project_id = ${projectId}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The most findings of one request in an answer. */
const FINDINGS_MAX = 20;

/** The findings of the filter about these requests, oldest first, by the id of the request. */
export async function readFindings(
  db: Db,
  projectId: string,
  requestIds: Iterable<string>,
): Promise<ReadonlyMap<string, readonly TrafficFinding[]>> {
  const ids = [...new Set(requestIds)].filter(isId);
  const findings = new Map<string, TrafficFinding[]>();
  if (ids.length === 0) return findings;
  const { rows } = await sql<Omit<TrafficFinding, 'time'> & { request_id: string; time: Date }>`
    select found.* from unnest(${ids}::text[]) as wanted (request_id) cross join lateral (
      select id, request_id, time, policy, engine, reason, severity, verdict, status from shield_events
      where project_id = ${projectId} and request_id = wanted.request_id and request_id <> ''
      order by time, id limit ${FINDINGS_MAX}
    ) as found`.execute(db);
  for (const { request_id, time, ...finding } of rows) {
    const list = findings.get(request_id) ?? [];
    findings.set(request_id, list);
    list.push({ ...finding, time: time.toISOString() });
  }
  return findings;
}
