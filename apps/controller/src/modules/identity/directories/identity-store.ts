import type { Role } from '@flotilla/contract';
import { type Db, type Tx, uniqueViolationOf } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';

export interface Identity {
  /** `ldap`, or the issuer of a provider. */
  readonly issuer: string;
  /** The immutable id of the person there. */
  readonly subject: string;
}

export interface LinkedUser {
  readonly id: string;
  readonly username: string;
  readonly active: boolean;
}

/** Serialises sign-ins of one person: the second of two first sign-ins finds the account of the first. */
export async function lockIdentity(tx: Tx, { issuer, subject }: Identity): Promise<void> {
  const key = JSON.stringify(['identity', issuer, subject]);
  await takeLock(tx, key);
}

/**
 * Locks the person's account and records that it was seen there and is not gone. The local name may have changed.
 * `wasGone`: it was gone until now.
 */
export async function findLinkedUser(
  tx: Tx,
  { issuer, subject, realm }: Identity & { readonly realm: string },
  now: Date,
): Promise<(LinkedUser & { readonly wasGone: boolean }) | undefined> {
  const row = await tx
    .selectFrom('external_identities')
    .select(['user_id', 'gone_at'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  await tx
    .updateTable('external_identities')
    .set({ realm, last_seen_at: now, gone_at: null })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
  const user = await tx
    .selectFrom('users')
    .select(['id', 'username', 'active'])
    .where('id', '=', row.user_id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return user && { ...user, wasGone: row.gone_at !== null };
}

/** False if the name is taken by any account. */
export async function insertLinkedUser(
  tx: Tx,
  user: { id: string; username: string; email: string | null; realm: string } & Identity,
  now: Date,
): Promise<boolean> {
  const { id, username, email, realm, issuer, subject } = user;
  try {
    await tx
      .insertInto('users')
      .values({ id, username, email, password_hash: null, password_changed_at: now, created_at: now, updated_at: now })
      .execute();
  } catch (error) {
    if (uniqueViolationOf(error) === undefined) throw error;
    return false;
  }
  await tx
    .insertInto('external_identities')
    .values({ issuer, subject, user_id: id, realm, created_at: now, last_seen_at: now })
    .execute();
  return true;
}

export interface HeldRole {
  readonly projectId: string;
  readonly role: Role;
  /** The realm that gave the role; null: a person did. */
  readonly givenBy: string | null;
}

export async function listHeldRoles(tx: Tx, userId: string): Promise<HeldRole[]> {
  const rows = await tx
    .selectFrom('memberships')
    .select(['project_id', 'role', 'given_by'])
    .where('user_id', '=', userId)
    .forUpdate()
    .execute();
  return rows.map(({ project_id, role, given_by }) => ({ projectId: project_id, role, givenBy: given_by }));
}

/** Does nothing if the project no longer exists. */
export async function giveRole(
  tx: Tx,
  userId: string,
  { projectId, role, realm }: { projectId: string; role: Role; realm: string },
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('memberships')
    .columns(['project_id', 'user_id', 'role', 'created_at', 'given_by'])
    .expression((eb) =>
      eb
        .selectFrom('projects')
        .select([
          'projects.id',
          sql.val(userId).as('user_id'),
          sql<Role>`${role}`.as('role'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
          sql.val(realm).as('given_by'),
        ])
        .where('projects.id', '=', projectId),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'user_id'])
        .doUpdateSet({ role, given_by: realm })
        .where('memberships.given_by', 'is not', null),
    )
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) === 1;
}

export async function takeRole(tx: Tx, userId: string, projectId: string): Promise<void> {
  await tx
    .deleteFrom('memberships')
    .where('user_id', '=', userId)
    .where('project_id', '=', projectId)
    .where('given_by', 'is not', null)
    .execute();
}

export async function findIdentityOf(db: Db, userId: string): Promise<{ subject: string; realm: string } | undefined> {
  return db
    .selectFrom('external_identities')
    .select(['subject', 'realm'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** The realm of the account; undefined: local. */
export async function findRealmOf(db: Db, userId: string): Promise<string | undefined> {
  return (await findIdentityOf(db, userId))?.realm;
}

export async function isSessionSince(db: Db, sessionId: string, since: Date): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('created_at', '>=', since)
    .executeTakeFirst();
  return row !== undefined;
}
