import { type Kysely, sql } from 'kysely';

/**
 * What a controller tells of itself, and what only one of all controllers may do at a time.
 *
 * A controller whose row was taken away is none any more: it takes no lease, and ends its work. Leases are by the database's
 * clock; `fence` grows with every one that is taken, so that of two holders the later one is known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create sequence controller_epochs;
    alter table controllers
      add column epoch bigint not null default nextval('controller_epochs'),
      add column hostname text not null default '',
      add column version text not null default '',
      add column roles text[] not null default '{}',
      add column rest_address text,
      add column grpc_address text,
      add column load jsonb;

    create sequence lease_fences;
    create table leases (
      name text primary key,
      holder uuid not null references controllers on delete cascade,
      fence bigint not null default nextval('lease_fences'),
      acquired_at timestamptz not null,
      until timestamptz not null
    );
    create index leases_holder on leases (holder);
  `.execute(db);
}
