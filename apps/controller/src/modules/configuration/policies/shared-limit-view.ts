import type { Db } from '@flotilla/db';
import { type PolicyFile, writeEdges } from '@flotilla/policy';
import { sql } from 'kysely';
import { MAY_SHARE } from './analysis/shared-limits.ts';

/**
 * Files of a bundle that give the number of proxies for each of these policies with a shared limit: those to which a
 * service with the policy is deployed. Empty without shared limits, so that the bundle does not change with the number
 * of proxies.
 */
export async function listEdgesFiles(db: Db, project: string, names: readonly string[]): Promise<PolicyFile[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<{ name: string; edges: number }>`
    select wanted.name, count(*)::int as edges
    from unnest(${names}::text[]) as wanted(name)
    join services s on s.project_id = ${project} and wanted.name = any(s.policies)
    join service_targets t on t.service_id = s.id and t.deployed
    group by 1
  `.execute(db);
  const counted = new Map(rows.map(({ name, edges }) => [name, edges]));
  return [writeEdges(new Map(names.map((name) => [name, counted.get(name) ?? 1])))];
}

/** Services whose number of proxies in the bundle may have changed after a change of services or clients. */
export async function listSharingServices(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct s.id from services s
    join policies p on p.project_id = s.project_id and p.name = any(s.policies) and p.text ~ ${MAY_SHARE}
  `.execute(db);
  return rows.map(({ id }) => id);
}
