import { defineMigration } from '@flotilla/db';

/** How long a replaced Envoy may finish its connections; null: the default. */
export const drainTimeMigration = defineMigration(`
alter table service_targets add column drain_time_s int check (drain_time_s between 1 and 3600);
`);
