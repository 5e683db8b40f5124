import type { Buffer } from 'node:buffer';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { type RawBuilder, sql } from 'kysely';

/**
 * The provider and the client of a refresh token: another client of the same provider cannot use it (RFC 6749, 5.2).
 */
export interface Giver {
  readonly issuer: string;
  readonly clientId: string;
}

/** A refresh token issued at a sign-in. The provider may replace the token, which is then encrypted again. */
export interface Grant {
  readonly userId: string;
  readonly id: string;
  readonly sealed: Buffer;
  /**
   * Since when the provider answers about others, but not for this token; null: no answer is missing. While it is set,
   * a refusal proves nothing, because a replacement token may have been lost.
   */
  readonly unansweredSince: Date | null;
}

type GrantKey = Pick<Grant, 'userId' | 'id'>;

/** Replaces the user's grant after a sign-in. */
export async function putGrant(
  tx: Tx,
  { userId, giver, sealed }: { readonly userId: string; readonly giver: Giver; readonly sealed: Buffer },
  now: Date,
): Promise<void> {
  const grant = {
    id: createId(now.getTime()),
    issuer: giver.issuer,
    client_id: giver.clientId,
    sealed_token: sealed,
    granted_at: now,
    asked_at: null,
  };
  await tx
    .insertInto('provider_grants')
    .values({ user_id: userId, ...grant })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(grant))
    .execute();
}

/** Grants of these users, by user id. */
export async function findGrants(
  db: Db,
  { issuer, clientId }: Giver,
  userIds: readonly string[],
): Promise<Map<string, Grant>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('provider_grants')
    .select(['user_id', 'id', 'sealed_token', 'asked_at'])
    .where('issuer', '=', issuer)
    .where('client_id', '=', clientId)
    .where('user_id', 'in', [...userIds])
    .execute();
  return new Map(
    rows.map(({ user_id: userId, id, sealed_token: sealed, asked_at: askedAt }) => [
      userId,
      { userId, id, sealed, unansweredSince: askedAt },
    ]),
  );
}

/** False if a sign-in has replaced the grant. */
export async function markAsked(db: Db, grant: GrantKey, now: Date): Promise<boolean> {
  return change(db, grant, { asked_at: sql<Date>`coalesce(asked_at, ${now}::timestamptz)` });
}

export async function markAnswered(db: Db, grant: GrantKey): Promise<void> {
  await change(db, grant, { asked_at: null });
}

/** Restarts the time of all unanswered grants, because the provider answered about nobody. */
export async function restartUnanswered(tx: Tx, { issuer, clientId }: Giver, now: Date): Promise<void> {
  await tx
    .updateTable('provider_grants')
    .set({ asked_at: now })
    .where('issuer', '=', issuer)
    .where('client_id', '=', clientId)
    .where('asked_at', 'is not', null)
    .execute();
}

/** Stores the replacement token. False if a sign-in has replaced the grant. */
export async function replaceToken(db: Db, grant: GrantKey, sealed: Buffer): Promise<boolean> {
  return change(db, grant, { sealed_token: sealed });
}

async function change(
  db: Db,
  { userId, id }: GrantKey,
  to: { readonly sealed_token?: Buffer; readonly asked_at?: RawBuilder<Date> | null },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('provider_grants')
    .set(to)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** False if a sign-in has replaced the grant. */
export async function deleteGrant(tx: Tx, { userId, id }: GrantKey): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('provider_grants')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(numDeletedRows) === 1;
}

/**
 * Deletes the grants of providers that are not asked any more, except those issued since `before`. Returns their
 * number.
 */
export async function deleteGrantsOfOthers(tx: Tx, asked: readonly Giver[], before: Date): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('provider_grants')
    .where('granted_at', '<', before)
    .where(({ not, or, and }) => not(or(asked.map(({ issuer, clientId }) => and({ issuer, client_id: clientId })))))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
