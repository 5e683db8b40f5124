import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

export interface Passkey {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly isBackedUp: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/**
 * Stores a question to a browser: for a user who adds a passkey, or for nobody yet. Each insert also deletes some old
 * ones.
 */
export async function insertQuestion(
  db: Db,
  question: { hash: Buffer; userId: string | null; now: Date; expiresAt: Date },
): Promise<void> {
  await db
    .deleteFrom('passkey_questions')
    .where('hash', 'in', (eb) =>
      eb.selectFrom('passkey_questions').select('hash').where('expires_at', '<', question.now).limit(20),
    )
    .execute();
  await db
    .insertInto('passkey_questions')
    .values({ hash: question.hash, user_id: question.userId, expires_at: question.expiresAt })
    .execute();
}

/**
 * True once, and only for the user who was asked. Runs outside transactions: a refused answer spends the question too.
 */
export async function redeemQuestion(db: Db, hash: Buffer, userId: string | null, now: Date): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkey_questions')
    .where('hash', '=', hash)
    .where('user_id', 'is not distinct from', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(numDeletedRows) === 1;
}

/** undefined if the credential already exists, for any user. */
export async function insertPasskey(tx: Tx, passkey: Passkey): Promise<Passkey | undefined> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('passkeys')
    .values({
      id: passkey.id,
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      transports: [...passkey.transports],
      name: passkey.name,
      backed_up: passkey.isBackedUp,
      created_at: passkey.createdAt,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) === 1 ? passkey : undefined;
}

const selectPasskeys = (db: Db) => db.selectFrom('passkeys').selectAll();

export async function findPasskey(db: Db, credentialId: Buffer): Promise<Passkey | undefined> {
  const row = await selectPasskeys(db).where('credential_id', '=', credentialId).executeTakeFirst();
  return row && toPasskey(row);
}

/** The passkeys of one user; nobody has many. */
export async function listPasskeys(db: Db, userId: string): Promise<Passkey[]> {
  const rows = await selectPasskeys(db).where('user_id', '=', userId).orderBy('id').limit(100).execute();
  return rows.map(toPasskey);
}

/**
 * Records a use. False if another use reached the count first. A count of zero means that the device does not count.
 */
export async function countUse(
  tx: Tx,
  id: string,
  of: { signCount: number; isBackedUp: boolean; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('passkeys')
    .set({ sign_count: of.signCount, backed_up: of.isBackedUp, last_used_at: of.now })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('sign_count', '<', of.signCount),
        eb.and([eb('sign_count', '=', 0), eb(sql`${of.signCount}::bigint`, '=', 0)]),
      ]),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Number of active accounts with a passkey and without codes as an alternative. */
export async function countBoundToPasskeys(db: Db): Promise<number> {
  const { people } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('people'))
    .where('active', '=', true)
    .where(({ and, not, exists, selectFrom }) =>
      and([
        exists(selectFrom('passkeys').select('passkeys.id').whereRef('passkeys.user_id', '=', 'users.id')),
        not(
          exists(
            selectFrom('otp_enrolments')
              .select('otp_enrolments.user_id')
              .whereRef('otp_enrolments.user_id', '=', 'users.id')
              .where('confirmed_at', 'is not', null),
          ),
        ),
      ]),
    )
    .executeTakeFirstOrThrow();
  return people;
}

/** Serialises with a sign-in of this user. */
export async function lockOwner(tx: Tx, userId: string): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
}

interface OwnPasskey {
  readonly userId: string;
  readonly id: string;
}

const selectOwn = (db: Db, { userId, id }: OwnPasskey) =>
  selectPasskeys(db).where('user_id', '=', userId).where('id', '=', id);

export async function findOwnPasskey(db: Db, own: OwnPasskey): Promise<Passkey | undefined> {
  const row = await selectOwn(db, own).executeTakeFirst();
  return row && toPasskey(row);
}

/** Like `findOwnPasskey`, with a row lock. */
export async function lockOwnPasskey(tx: Tx, own: OwnPasskey): Promise<Passkey | undefined> {
  const row = await selectOwn(tx, own).forUpdate().executeTakeFirst();
  return row && toPasskey(row);
}

export async function renamePasskey(tx: Tx, passkey: Passkey, name: string): Promise<Passkey> {
  await tx.updateTable('passkeys').set({ name }).where('id', '=', passkey.id).execute();
  return { ...passkey, name };
}

export async function deletePasskey(tx: Tx, { id }: Passkey): Promise<void> {
  await tx.deleteFrom('passkeys').where('id', '=', id).execute();
}

function toPasskey(row: {
  id: string;
  user_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  sign_count: number;
  transports: string[];
  name: string;
  backed_up: boolean;
  created_at: Date;
  last_used_at: Date | null;
}): Passkey {
  return {
    id: row.id,
    userId: row.user_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    signCount: row.sign_count,
    transports: row.transports,
    name: row.name,
    isBackedUp: row.backed_up,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
