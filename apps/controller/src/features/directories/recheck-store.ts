import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** Somebody who could do something here without the directory being asked. */
export interface Present {
  readonly userId: string;
  readonly username: string;
  readonly subject: string;
  /** The last sign-in there, as it was then. */
  readonly seenAt: Date;
  /** Whether that was known before. */
  readonly isGone: boolean;
}

/**
 * Accounts of a realm that are on, with a session, a secret of a token or a passkey: by each of them something can be done here
 * with no new sign-in at the directory.
 */
export async function listPresent(db: Db, realm: string, now: Date): Promise<Present[]> {
  const rows = await db
    .selectFrom('external_identities')
    .innerJoin('users', 'users.id', 'external_identities.user_id')
    .select([
      'users.id',
      'users.username',
      'external_identities.subject',
      'external_identities.last_seen_at',
      'external_identities.gone_at',
    ])
    .where('external_identities.realm', '=', realm)
    .where('users.active', '=', true)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('sessions')
            .select('sessions.id')
            .whereRef('sessions.user_id', '=', 'users.id')
            .where('sessions.ended_at', 'is', null)
            .where('sessions.expires_at', '>', now),
        ),
        exists(
          selectFrom('token_secrets').select('token_secrets.id').whereRef('token_secrets.issued_to', '=', 'users.id'),
        ),
        exists(selectFrom('passkeys').select('passkeys.id').whereRef('passkeys.user_id', '=', 'users.id')),
      ]),
    )
    .orderBy('users.id')
    .execute();
  return rows.map(({ id, username, subject, last_seen_at, gone_at }) => ({
    userId: id,
    username,
    subject,
    seenAt: last_seen_at,
    isGone: gone_at !== null,
  }));
}

/**
 * Locks the account, unless its owner has signed in at the directory since they were listed: then what was found of them is
 * old, whatever the clock of the controller says where they did. Returns since when it is gone from there.
 */
export async function lockUnseen(
  tx: Tx,
  { userId, subject, seenAt }: Present,
): Promise<{ goneAt: Date | null } | undefined> {
  // In the order in which a sign-in locks them.
  const row = await tx
    .selectFrom('external_identities')
    .select('gone_at')
    .where('user_id', '=', userId)
    .where('subject', '=', subject)
    .where('last_seen_at', '=', seenAt)
    .forUpdate()
    .executeTakeFirst();
  const user = await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirst();
  return row && user && { goneAt: row.gone_at };
}

export async function setGone(tx: Tx, userId: string, at: Date | null): Promise<void> {
  await tx
    .updateTable('external_identities')
    .set({ gone_at: sql<Date | null>`${at}::timestamptz` })
    .where('user_id', '=', userId)
    .execute();
}
