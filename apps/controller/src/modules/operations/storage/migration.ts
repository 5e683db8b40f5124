import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table storage_samples (
  at timestamptz primary key,
  bytes bigint not null
);
`);
