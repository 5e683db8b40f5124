import { type Kysely, sql } from 'kysely';

/**
 * People who are gone from the directory that they sign in at. `gone_at`: since when it is known here; such an account has no
 * session and gets none, also not by a passkey, until the directory knows its owner again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table external_identities add column gone_at timestamptz;
    create index external_identities_by_realm on external_identities (realm);
  `.execute(db);
}
