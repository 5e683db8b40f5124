import { type Kysely, sql } from 'kysely';

/**
 * Accounts of people who sign in elsewhere: in a directory (LDAP) or at a provider (OpenID Connect). They have no password
 * here. An identity is bound to what never changes of a person there (`issuer` and `subject`), never to a name or an
 * address. `memberships.given_by` names the realm whose groups gave the role; null: a person did. `spent_sign_ins` holds
 * what came back from a provider, for as long as it could come once more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users alter column password_hash drop not null;
    create table external_identities (
      issuer text not null,
      subject text not null,
      user_id uuid not null unique references users on delete cascade,
      realm text not null,
      created_at timestamptz not null,
      last_seen_at timestamptz not null,
      primary key (issuer, subject)
    );
    alter table memberships add column given_by text;
    create table spent_sign_ins (
      hash bytea primary key,
      expires_at timestamptz not null
    );
    create index spent_sign_ins_by_expiry on spent_sign_ins (expires_at);
  `.execute(db);
}
