import type { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';

interface NewAuthority {
  readonly certificate: Buffer;
  readonly sealed_key: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Keeps the authority of another controller that was faster. */
export async function insertAuthority(db: Db, authority: NewAuthority): Promise<void> {
  await db
    .insertInto('certificate_authority')
    .values(authority)
    .onConflict((conflict) => conflict.column('singleton').doNothing())
    .execute();
}

export async function findAuthority(db: Db) {
  return db.selectFrom('certificate_authority').select(['certificate', 'sealed_key']).executeTakeFirst();
}
