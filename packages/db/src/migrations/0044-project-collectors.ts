import { type Kysely, sql } from 'kysely';

/**
 * Threat feeds and GeoIP databases of projects. Rows that exist belong to the installation (`project_id` null), whose
 * feeds and databases hold in every project that has none of its own. The parts of a file have the project too: those of an
 * upload that has not ended are deleted with the project.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table threat_intel drop column id;
    alter table threat_intel add column project_id uuid references projects on delete cascade;
    alter table threat_intel add unique nulls not distinct (project_id);

    alter table threat_feeds add column id uuid not null default gen_random_uuid();
    alter table threat_feeds alter column id drop default;
    alter table threat_feeds add column project_id uuid references projects on delete cascade;
    alter table threat_entries add column feed_id uuid;
    update threat_entries set feed_id = threat_feeds.id from threat_feeds where threat_feeds.name = threat_entries.feed;
    alter table threat_entries drop column feed;
    alter table threat_feeds drop constraint threat_feeds_pkey;
    alter table threat_feeds add primary key (id);
    alter table threat_feeds add unique nulls not distinct (project_id, name);
    alter table threat_entries add primary key (feed_id, network);
    alter table threat_entries add foreign key (feed_id) references threat_feeds on delete cascade;

    alter table geoip_databases add column project_id uuid references projects on delete cascade;
    alter table geoip_databases drop constraint geoip_databases_pkey;
    alter table geoip_databases add primary key (upload_id);
    alter table geoip_databases add unique nulls not distinct (project_id, kind);
    alter table geoip_chunks add column project_id uuid references projects on delete cascade;
    create index geoip_chunks_project on geoip_chunks (project_id) where project_id is not null;

    select guard_project_table('threat_intel');
    select guard_project_table('threat_feeds');
    select guard_child_table('threat_entries', 'threat_feeds', 'feed_id');
    select guard_project_table('geoip_databases');
    select guard_project_table('geoip_chunks');
  `.execute(db);
}
