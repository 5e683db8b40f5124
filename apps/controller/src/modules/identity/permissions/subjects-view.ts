import { LISTED_ROLES, type PermissionSubject } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import {
  executePage,
  type ListQuery,
  type ListRules,
  matchesText,
  parsePage,
} from '../../../platform/database/paging.ts';

const RULES: ListRules = {
  sortable: { kind: 'subjects.kind', name: sql`lower(subjects.name)` },
  // Lists groups first, because `group` sorts before `user`.
  defaultSort: 'kind,name',
  id: 'subjects.id',
};

interface SubjectsQuery extends ListQuery {
  readonly q?: string | undefined;
  readonly subject_id?: readonly string[] | undefined;
}

/** Lists everyone who can get permissions in the project: its members and groups. */
export async function listSubjects(db: Db, projectId: string, query: SubjectsQuery) {
  const subjects = sql<PermissionSubject>`(
    select 'group' as kind, id, name, null::text as role from groups where project_id = ${projectId}
    union all
    select 'user', users.id, users.username, memberships.role
    from memberships join users on users.id = memberships.user_id and not users.is_owner
    where memberships.project_id = ${projectId} and memberships.role = any(${[...LISTED_ROLES]}))`;
  let select = db.selectFrom(subjects.as('subjects')).selectAll('subjects');
  if (query.q) select = select.where(matchesText(['subjects.name'], query.q));
  if (query.subject_id) select = select.where('subjects.id', 'in', [...query.subject_id]);
  const { rows, next_cursor } = await executePage(select, parsePage(query, RULES));
  return { items: rows, next_cursor };
}
