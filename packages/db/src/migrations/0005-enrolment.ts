import { type Kysely, sql } from 'kysely';

/** The authority that vouches for agents, what it issued, and the tokens by which hosts join. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- One row. The key is sealed by the keyring.
    create table certificate_authority (
      singleton boolean primary key default true check (singleton),
      certificate bytea not null,
      sealed_key bytea not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );

    -- No reference to clients: what was issued stays known after the client is gone.
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

    create table enrolment_tokens (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      secret_hash bytea not null unique,
      note text,
      created_by text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      used_by_client uuid,
      -- Of the key that used it: the same host may ask again when the answer never reached it.
      used_key_digest bytea
    );
    create index enrolment_tokens_project on enrolment_tokens (project_id, created_at desc, id desc);
  `.execute(db);
}
