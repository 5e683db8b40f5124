import {
  fail,
  type Level,
  type PermissionBody,
  type PermissionView,
  type ResourceAccessMode,
  type ResourceKind,
} from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { COLLECTION_OF, TABLE_OF } from '../../../platform/auth/tables.ts';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';

export type Subject = PermissionBody['subject'];

const PERMISSIONS = new Records<PermissionRow, PermissionView, PermissionFilter>({
  kind: 'permission',
  table: 'permissions',
  sortable: { at: 'permissions.granted_at', level: 'permissions.level' },
  defaultSort: '-at',
  searched: ['users.username', 'groups.name', 'named.name'],
  filters: {
    kind: 'permissions.resource_kind',
    resource_id: 'permissions.resource_id',
    user_id: 'permissions.user_id',
    group_id: 'permissions.group_id',
    whole: sql`(permissions.resource_id is null)`,
  },
  toView,
});

/** Resources of every kind as rows with their names. */
const NAMED = sql<{
  kind: string;
  id: string;
  name: string;
  collection: string | null;
  version: string | null;
}>`lateral (
  select name, collection, version from documents where id = resource_id and resource_kind = 'document'
  union all select name, null, null from policies where id = resource_id and resource_kind = 'policy'
  union all select name, null, null from services where id = resource_id and resource_kind = 'service'
  union all select name, null, null from clients where id = resource_id and resource_kind = 'client')`;

function selectPermissions(db: Db, projectId: string) {
  return db
    .selectFrom('permissions')
    .leftJoin('users', 'users.id', 'permissions.user_id')
    .leftJoin('groups', 'groups.id', 'permissions.group_id')
    .leftJoin(NAMED.as('named'), (join) => join.onTrue())
    .selectAll('permissions')
    .select(['users.username', 'groups.name as group_name'])
    .select(['named.name as resource_name', 'named.collection', 'named.version'])
    .where('permissions.project_id', '=', projectId);
}

type PermissionRow = RowOf<typeof selectPermissions>;

function toView(row: PermissionRow): PermissionView {
  return {
    id: row.id,
    project: row.project_id,
    subject:
      row.user_id === null
        ? { kind: 'group', id: row.group_id ?? '', name: row.group_name ?? '' }
        : { kind: 'user', id: row.user_id, name: row.username ?? '' },
    resource: {
      kind: row.resource_kind,
      id: row.resource_id,
      name: row.resource_name,
      ...(row.collection !== null && { collection: row.collection }),
      ...(row.version !== null && { version: row.version }),
    },
    level: row.level,
    granted_by: row.granted_by,
    at: row.granted_at.toISOString(),
  };
}

export interface PermissionFilter extends SearchQuery {
  readonly kind?: readonly ResourceKind[] | undefined;
  readonly resource_id?: readonly string[] | undefined;
  readonly user_id?: readonly string[] | undefined;
  readonly group_id?: readonly string[] | undefined;
  readonly whole?: boolean | undefined;
}

export const listPermissions = (db: Db, projectId: string, filter: PermissionFilter) =>
  PERMISSIONS.list(selectPermissions(db, projectId), filter);

/** Throws record.not_found, also for a permission of another project. */
export const findPermission = (db: Db, projectId: string, id: string) =>
  PERMISSIONS.find(selectPermissions(db, projectId), id);

/** Throws record.not_found for a user who is not a member, and for a group of another project. */
export async function findSubject(db: Db, projectId: string, { kind, id }: Subject): Promise<string> {
  const row =
    kind === 'user'
      ? await db
          .selectFrom('memberships')
          .innerJoin('users', 'users.id', 'memberships.user_id')
          .select('users.username as name')
          .where('memberships.project_id', '=', projectId)
          .where('users.id', '=', id)
          .forShare('memberships')
          .executeTakeFirst()
      : await db
          .selectFrom('groups')
          .select('name')
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .forShare()
          .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind, name: id });
  return row.name;
}

/** Returns those ids that are resources of the type in the project, and locks them until the transaction ends. */
export async function lockResources(
  tx: Tx,
  projectId: string,
  { type, ids }: { type: ResourceType; ids: readonly string[] },
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(TABLE_OF[type.kind])} where project_id = ${projectId} and id = any(${[...ids]}::uuid[])
      ${type.collection === undefined ? sql`` : sql`and collection = ${type.collection}`}
    order by id for share`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** A kind of resources; for documents, optionally one collection. */
export interface ResourceType {
  readonly kind: ResourceKind;
  readonly collection?: string | undefined;
}

/** Parses a kind, its table name, or a collection of documents. undefined: unknown. */
export function toResourceType(name: string): ResourceType | undefined {
  for (const kind of Object.keys(TABLE_OF) as ResourceKind[])
    if (name === kind || name === TABLE_OF[kind]) return { kind };
  return COLLECTION_OF.has(name) ? { kind: 'document', collection: name } : undefined;
}

interface Grant {
  readonly id: string;
  readonly projectId: string;
  readonly subject: Subject;
  readonly resource: { readonly kind: ResourceKind; readonly id: string | null };
  readonly level: Level;
  readonly by: string;
  readonly at: Date;
}

/**
 * Replaces the subject's permission on the resource. Returns its id and the previous level, or null without one.
 */
export async function storePermission(tx: Tx, grant: Grant): Promise<{ id: string; before: Level | null }> {
  const { projectId, subject, resource, level } = grant;
  const before = await findGiven(tx, projectId, subject, resource);
  if (before?.level === level) return { id: before.id, before: level };
  const row = await tx
    .insertInto('permissions')
    .values({
      id: grant.id,
      project_id: projectId,
      resource_kind: resource.kind,
      resource_id: resource.id,
      user_id: subject.kind === 'user' ? subject.id : null,
      group_id: subject.kind === 'group' ? subject.id : null,
      level,
      granted_by: grant.by,
      granted_at: grant.at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'resource_kind', 'resource_id', 'user_id', 'group_id'])
        .doUpdateSet({ level, granted_by: grant.by, granted_at: grant.at }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id: row.id, before: before?.level ?? null };
}

export function findGiven(
  tx: Tx,
  projectId: string,
  subject: Subject,
  resource: Grant['resource'],
): Promise<{ id: string; level: Level } | undefined> {
  return tx
    .selectFrom('permissions')
    .select(['id', 'level'])
    .where('project_id', '=', projectId)
    .where('resource_kind', '=', resource.kind)
    .where('resource_id', resource.id === null ? 'is' : '=', resource.id)
    .where(subject.kind === 'user' ? 'user_id' : 'group_id', '=', subject.id)
    .forUpdate()
    .executeTakeFirst();
}

export async function deletePermission(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('permissions').where('id', '=', id).execute();
}

/** Increments the project's revision. */
export async function setResourceAccess(
  tx: Tx,
  projectId: string,
  access: ResourceAccessMode,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('projects')
    .set((eb) => ({ resource_access: access, updated_at: now, revision: eb('revision', '+', 1) }))
    .where('id', '=', projectId)
    .execute();
}
