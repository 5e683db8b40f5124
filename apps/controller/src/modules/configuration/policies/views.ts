import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { PolicyRow } from './store.ts';

/** The policies with these names; unknown names are missing. */
export async function findPolicies(db: Db, project: string, names: readonly string[]): Promise<PolicyRow[]> {
  if (names.length === 0) return [];
  return db.selectFrom('policies').selectAll().where('project_id', '=', project).where('name', 'in', names).execute();
}

/** Services that use this policy, each with all its policies in order. */
export async function findPolicyUsers(db: Db, project: string, name: string) {
  const { rows } = await sql<{ id: string; name: string; policies: string[] }>`
    select r.from_id as id, r.from_name as name, array_agg(r.to_name order by r.path) as policies
    from document_references r
    where r.project_id = ${project} and r.from_collection = 'services' and r.to_collection = 'policies'
      and r.from_id in (
        select from_id from document_references
        where project_id = ${project} and version = '' and to_collection = 'policies' and to_name = ${name}
      )
    group by 1, 2 order by 2
  `.execute(db);
  return rows;
}
