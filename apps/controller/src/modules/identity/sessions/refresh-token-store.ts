import type { Buffer } from 'node:buffer';
import type { Db, Tx } from '@flotilla/db';

/** The session of a current or replaced token, with its user. */
export async function findSessionOfToken(db: Db, digest: Buffer) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.kind', 'sessions.ended_at', 'sessions.expires_at', 'sessions.last_used_at'])
    .select(['sessions.created_at', 'users.id as user_id', 'users.username', 'users.is_owner', 'users.active'])
    .where((eb) =>
      eb.or([
        eb('sessions.refresh_hash', '=', digest),
        eb('sessions.id', '=', eb.selectFrom('spent_refresh_tokens').select('session_id').where('hash', '=', digest)),
      ]),
    )
    .executeTakeFirst();
}

/** Locks the session until the transaction ends. */
export async function lockRefreshedSession(tx: Tx, sessionId: string) {
  return tx
    .selectFrom('sessions')
    .select(['ended_at', 'expires_at', 'refresh_hash', 'refresh_sealed'])
    .where('id', '=', sessionId)
    .forUpdate()
    .executeTakeFirst();
}

export async function findSpentToken(tx: Tx, { sessionId, digest }: { sessionId: string; digest: Buffer }) {
  return tx
    .selectFrom('spent_refresh_tokens')
    .select('spent_at')
    .where('hash', '=', digest)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
}

interface Replacement {
  readonly sessionId: string;
  /** Digest of the previous token. */
  readonly spent: Buffer;
  readonly next: { readonly digest: Buffer; readonly encrypted: Buffer };
  readonly now: Date;
}

export async function replaceRefreshToken(tx: Tx, { sessionId, spent, next, now }: Replacement): Promise<void> {
  await tx.insertInto('spent_refresh_tokens').values({ hash: spent, session_id: sessionId, spent_at: now }).execute();
  await tx
    .updateTable('sessions')
    .set({ refresh_hash: next.digest, refresh_sealed: next.encrypted })
    .where('id', '=', sessionId)
    .execute();
}
