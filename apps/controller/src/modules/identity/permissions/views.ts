import {
  fail,
  type Level,
  type ListedResource,
  type ReachView,
  type ResourceAccessMode,
  type ResourceKind,
  type Role,
  SELECTION_MAX,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { TABLE_OF } from '../../../platform/auth/tables.ts';
import { containing, matchesText } from '../../../platform/database/paging.ts';
import { Rows, type SearchQuery } from '../../../platform/database/records.ts';
import type { ResourceType, Subject } from './store.ts';

const RESOURCES = new Rows<ResourceRow, ListedResource>({
  sortable: { name: sql`lower(things.name)` },
  defaultSort: 'name',
  id: 'things.id',
  // Matches the expression of the index on names.
  searched: (text) => sql`lower(things.name) like lower(${containing(text)}::text)`,
  toView: (row) => ({ ...toPlace(row), permissions: row.permissions }),
});
const REACH = new Rows<ReachRow, ReachView>({
  sortable: { username: sql`lower(users.username)` },
  defaultSort: 'username',
  id: 'users.id',
  searched: ['users.username'],
  toView: toReach,
});

interface ThingRow {
  id: string;
  name: string;
  collection: string | null;
  version: string | null;
}

/** Resources of a kind by name; for documents, optionally of one collection. */
function selectThings(db: Db, projectId: string, { kind, collection }: ResourceType) {
  const place = kind === 'document' ? sql`collection, version` : sql`null::text as collection, null::text as version`;
  const things = sql<ThingRow>`(select id, name, ${place} from ${sql.table(TABLE_OF[kind])}
    where project_id = ${projectId} ${collection === undefined ? sql`` : sql`and collection = ${collection}`})`;
  return db.selectFrom(things.as('things')).selectAll('things');
}

const toPlace = ({ id, name, collection, version }: ThingRow) => ({
  id,
  name,
  ...(collection !== null && { collection }),
  ...(version !== null && { version }),
});

interface ResourceRow extends ThingRow {
  permissions: ListedResource['permissions'];
}

export interface ResourcesQuery extends SearchQuery {
  readonly kind: ResourceKind;
  /** Only permissions of these members and groups. */
  readonly subject_id?: readonly string[] | undefined;
}

export async function listResources(db: Db, projectId: string, query: ResourcesQuery) {
  const ids = query.subject_id && [...query.subject_id];
  const ofSubjects = ids ? sql`and (p.user_id = any(${ids}::uuid[]) or p.group_id = any(${ids}::uuid[]))` : sql``;
  const select = selectThings(db, projectId, query).select(
    sql<
      ResourceRow['permissions']
    >`(select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'level', p.level, 'subject',
        case when p.user_id is null then jsonb_build_object('kind', 'group', 'id', p.group_id)
          else jsonb_build_object('kind', 'user', 'id', p.user_id) end) order by p.id), '[]'::jsonb)
      from permissions p where p.project_id = ${projectId} and p.resource_kind = ${query.kind}
        and p.resource_id = things.id ${ofSubjects})`.as('permissions'),
  );
  return RESOURCES.list(select, query);
}

/** The resources that can be granted to a subject, with its current permissions. */
export async function readSelection(
  db: Db,
  projectId: string,
  { subject, type, q }: { subject: Subject; type: ResourceType; q: string | undefined },
) {
  const owner = sql.ref(subject.kind === 'user' ? 'p.user_id' : 'p.group_id');
  let select = selectThings(db, projectId, type).select(
    sql<Level | null>`(select p.level from permissions p where p.project_id = ${projectId}
      and p.resource_kind = ${type.kind} and p.resource_id = things.id and ${owner} = ${subject.id})`.as('level'),
  );
  if (q) select = select.where(matchesText(['things.name', 'things.collection'], q));
  const rows = await select
    .orderBy(sql`lower(things.name)`)
    .orderBy('things.id')
    .limit(SELECTION_MAX + 1)
    .execute();
  const shown = rows.slice(0, SELECTION_MAX);
  return {
    all: shown.map(toPlace),
    selected: shown.flatMap((row) => (row.level === null ? [] : [{ ...toPlace(row), level: row.level }])),
    truncated: rows.length > SELECTION_MAX,
  };
}

interface ReachRow {
  user_id: string;
  username: string;
  role: Role;
  is_listed: boolean;
  is_owner: boolean;
  given: { level: Level; by: 'user' | 'group' | 'kind' }[];
}

const RANK: Readonly<Record<Level, number>> = { view: 0, use: 1, change: 2 };

/** Throws record.not_found if the resource does not exist in the project. */
export async function listReach(
  db: Db,
  projectId: string,
  { kind, resourceId, ...query }: SearchQuery & { readonly kind: ResourceKind; readonly resourceId: string },
) {
  const thing = await selectThings(db, projectId, { kind }).where('things.id', '=', resourceId).executeTakeFirst();
  if (!thing) throw fail('record.not_found', { kind, name: resourceId });
  const select = db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('projects', 'projects.id', 'memberships.project_id')
    .select(['users.id as user_id', 'users.username', 'users.is_owner', 'memberships.role'])
    .select(sql<boolean>`projects.resource_access = 'listed'`.as('is_listed'))
    .select(
      sql<ReachRow['given']>`(select coalesce(jsonb_agg(jsonb_build_object('level', p.level, 'by',
          case when p.resource_id is null then 'kind' when p.user_id is null then 'group' else 'user' end)), '[]'::jsonb)
        from permissions p where p.project_id = ${projectId} and p.resource_kind = ${kind}
          and (p.resource_id = ${resourceId} or p.resource_id is null)
          and (p.user_id = users.id or p.group_id in (select g.group_id from group_members g
            where g.project_id = ${projectId} and g.user_id = users.id)))`.as('given'),
    )
    .where('memberships.project_id', '=', projectId);
  return REACH.list(select, query);
}

/** The role limits the level of every permission. */
function toReach({ user_id, username, role, is_listed, is_owner, given }: ReachRow): ReachView {
  const ceiling: Level = role === 'viewer' && !is_owner ? 'view' : 'change';
  if (!is_listed || is_owner || role === 'owner' || role === 'admin')
    return { user_id, username, role, level: ceiling, by: ['role'] };
  const best = given.reduce<Level | null>(
    (most, { level }) => (most && RANK[most] >= RANK[level] ? most : level),
    null,
  );
  const level = best && RANK[best] > RANK[ceiling] ? ceiling : best;
  return { user_id, username, role, level, by: [...new Set(given.map(({ by }) => by))].toSorted() };
}

/** Whether the project is open to its members or restricted by permissions. */
export async function readAccess(
  db: Db,
  projectId: string,
): Promise<{ readonly name: string; readonly resource_access: ResourceAccessMode }> {
  return db
    .selectFrom('projects')
    .select(['name', 'resource_access'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
}
