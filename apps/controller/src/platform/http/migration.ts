import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table idempotency_keys (
  actor text,
  key text,
  route text not null,
  body_digest bytea not null,
  answer bytea not null,
  created_at timestamptz not null,
  primary key (actor, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
select guard_sealed_column('idempotency_keys', 'answer');
select guard_sealed_column('idempotency_keys', 'body_digest');
`);
