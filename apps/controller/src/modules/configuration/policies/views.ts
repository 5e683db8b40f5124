import type { Db } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import type { PolicyRow } from './store.ts';

/** The policies with these names; unknown names are missing. */
export async function findPolicies(db: Db, project: string, names: readonly string[]): Promise<PolicyRow[]> {
  if (names.length === 0) return [];
  return db.selectFrom('policies').selectAll().where('project_id', '=', project).where('name', 'in', names).execute();
}

/** Services that use this policy, each with all its policies in order. */
export function findPolicyUsers(db: Db, project: string, name: string): Promise<PolicyUsers[]> {
  return selectUsers(
    db,
    project,
    sql`and r.from_id in (
      select from_id from document_references
      where project_id = ${project} and version = '' and to_collection = 'policies' and to_name = ${name}
    )`,
  );
}

/** All services with policies. */
export function listPolicyUsers(db: Db, project: string): Promise<PolicyUsers[]> {
  return selectUsers(db, project, sql``);
}

/** A service and all its policies, in its order. */
interface PolicyUsers {
  readonly id: string;
  readonly name: string;
  readonly policies: string[];
}

async function selectUsers(db: Db, project: string, condition: RawBuilder<unknown>): Promise<PolicyUsers[]> {
  const { rows } = await sql<PolicyUsers>`
    select r.from_id as id, r.from_name as name, array_agg(r.to_name order by r.path) as policies
      from document_references r
      where r.project_id = ${project} and r.from_collection = 'services' and r.to_collection = 'policies'
      ${condition}
    group by 1, 2 order by 2
  `.execute(db);
  return rows;
}
