import type { Role } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** Ids of the members of the project by these user names; who is none has none. */
export async function findMembers(tx: Tx, project: string, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.username'])
    .where('m.project_id', '=', project)
    .where('u.username', 'in', [...new Set(names)])
    .execute();
  return new Map(rows.map(({ id, username }) => [username, id]));
}

interface Account {
  readonly username: string;
  readonly isOwner: boolean;
  /** In the project; null: no member. */
  readonly role: Role | null;
}

/** Accounts by their ids. */
export async function findAccounts(tx: Tx, project: string, ids: readonly string[]): Promise<Map<string, Account>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('users as u')
    .leftJoin('memberships as m', (join) => join.onRef('m.user_id', '=', 'u.id').on('m.project_id', '=', project))
    .select(['u.id', 'u.username', 'u.is_owner', 'm.role'])
    .where('u.id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, username, is_owner: isOwner, role }) => [id, { username, isOwner, role }]));
}

export interface GroupHere {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly revision: number;
  /** Whoever becomes a member of the project is in it. */
  readonly isDefault: boolean;
  /** User ids. */
  readonly members: ReadonlySet<string>;
}

/** Groups of the project by these names, in small letters, whose case does not count. */
export async function findGroups(tx: Tx, project: string, names: readonly string[]): Promise<Map<string, GroupHere>> {
  if (names.length === 0) return new Map();
  const rows = await tx
    .selectFrom('groups')
    .select(['id', 'name', 'description', 'revision', 'is_default as isDefault'])
    .select((eb) =>
      eb
        .selectFrom('group_members')
        .select(sql<string[]>`coalesce(array_agg(group_members.user_id::text), '{}')`.as('members'))
        .whereRef('group_members.group_id', '=', 'groups.id')
        .as('members'),
    )
    .where('project_id', '=', project)
    .where(sql`lower(name)`, 'in', [...new Set(names.map((name) => name.toLowerCase()))])
    .execute();
  return new Map(rows.map((row) => [row.name.toLowerCase(), { ...row, members: new Set(row.members ?? []) }]));
}
