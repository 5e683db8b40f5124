import { defineMigration } from '@flotilla/db';

/** Whether the listeners of the service record their requests and connections. */
export const apiDiscoveryMigration = defineMigration(`
alter table services add column api_discovery boolean not null default false;
`);
