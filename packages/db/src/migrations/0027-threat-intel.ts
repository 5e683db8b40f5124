import { type Kysely, sql } from 'kysely';

/**
 * What the whole installation knows of addresses: feeds of those that attacks come from, and databases that say where an
 * address is. Files are kept in pieces, written before the row that names them: `upload_id` says which belong to it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table threat_intel (
      id boolean primary key default true check (id),
      revision bigint not null default 0,
      updated_at timestamptz,
      updated_by text
    );
    insert into threat_intel default values;
    create table threat_feeds (
      name text primary key,
      enabled boolean not null,
      entry_count int not null,
      sha256 text not null,
      uploaded_at timestamptz not null,
      uploaded_by text not null
    );
    create table threat_entries (
      feed text not null references threat_feeds on delete cascade,
      network cidr not null,
      primary key (feed, network)
    );
    create index threat_entries_network on threat_entries using gist (network inet_ops);
    create table geoip_databases (
      kind text primary key check (kind in ('city', 'asn')),
      upload_id uuid not null,
      size bigint not null,
      sha256 text not null,
      database_type text not null,
      built_at timestamptz not null,
      source text not null,
      uploaded_at timestamptz not null,
      uploaded_by text not null
    );
    create table geoip_chunks (
      upload_id uuid not null,
      part int not null,
      data bytea not null,
      begun_at timestamptz not null,
      primary key (upload_id, part)
    );
    alter table geoip_chunks alter column data set storage external;
  `.execute(db);
}
