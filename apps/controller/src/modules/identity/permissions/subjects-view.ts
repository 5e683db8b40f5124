import { LISTED_ROLES, type PermissionSubject } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { Rows, type SearchQuery } from '../../../platform/database/records.ts';

const SUBJECTS = new Rows<PermissionSubject, PermissionSubject, SubjectsQuery>({
  id: 'subjects.id',
  sortable: { kind: 'subjects.kind', name: sql`lower(subjects.name)` },
  // Lists groups first, because `group` sorts before `user`.
  defaultSort: 'kind,name',
  searched: ['subjects.name'],
  filters: { subject_id: 'subjects.id' },
  toView: (row) => row,
});

interface SubjectsQuery extends SearchQuery {
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
  return SUBJECTS.list(db.selectFrom(subjects.as('subjects')).selectAll('subjects'), query);
}
