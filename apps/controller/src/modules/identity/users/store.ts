import { LOCAL_REALM, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';
import type { Membership, User } from './model.ts';

/** The realm in which the account signs in. */
const REALM = sql<string>`coalesce(
  (select realm from external_identities where external_identities.user_id = users.id), ${sql.lit(LOCAL_REALM)})`;

const USERS = new Records<UserRow, User, UserFilter>({
  kind: 'user',
  table: 'users',
  sortable: { username: sql`lower(users.username)`, created_at: 'users.created_at', updated_at: 'users.updated_at' },
  defaultSort: 'username',
  searched: ['users.username', 'users.email'],
  filters: { realm: REALM, active: 'users.active', isOwner: 'users.is_owner' },
  toView: toUser,
});

export interface UserFilter extends SearchQuery {
  readonly projectId: string | undefined;
  readonly active?: boolean | undefined;
  readonly isOwner?: boolean | undefined;
  readonly role?: readonly Role[] | undefined;
  readonly realm?: readonly string[] | undefined;
}

/** Reads all memberships in the same query. */
function selectUsers(db: Db) {
  return db.selectFrom('users').select((eb) => [
    'users.id',
    'users.username',
    'users.email',
    'users.is_owner',
    'users.active',
    'users.created_at',
    'users.updated_at',
    'users.revision',
    'users.home_project',
    eb.selectFrom('projects').select('name').whereRef('projects.id', '=', 'users.home_project').as('home_project_name'),
    REALM.as('realm'),
    eb
      .selectFrom('memberships')
      .innerJoin('projects', 'projects.id', 'memberships.project_id')
      .select(
        sql<Membership[]>`coalesce(json_agg(json_build_object('projectId', projects.id, 'projectName', projects.name,
          'role', memberships.role) order by projects.name), '[]')`.as('list'),
      )
      .whereRef('memberships.user_id', '=', 'users.id')
      .as('memberships'),
  ]);
}

type UserRow = RowOf<typeof selectUsers>;

function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    isOwner: row.is_owner,
    active: row.active,
    realm: row.realm,
    memberships: row.memberships ?? [],
    home: row.home_project === null ? undefined : { id: row.home_project, name: row.home_project_name ?? '' },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

export function listUsers(db: Db, filter: UserFilter) {
  const { projectId, role } = filter;
  let query = selectUsers(db);
  if (projectId !== undefined && !role) query = query.where(belongsTo(projectId));
  if (role) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('memberships')
          .select('memberships.user_id')
          .whereRef('memberships.user_id', '=', 'users.id')
          .$if(projectId !== undefined, (place) => place.where('memberships.project_id', '=', projectId ?? ''))
          .where('memberships.role', 'in', [...role]),
      ),
    );
  }
  return USERS.list(query, filter);
}

/** With all memberships. Throws record.not_found. */
export const findUser = (db: Db, id: string) => USERS.find(selectUsers(db), id);

/**
 * With `projectId`, finds only its members and accounts whose home it is. The condition is part of the query, so that a
 * foreign account takes the same time as an unknown name.
 */
export async function findUserByName(
  db: Db,
  username: string,
  projectId: string | undefined,
): Promise<User | undefined> {
  const row = await selectUsers(db)
    .where((eb) => eb(eb.fn('lower', ['users.username']), '=', username.toLowerCase()))
    .$if(projectId !== undefined, (query) => query.where(belongsTo(projectId ?? '')))
    .executeTakeFirst();
  return row && toUser(row);
}

function belongsTo(projectId: string) {
  return sql<boolean>`(users.home_project = ${projectId} or exists (
    select from memberships where memberships.user_id = users.id and memberships.project_id = ${projectId}))`;
}

/** Serialises changes of the installation's owners until the transaction ends. */
export async function lockOwners(tx: Tx): Promise<void> {
  await takeLock(tx, 'installation owners');
}

/** Locks the user, and the installation's owners, until the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<User> {
  await lockOwners(tx);
  await tx.selectFrom('users').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return findUser(tx, id);
}

/** Whether an owner of the installation who can sign in remains, not counting `besides`. Call it under `lockOwners`. */
export async function hasOwner(tx: Tx, besides?: string): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('is_owner', '=', true)
    .where('active', '=', true)
    .$if(besides !== undefined, (query) => query.where('id', '!=', besides ?? ''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('external_identities')
            .select('user_id')
            .whereRef('external_identities.user_id', '=', 'users.id')
            .where('gone_at', 'is not', null),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface UserValues {
  readonly username: string;
  readonly email: string | null;
  readonly is_owner: boolean;
  readonly active: boolean;
  readonly password_hash?: string;
  readonly home_project: string | null;
}

/** The creator chooses the password; the user must change it first. */
export async function insertUser(
  tx: Tx,
  id: string,
  values: UserValues & { password_hash: string },
  now: Date,
): Promise<void> {
  await USERS.refuseSameName(values.username, () =>
    tx
      .insertInto('users')
      .values({ id, ...values, password_changed_at: now, must_change_password: true, created_at: now, updated_at: now })
      .execute(),
  );
}

export async function updateUser(tx: Tx, id: string, values: Partial<UserValues>, now: Date): Promise<void> {
  await USERS.refuseSameName(values.username ?? '', () =>
    tx
      .updateTable('users')
      .set((eb) => ({
        ...values,
        ...(values.password_hash && { password_changed_at: now, must_change_password: true }),
        updated_at: now,
        revision: eb('revision', '+', 1),
      }))
      .where('id', '=', id)
      .execute(),
  );
}

export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

export async function putMembership(tx: Tx, userId: string, to: { projectId: string; role: Role }, now: Date) {
  await tx
    .insertInto('memberships')
    .values({ project_id: to.projectId, user_id: userId, role: to.role, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'user_id']).doUpdateSet({ role: to.role, given_by: null }),
    )
    .execute();
}

/** False, without a change, if the account is already a member, was renamed, or is an owner of the installation. */
export async function insertMembership(
  tx: Tx,
  { id, username }: Pick<User, 'id' | 'username'>,
  to: { projectId: string; role: Role },
  now: Date,
): Promise<boolean> {
  const same = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('username', '=', username)
    .where('is_owner', '=', false)
    .forShare()
    .executeTakeFirst();
  if (!same) return false;
  const inserted = await tx
    .insertInto('memberships')
    .values({ project_id: to.projectId, user_id: id, role: to.role, created_at: now })
    .onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function deleteMembership(tx: Tx, userId: string, projectId: string): Promise<void> {
  await tx.deleteFrom('memberships').where('user_id', '=', userId).where('project_id', '=', projectId).execute();
}

/** Returns those ids that are projects. */
export async function findProjectIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('projects').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}
