import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table otp_enrolments (
  user_id uuid primary key references users on delete cascade,
  sealed_secret bytea not null,
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  created_at timestamptz not null
);
select guard_sealed_column('otp_enrolments', 'sealed_secret');

create table backup_codes (
  user_id uuid references users on delete cascade,
  hash bytea,
  used_at timestamptz,
  primary key (user_id, hash)
);
`);
