import { OTP_SETTINGS, SIGN_IN_SETTINGS } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

export interface Enrolment {
  readonly sealedSecret: Buffer;
  readonly isConfirmed: boolean;
}

export async function findEnrolment(db: Db | Tx, userId: string): Promise<Enrolment | undefined> {
  const row = await db
    .selectFrom('otp_enrolments')
    .select(['sealed_secret', 'confirmed_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && { sealedSecret: row.sealed_secret, isConfirmed: row.confirmed_at !== null };
}

/** Puts a secret in the place of one that was never confirmed. False, and nothing done, where one is confirmed. */
export async function putEnrolment(
  tx: Tx,
  userId: string,
  of: { sealedSecret: Buffer; confirmedStep: number | null },
  now: Date,
): Promise<boolean> {
  const values = {
    sealed_secret: of.sealedSecret,
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

/** Confirms the very secret that the code was checked against. False where another took its place, or it is confirmed. */
export async function confirmEnrolment(
  tx: Tx,
  userId: string,
  of: { sealedSecret: Buffer; step: number },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('otp_enrolments')
    .set({ confirmed_at: now, last_step: of.step })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', of.sealedSecret)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Spends a step's code, in one statement: of two who come with it at once, at any controller, one is told false. */
export async function spendStep(tx: Tx, userId: string, of: { sealedSecret: Buffer; step: number }): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('otp_enrolments')
    .set({ last_step: of.step })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', of.sealedSecret)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', of.step)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Returns whether there was one. */
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

/** Only where the second factor is on: codes of one that is being set up are worth nothing yet. */
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

/** Whether the installation asks everybody, or a project its members; owners of the installation belong to every project. */
export async function isFactorEnforced(db: Db | Tx, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('settings')
    .select(sql<number>`1`.as('found'))
    // What another version has stored there, and this one does not take, asks for it, too.
    .where(sql<boolean>`coalesce(value->'otp_enforced', 'false') <> 'false'`)
    .where('key', 'in', [SIGN_IN_SETTINGS.key, OTP_SETTINGS.key])
    .where((eb) =>
      eb.or([
        eb('project_id', 'is', null),
        eb('project_id', 'in', (one) =>
          one.selectFrom('memberships').select('project_id').where('user_id', '=', userId),
        ),
        eb.exists((one) =>
          one.selectFrom('users').select('id').where('users.id', '=', userId).where('is_owner', '=', true),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Of a user whose factors are about to change; locked against a sign-in that goes on at the same time. */
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

/** Sign-ins of a user that wait for a factor are over. */
export async function deleteChallengesOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute();
}
