import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create sequence controller_epochs;
create sequence lease_fences;

create table controllers (
  id uuid primary key,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  epoch bigint not null default nextval('controller_epochs'::regclass),
  hostname text not null default '',
  version text not null default '',
  roles text[] not null default '{}',
  rest_address text,
  grpc_address text,
  load jsonb
);

create table leases (
  name text primary key,
  holder uuid not null references controllers on delete cascade,
  fence bigint not null default nextval('lease_fences'::regclass),
  acquired_at timestamptz not null,
  until timestamptz not null
);
create index leases_holder on leases (holder);
`);
