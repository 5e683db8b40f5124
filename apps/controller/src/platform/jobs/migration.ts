import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create sequence job_numbers;
create sequence job_fences;

create function job_sequence(project uuid) returns text language sql immutable as $$
  select 'job_numbers' || coalesce('_' || replace(project::text, '-', ''), '')
$$;

create table jobs (
  id uuid primary key,
  number bigint not null,
  project_id uuid references projects on delete cascade,
  type text not null,
  params jsonb not null,
  params_sealed bytea,
  lock_key text,
  is_small boolean not null default false,
  status text not null default 'pending' check (status in (
    'pending', 'running', 'done', 'done_with_errors', 'failed', 'cancelled', 'dead', 'no_work')),
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
  parent_id uuid references jobs on delete cascade,
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
  results jsonb,
  resource_type text,
  resource_name text
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
create index jobs_ready on jobs (is_small, priority, run_at, id) where (status = 'pending') and (children_open = 0);
create unique index jobs_lock on jobs
  (coalesce(project_id, '00000000-0000-0000-0000-000000000000'::uuid), lock_key)
  where (status in ('pending', 'running')) and (lock_key is not null);
create index jobs_list on jobs (project_id, created_at desc, id desc);
create index jobs_by_type on jobs (project_id, type, created_at desc, id desc);
create index jobs_parent on jobs (parent_id) where parent_id is not null;
create index jobs_ended on jobs (ended_at) where ended_at is not null;
create index jobs_running on jobs (leased_by) where status = 'running';
create unique index jobs_number on jobs (project_id, number) nulls not distinct;
create index jobs_troubled on jobs
  (project_id, created_at desc, id desc) where status in ('done_with_errors', 'failed', 'cancelled', 'dead');
select guard_project_table('jobs');
select guard_sealed_column('jobs', 'params_sealed');

create table job_steps (
  job_id uuid references jobs on delete cascade,
  step int,
  name text not null,
  status text not null check (status in ('running', 'waiting', 'failed', 'done')),
  attempt int not null,
  repeated boolean not null default false,
  started_at timestamptz not null,
  ended_at timestamptz,
  result jsonb,
  primary key (job_id, step)
);
select guard_child_table('job_steps', 'jobs', 'job_id');

create table job_events (
  job_id uuid references jobs on delete cascade,
  seq int,
  at timestamptz not null,
  kind text not null,
  data jsonb not null,
  primary key (job_id, seq)
);
select guard_child_table('job_events', 'jobs', 'job_id');

create table job_schedules (
  id uuid primary key,
  project_id uuid references projects on delete cascade,
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
  failures int not null default 0,
  error jsonb,
  unique nulls not distinct (project_id, name)
);
create index job_schedules_due on job_schedules (next_run_at) where enabled;
select guard_project_table('job_schedules');
select guard_sealed_column('job_schedules', 'params_sealed');

create function keep_job_sequence() returns trigger language plpgsql security definer set search_path to public, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    execute format('drop sequence if exists %I', job_sequence(old.id));
  else
    execute format('create sequence %I', job_sequence(new.id));
    execute format('grant usage, select on sequence %I to flotilla_app', job_sequence(new.id));
  end if;
  return null;
end
$$;

create function number_job() returns trigger language plpgsql as $$
begin
  if new.project_id is not null then
    perform from projects where id = new.project_id for key share;
    if not found then raise foreign_key_violation using message = 'the project of the job is gone'; end if;
  end if;
  new.number := nextval(job_sequence(new.project_id)::regclass);
  return new;
end
$$;

create trigger jobs_numbered before insert on jobs for each row execute function number_job();
create trigger projects_number_jobs after insert or delete on projects
  for each row execute function keep_job_sequence();
`);
