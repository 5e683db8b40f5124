import { fail, type GroupMemberView, type GroupView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';

const GROUPS = new Records<GroupRow, GroupView>({
  kind: 'group',
  table: 'groups',
  sortable: { name: sql`lower(groups.name)`, created_at: 'groups.created_at', updated_at: 'groups.updated_at' },
  defaultSort: 'name',
  searched: ['groups.name', 'groups.description'],
  toView,
});
const MEMBERS = new Rows<{ id: string; username: string; added_at: Date }, GroupMemberView>({
  id: 'users.id',
  sortable: { username: sql`lower(users.username)`, since: 'group_members.added_at' },
  defaultSort: 'username',
  searched: ['users.username'],
  toView: ({ id, username, added_at }) => ({ user_id: id, username, since: added_at.toISOString() }),
});

function selectGroups(db: Db, projectId: string) {
  return db
    .selectFrom('groups')
    .selectAll('groups')
    .select((eb) =>
      eb
        .selectFrom('group_members')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('group_members.group_id', '=', 'groups.id')
        .as('member_count'),
    )
    .where('groups.project_id', '=', projectId);
}

type GroupRow = RowOf<typeof selectGroups>;

function toView(row: GroupRow): GroupView {
  return {
    id: row.id,
    project: row.project_id,
    name: row.name,
    description: row.description,
    is_default: row.is_default,
    member_count: row.member_count ?? 0,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    revision: row.revision,
  };
}

export const listGroups = (db: Db, projectId: string, query: SearchQuery) =>
  GROUPS.list(selectGroups(db, projectId), query);

/** Throws record.not_found, also for a group of another project. */
export const findGroup = (db: Db, projectId: string, id: string) => GROUPS.find(selectGroups(db, projectId), id);

/** Like `findGroup`, with a lock until the transaction ends. */
export const lockGroup = (tx: Tx, projectId: string, id: string) => GROUPS.lock(selectGroups(tx, projectId), id);

export interface GroupValues {
  readonly name: string;
  readonly description: string | null;
}

export async function insertGroup(
  tx: Tx,
  { id, projectId, now }: { id: string; projectId: string; now: Date },
  values: GroupValues & { readonly is_default?: true },
): Promise<void> {
  const row = { id, project_id: projectId, ...values, created_at: now, updated_at: now };
  await GROUPS.refuseSameName(values.name, () => tx.insertInto('groups').values(row).execute());
}

export async function updateGroup(tx: Tx, group: GroupView, values: Partial<GroupValues>, now: Date): Promise<void> {
  await GROUPS.refuseSameName(values.name ?? group.name, () =>
    tx
      .updateTable('groups')
      .set((eb) => ({ ...values, updated_at: now, revision: eb('revision', '+', 1) }))
      .where('id', '=', group.id)
      .execute(),
  );
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('groups').where('id', '=', id).execute();
}

export function listGroupMembers(db: Db, groupId: string, query: SearchQuery) {
  const select = db
    .selectFrom('group_members')
    .innerJoin('users', 'users.id', 'group_members.user_id')
    .select(['users.id', 'users.username', 'group_members.added_at'])
    .where('group_members.group_id', '=', groupId);
  return MEMBERS.list(select, query);
}

/** Returns the user's name. Throws record.not_found for anyone who is not a member of the project. */
export async function findProjectMember(tx: Tx, projectId: string, userId: string): Promise<string> {
  const row = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.username')
    .where('memberships.project_id', '=', projectId)
    .where('memberships.user_id', '=', userId)
    // Waits for a member who is leaving at this moment, who is then not found.
    .forUpdate('memberships')
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'member', name: userId });
  return row.username;
}

/** False if the user was already in the group; nothing changes then. */
export async function insertGroupMember(
  tx: Tx,
  { id, project }: GroupView,
  userId: string,
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('group_members')
    .values({ project_id: project, group_id: id, user_id: userId, added_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** False if the user was not in the group. */
export async function deleteGroupMember(tx: Tx, groupId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('group_members')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}
