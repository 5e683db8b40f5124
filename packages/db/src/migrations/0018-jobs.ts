import { type Kysely, sql } from 'kysely';

/**
 * Jobs, their steps and what happened to them; what controllers tell of themselves, and the leases they hold.
 *
 * A running job belongs to the worker that holds its fence, until `leased_until` by the database's clock. Whoever changes a
 * job or writes for it locks its row first, so `event_seq` has no gaps. A job waits while it has open children.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create sequence job_fences;

    create table jobs (
      id uuid primary key,
      number bigint not null generated always as identity,
      project_id uuid references projects (id) on delete cascade,
      type text not null,
      params jsonb not null,
      params_sealed bytea,
      lock_key text,
      is_small boolean not null default false,
      status text not null default 'pending' check (status in
        ('pending', 'running', 'done', 'done_with_errors', 'failed', 'cancelled', 'dead', 'no_work')),
      priority smallint not null default 0,
      run_at timestamptz not null,
      attempt int not null default 0,
      attempts_max int not null,
      step int not null default 0,
      steps_total int not null,
      progress jsonb,
      fence bigint,
      leased_by uuid,
      leased_until timestamptz,
      cancel_requested_at timestamptz,
      parent_id uuid references jobs (id) on delete cascade,
      children_total int not null default 0,
      children_open int not null default 0,
      children_failed int not null default 0,
      retry_of uuid,
      actor jsonb not null,
      event_seq int not null default 0,
      created_at timestamptz not null,
      started_at timestamptz,
      ended_at timestamptz,
      error jsonb,
      results jsonb
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
    create unique index jobs_number on jobs (number);
    create index jobs_ready on jobs (is_small, priority, run_at, id) where status = 'pending' and children_open = 0;
    create index jobs_leased on jobs (leased_until) where status = 'running';
    create unique index jobs_lock on jobs (coalesce(project_id, '00000000-0000-0000-0000-000000000000'), lock_key)
      where status in ('pending', 'running') and lock_key is not null;
    create index jobs_list on jobs (project_id, created_at desc, id desc);
    create index jobs_by_status on jobs (project_id, status, created_at desc, id desc);
    create index jobs_by_type on jobs (project_id, type, created_at desc, id desc);
    create index jobs_parent on jobs (parent_id) where parent_id is not null;
    create index jobs_ended on jobs (ended_at) where ended_at is not null;

    create table job_steps (
      job_id uuid not null references jobs (id) on delete cascade,
      step int not null,
      name text not null,
      status text not null check (status in ('running', 'waiting', 'failed', 'done')),
      attempt int not null,
      repeated boolean not null default false,
      started_at timestamptz not null,
      ended_at timestamptz,
      result jsonb,
      primary key (job_id, step)
    );

    create table job_events (
      job_id uuid not null references jobs (id) on delete cascade,
      seq int not null,
      at timestamptz not null,
      kind text not null,
      data jsonb not null,
      primary key (job_id, seq)
    );

    create table job_schedules (
      id uuid primary key,
      project_id uuid references projects (id) on delete cascade,
      name text not null,
      type text not null,
      params jsonb not null,
      params_sealed bytea,
      cron text not null,
      time_zone text not null,
      enabled boolean not null,
      actor jsonb not null,
      next_run_at timestamptz,
      last_job_id uuid,
      created_at timestamptz not null,
      unique nulls not distinct (project_id, name)
    );
    create index job_schedules_due on job_schedules (next_run_at) where enabled;

    select guard_project_table('jobs');
    select guard_child_table('job_steps', 'jobs', 'job_id');
    select guard_child_table('job_events', 'jobs', 'job_id');
    select guard_project_table('job_schedules');
  `.execute(db);
}
