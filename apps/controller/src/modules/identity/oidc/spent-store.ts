import { createHash } from 'node:crypto';
import type { Db } from '@flotilla/db';

/** False if the sign-in was already completed. Also deletes some entries that have expired. */
export async function spendSignIn(
  db: Db,
  state: string,
  { now, endsAt }: { now: Date; endsAt: Date },
): Promise<boolean> {
  await db
    .deleteFrom('spent_sign_ins')
    .where('hash', 'in', (eb) => eb.selectFrom('spent_sign_ins').select('hash').where('expires_at', '<', now).limit(20))
    .execute();
  const row = await db
    .insertInto('spent_sign_ins')
    .values({ hash: createHash('sha256').update(state).digest(), expires_at: endsAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst();
  return row !== undefined;
}
