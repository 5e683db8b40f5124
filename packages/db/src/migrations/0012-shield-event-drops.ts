import { type Kysely, sql } from 'kysely';

/** Findings that filters numbered and nobody kept, by the minute in which that came out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table shield_event_drops (
      project_id uuid not null references projects on delete cascade,
      service_id uuid not null,
      client_id uuid not null,
      time timestamptz not null,
      count bigint not null check (count > 0),
      primary key (project_id, time, service_id, client_id)
    );
    create index shield_event_drops_time on shield_event_drops (time);
  `.execute(db);
}
