import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table certificate_authority (
  singleton boolean default true primary key check (singleton),
  certificate bytea not null,
  sealed_key bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
select guard_sealed_column('certificate_authority', 'sealed_key');

create table enrolment_tokens (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  note text,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by_client uuid,
  used_key_digest bytea
);
create index enrolment_tokens_project on enrolment_tokens (project_id, created_at desc, id desc);
select guard_project_table('enrolment_tokens');

create table client_certificates (
  serial text primary key,
  client_id uuid not null,
  project_id uuid not null,
  key_digest bytea not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoke_reason text
);
create index client_certificates_client on client_certificates (client_id, expires_at desc);
create index client_certificates_revoked on client_certificates (expires_at) where revoked_at is not null;
select guard_project_table('client_certificates');
select list_parts('client_certificates', 'client', 'client_id');
select hold_parts('client_certificates', 'client', 'client_id');

create trigger enrolment_tokens_secrets after delete on enrolment_tokens
  for each row execute function forget_secrets();
create trigger enrolment_tokens_announced after insert or delete or update on enrolment_tokens
  for each row execute function announce_row('enrolment_token', 'token_id', 'id');
`);
