import { defineMigration } from '@flotilla/db';

export const labelsMigration = defineMigration(`
alter table enrolment_tokens add column labels jsonb not null default '{}';
`);
