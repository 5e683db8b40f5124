import { type Kysely, sql } from 'kysely';

/**
 * Secrets of DNS zones. Requests are signed with them, so both sides need the secret itself: what is kept is sealed, beside
 * the digest that all tokens have.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table token_secrets add column sealed_secret bytea,
      add constraint token_secrets_sealed check ((token_kind = 'zone') = (sealed_secret is not null));
    select guard_sealed_column('token_secrets', 'sealed_secret');
  `.execute(db);
}
