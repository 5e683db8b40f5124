import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { RealmOf } from './realm-state.ts';

/** Realms with people who are not marked as gone. */
export async function listPeopled(tx: Tx): Promise<RealmOf[]> {
  return tx
    .selectFrom('external_identities')
    .select(['realm', 'issuer'])
    .distinct()
    .where('gone_at', 'is', null)
    .execute();
}

export interface Leaver {
  readonly userId: string;
  readonly username: string;
  readonly realm: string;
}

/** Marks everybody of these realms as gone. Locks the identity before the account, like a sign-in. */
export async function markAllGone(tx: Tx, realms: readonly RealmOf[], now: Date): Promise<Leaver[]> {
  const marked = await tx
    .updateTable('external_identities')
    .set({ gone_at: sql<Date>`${now}::timestamptz` })
    .where('gone_at', 'is', null)
    .where(({ or, and }) => or(realms.map(({ realm, issuer }) => and({ realm, issuer }))))
    .returning(['user_id', 'realm'])
    .execute();
  const realmOf = new Map(marked.map(({ user_id, realm }) => [user_id, realm]));
  const users = await tx
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', sql<string>`any(${[...realmOf.keys()]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return users.map(({ id, username }) => ({ userId: id, username, realm: realmOf.get(id) ?? '' }));
}
