import { defineMigration } from '@flotilla/db';

/** Facts are null in rows that were written earlier, until their next write. */
export const factsMigration = defineMigration(`
alter table documents add column facts jsonb;
create index documents_updated_by on documents (project_id, updated_by);
`);
