import type { Db, Tx } from '@flotilla/db';
import { SESSION_USER_COLUMNS, type SessionUser, toSessionUser } from '../sessions/index.ts';

/** Code attempts per challenge. */
const ATTEMPTS_MAX = 5;

type FirstFactor = 'password' | 'passkey' | 'ldap' | 'oidc';

/** A sign-in that waits for its second factor. */
export interface Challenge {
  readonly hash: Buffer;
  readonly userId: string;
  readonly primary: FirstFactor;
  /** The encrypted authenticator that is being set up. */
  readonly encryptedSetUp: Buffer | null;
  readonly createdAt: Date;
}

const COLUMNS = ['id_hash', 'user_id', 'primary_kind', 'sealed_set_up', 'created_at'] as const;

/** Stores the challenge and deletes a few expired ones, so that the table stays small. */
export async function insertChallenge(
  db: Db,
  challenge: { hash: Buffer; userId: string; primary: FirstFactor; now: Date; expiresAt: Date },
): Promise<void> {
  await db
    .deleteFrom('sign_in_challenges')
    .where('id_hash', 'in', (eb) =>
      eb.selectFrom('sign_in_challenges').select('id_hash').where('expires_at', '<', challenge.now).limit(20),
    )
    .execute();
  await db
    .insertInto('sign_in_challenges')
    .values({
      id_hash: challenge.hash,
      user_id: challenge.userId,
      primary_kind: challenge.primary,
      sealed_set_up: null,
      created_at: challenge.now,
      expires_at: challenge.expiresAt,
    })
    .execute();
}

/** Counts an attempt before it is made, outside any transaction: concurrent codes gain nothing. */
export async function tryChallenge(db: Db, hash: Buffer, now: Date): Promise<Challenge | undefined> {
  const row = await db
    .updateTable('sign_in_challenges')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id_hash', '=', hash)
    .where('expires_at', '>', now)
    .where('attempts', '<', ATTEMPTS_MAX)
    .returning(COLUMNS)
    .executeTakeFirst();
  return row && toChallenge(row);
}

export async function lockChallenge(tx: Tx, hash: Buffer, now: Date): Promise<Challenge | undefined> {
  const row = await tx
    .selectFrom('sign_in_challenges')
    .select(COLUMNS)
    .where('id_hash', '=', hash)
    .where('expires_at', '>', now)
    .where('attempts', '<', ATTEMPTS_MAX)
    .forUpdate()
    .executeTakeFirst();
  return row && toChallenge(row);
}

export async function keepSetUp(tx: Tx, hash: Buffer, encryptedSetUp: Buffer): Promise<void> {
  await tx
    .updateTable('sign_in_challenges')
    .set({ sealed_set_up: encryptedSetUp })
    .where('id_hash', '=', hash)
    .execute();
}

/** False if another request was first. */
export async function deleteChallenge(tx: Tx, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('sign_in_challenges').where('id_hash', '=', hash).executeTakeFirst();
  return Number(numDeletedRows) === 1;
}

/**
 * Locks the user row; undefined if the account is disabled, was removed from its directory, or has a password that
 * changed after `since`. The lock makes a concurrently added factor visible here, or lets it end this session.
 */
export async function lockActiveUser(tx: Tx, userId: string, since: Date): Promise<SessionUser | undefined> {
  const row = await tx
    .selectFrom('users')
    .select(SESSION_USER_COLUMNS)
    .where('id', '=', userId)
    .where('active', '=', true)
    .where('password_changed_at', '<=', since)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  // Checked under the lock: before it, a person who is being signed out would still look active.
  const gone = await tx
    .selectFrom('external_identities')
    .select('subject')
    .where('user_id', '=', userId)
    .where('gone_at', 'is not', null)
    .executeTakeFirst();
  return gone ? undefined : toSessionUser(row);
}

function toChallenge(row: {
  id_hash: Buffer;
  user_id: string;
  primary_kind: FirstFactor;
  sealed_set_up: Buffer | null;
  created_at: Date;
}): Challenge {
  return {
    hash: row.id_hash,
    userId: row.user_id,
    primary: row.primary_kind,
    encryptedSetUp: row.sealed_set_up,
    createdAt: row.created_at,
  };
}
