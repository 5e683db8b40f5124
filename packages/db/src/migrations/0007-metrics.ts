import { type Kysely, sql } from 'kysely';

/** Series by the minute: the hosts of clients, and what their filters count. Old minutes are taken away by housekeeping. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Averages of so many samples. The newest minute is written again and again: room is left for that.
    create table client_samples (
      client_id uuid not null references clients on delete cascade,
      minute timestamptz not null,
      samples integer not null,
      cpu_percent double precision not null,
      load1_per_core double precision not null,
      load5_percent double precision not null,
      memory_percent double precision not null,
      memory_used_bytes double precision not null,
      memory_total_bytes double precision not null,
      disk_used_percent double precision,
      disk_mount text,
      rx_bytes_per_s double precision,
      tx_bytes_per_s double precision,
      envoy_cpu_percent double precision not null,
      envoy_rss_bytes double precision not null,
      shield_cpu_percent double precision not null,
      shield_rss_bytes double precision not null,
      primary key (client_id, minute)
    ) with (fillfactor = 80);
    create index client_samples_minute on client_samples (minute);

    -- No reference to clients and services: what was counted stays when they go.
    create table shield_counts (
      project_id uuid not null references projects on delete cascade,
      minute timestamptz not null,
      service_id uuid not null,
      client_id uuid not null,
      policy text not null,
      engine text not null,
      reason text not null,
      verdict text not null check (verdict in ('allowed', 'blocked', 'detected', 'error')),
      count bigint not null,
      primary key (project_id, minute, service_id, client_id, policy, engine, reason, verdict)
    ) with (fillfactor = 80);
    create index shield_counts_minute on shield_counts (minute);

    -- Totals of each run (epoch) of each filter that have been counted already: a total that is told again adds nothing.
    create table shield_marks (
      client_id uuid not null references clients on delete cascade,
      service_id uuid not null,
      epoch uuid not null,
      policy text not null,
      engine text not null,
      reason text not null,
      verdict text not null,
      total bigint not null,
      seen_at timestamptz not null,
      primary key (client_id, service_id, epoch, policy, engine, reason, verdict)
    ) with (fillfactor = 80);
    create index shield_marks_seen on shield_marks (seen_at);
  `.execute(db);
}
