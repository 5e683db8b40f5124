import { defineMigration } from '@flotilla/db';

/** `provider` and `bgp` were constants until now, so nothing is known of them. */
export const factsMigration = defineMigration(`
alter table clients
  alter column provider drop not null,
  alter column bgp drop not null,
  alter column bgp drop default,
  add column facts jsonb not null default '{}',
  add column labels jsonb not null default '{}',
  add column label_origins jsonb not null default '{}';
update clients set provider = null, bgp = null;
create index clients_labels on clients using gin (labels jsonb_path_ops);
`);
