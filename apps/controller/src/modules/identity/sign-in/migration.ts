import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table sign_in_challenges (
  id_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  primary_kind text not null,
  sealed_set_up bytea,
  attempts int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_challenges_by_user on sign_in_challenges (user_id);
create index sign_in_challenges_by_expiry on sign_in_challenges (expires_at);
select guard_sealed_column('sign_in_challenges', 'sealed_set_up');
`);
