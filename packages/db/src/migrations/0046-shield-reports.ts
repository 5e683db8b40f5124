import { type Kysely, sql } from 'kysely';

/** Which minutes filters have told of, and what they counted without a minute that can be shown. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Bit n of minutes: the filter has told of minute n of the hour. No reference to clients and services, as of counts.
    create table shield_reports (
      project_id uuid not null references projects on delete cascade,
      hour timestamptz not null,
      service_id uuid not null,
      client_id uuid not null,
      minutes bigint not null,
      primary key (project_id, hour, service_id, client_id)
    ) with (fillfactor = 80);
    create index shield_reports_hour on shield_reports (hour);

    create table shield_count_faults (
      project_id uuid not null references projects on delete cascade,
      minute timestamptz not null,
      service_id uuid not null,
      client_id uuid not null,
      policy text not null,
      dropped bigint not null,
      clock_off bigint not null,
      primary key (project_id, minute, service_id, client_id, policy)
    );
    create index shield_count_faults_minute on shield_count_faults (minute);

    select guard_project_table('shield_reports');
    select guard_project_table('shield_count_faults');
    select list_parts('shield_reports', 'service', 'service_id');
    select list_parts('shield_count_faults', 'service', 'service_id');
    select hold_parts('shield_reports', 'service', 'service_id', 'delete');
    select hold_parts('shield_count_faults', 'service', 'service_id', 'delete');
  `.execute(db);
}
