import { OTP_SETTINGS, SIGN_IN_SETTINGS } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';

export interface Enrolment {
  readonly encryptedSecret: Buffer;
  readonly isConfirmed: boolean;
}

export async function findEnrolment(db: Db | Tx, userId: string): Promise<Enrolment | undefined> {
  const row = await db
    .selectFrom('otp_enrolments')
    .select(['sealed_secret', 'confirmed_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && { encryptedSecret: row.sealed_secret, isConfirmed: row.confirmed_at !== null };
}

/** Replaces an unconfirmed secret. False, without a change, if a secret is confirmed. */
export async function putEnrolment(
  tx: Tx,
  userId: string,
  of: { encryptedSecret: Buffer; confirmedStep: number | null },
  now: Date,
): Promise<boolean> {
  const values = {
    sealed_secret: of.encryptedSecret,
    confirmed_at: of.confirmedStep === null ? null : now,
    last_step: of.confirmedStep ?? 0,
    created_at: now,
  };
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('otp_enrolments')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(values).where('otp_enrolments.confirmed_at', 'is', null),
    )
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) === 1;
}

/** Confirms the exact secret that the code was checked against. False if it was replaced or is already confirmed. */
export async function confirmEnrolment(
  tx: Tx,
  userId: string,
  of: { encryptedSecret: Buffer; step: number },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('otp_enrolments')
    .set({ confirmed_at: now, last_step: of.step })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', of.encryptedSecret)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Spends a step's code in one statement: of two requests with it at once, on any controllers, one gets false. */
export async function spendStep(
  tx: Tx,
  userId: string,
  of: { encryptedSecret: Buffer; step: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('otp_enrolments')
    .set({ last_step: of.step })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', of.encryptedSecret)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', of.step)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Returns whether an enrolment existed. */
export async function deleteEnrolment(tx: Tx, userId: string): Promise<boolean> {
  await tx.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  const { numDeletedRows } = await tx.deleteFrom('otp_enrolments').where('user_id', '=', userId).executeTakeFirst();
  return Number(numDeletedRows) === 1;
}

export async function replaceBackupCodes(tx: Tx, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  await tx
    .insertInto('backup_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}

/** Only if the second factor is on: the codes of an unconfirmed set-up do not work yet. */
export async function spendBackupCode(tx: Tx, userId: string, hash: Buffer, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('backup_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('otp_enrolments')
          .select('user_id')
          .where('otp_enrolments.user_id', '=', userId)
          .where('confirmed_at', 'is not', null),
      ),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

export async function countBackupCodes(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('backup_codes')
    .select((eb) => eb.fn.countAll<number>().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.left;
}

/** Whether the installation requires one from everybody at every sign-in. */
export function isFactorEnforced(db: Db | Tx): Promise<boolean> {
  return isAsked(db, sql`project_id is null`);
}

/** Whether the user must keep the factor, because the installation or one of their projects requires it. */
export function isFactorKept(db: Db | Tx, userId: string): Promise<boolean> {
  return isAsked(
    db,
    sql`(project_id is null or project_id in (select project_id from memberships where user_id = ${userId}))`,
  );
}

async function isAsked(db: Db | Tx, where: RawBuilder<unknown>): Promise<boolean> {
  const row = await db
    .selectFrom('settings')
    .select(sql<number>`1`.as('found'))
    // A value of another version that this one cannot read counts as required.
    .where(sql<boolean>`coalesce(value->'otp_enforced', 'false') <> 'false'`)
    .where('key', 'in', [SIGN_IN_SETTINGS.key, OTP_SETTINGS.key])
    .where(sql<boolean>`${where}`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks a user whose factors are about to change against a concurrent sign-in. */
export async function lockUsername(tx: Tx, userId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('users')
    .select('username')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.username;
}

export async function hasPasskey(db: Db | Tx, userId: string): Promise<boolean> {
  const row = await db.selectFrom('passkeys').select('id').where('user_id', '=', userId).limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function deletePasskeys(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
}

/** Ends the user's sign-ins that wait for a factor. */
export async function deleteChallengesOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute();
}
