import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
alter table alerts add column unknown_since timestamptz;
alter table alerts add column labels jsonb not null default '{}';
`);
