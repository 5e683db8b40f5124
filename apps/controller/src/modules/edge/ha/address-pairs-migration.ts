import { defineMigration } from '@flotilla/db';

/** The addresses that this program has allowed on ports of a cloud. A cloud does not say who has allowed one. */
export const addressPairsMigration = defineMigration(`
create table ha_address_pairs (
  project_id uuid not null references projects on delete cascade,
  -- The client that serves through the port. It may be gone.
  client_id uuid not null,
  cloud_project text not null,
  server text not null,
  port_id text not null,
  address text not null,
  -- Since when no service of the client or its peer has the address.
  unneeded_since timestamptz,
  -- The cloud may have removed it already.
  removing boolean not null default false,
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  primary key (project_id, port_id, address)
);
select guard_project_table('ha_address_pairs');
`);
