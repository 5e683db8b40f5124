import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table external_identities (
  issuer text,
  subject text,
  user_id uuid not null unique references users on delete cascade,
  realm text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  gone_at timestamptz,
  primary key (issuer, subject)
);
create index external_identities_by_realm on external_identities (realm);
`);
