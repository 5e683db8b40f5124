import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** A person who can act here without a new sign-in at the directory. */
export interface Present {
  readonly userId: string;
  readonly username: string;
  readonly subject: string;
  /** Time of the last sign-in there when the person was listed. */
  readonly seenAt: Date;
  /** Whether the person was already known to be gone. */
  readonly isGone: boolean;
}

/**
 * Active accounts of a realm with a session, a token secret or a passkey: each of these works without a new sign-in at
 * the directory.
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
 * Locks the account unless the person has signed in at the directory since they were listed, in which case the finding
 * is outdated. Compares sign-in times, so clocks do not matter. Returns since when the person is gone.
 */
export async function lockUnseen(
  tx: Tx,
  { userId, subject, seenAt }: Present,
): Promise<{ goneAt: Date | null } | undefined> {
  // Locks in the same order as a sign-in.
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

export async function setMissing(tx: Tx, userId: string, at: Date | null): Promise<void> {
  await tx
    .updateTable('external_identities')
    .set({ gone_at: sql<Date | null>`${at}::timestamptz` })
    .where('user_id', '=', userId)
    .execute();
}
