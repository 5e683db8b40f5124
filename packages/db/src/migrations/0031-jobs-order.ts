import { type Kysely, sql } from 'kysely';

/**
 * Numbers of jobs that count within their project, so that they tell nothing of others; what a job is about; what hindered a
 * schedule; an index for the jobs that people look for.
 *
 * The numbers come from a sequence for each project, made and dropped with it: a counter in a row would be locked from a job's
 * making to the end of a transaction that goes on to lock other things. Jobs that are there keep their numbers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table jobs
      alter column number drop identity,
      add column resource_type text,
      add column resource_name text;
    drop index jobs_number;
    create unique index jobs_number on jobs (project_id, number) nulls not distinct;
    -- Most jobs go well and never enter it.
    create index jobs_troubled on jobs (project_id, created_at desc, id desc)
      where status in ('done_with_errors', 'failed', 'cancelled', 'dead');

    alter table job_schedules
      add column failures int not null default 0,
      add column error jsonb;

    create function job_sequence(project uuid) returns text language sql immutable as $$
      select 'job_numbers' || coalesce('_' || replace(project::text, '-', ''), '')
    $$;
    -- Locks the project before its sequence, as whoever deletes the project does.
    create function number_job() returns trigger language plpgsql as $$
    begin
      if new.project_id is not null then
        perform from projects where id = new.project_id for key share;
        if not found then raise foreign_key_violation using message = 'the project of the job is gone'; end if;
      end if;
      new.number := nextval(job_sequence(new.project_id)::regclass);
      return new;
    end $$;
    create trigger jobs_numbered before insert on jobs for each row execute function number_job();
    -- As the owner of the tables: the application makes no sequences.
    create function keep_job_sequence() returns trigger language plpgsql security definer
      set search_path = public, pg_temp as $$
    begin
      if tg_op = 'DELETE' then
        execute format('drop sequence if exists %I', job_sequence(old.id));
      else
        execute format('create sequence %I', job_sequence(new.id));
        execute format('grant usage, select on sequence %I to flotilla_app', job_sequence(new.id));
      end if;
      return null;
    end $$;
    create trigger projects_number_jobs after insert or delete on projects
      for each row execute function keep_job_sequence();
  `.execute(db);
  await sql`
    do $$
    declare
      scope text := coalesce(current_setting('flotilla.scope', true), '');
      place record;
    begin
      perform set_config('flotilla.scope', 'everything', true);
      for place in
        select places.id, coalesce((select max(number) from jobs where project_id is not distinct from places.id), 0) + 1 as next
        from (select id from projects union all select null) places
      loop
        execute format('create sequence %I start %s', job_sequence(place.id), place.next);
        execute format('grant usage, select on sequence %I to flotilla_app', job_sequence(place.id));
      end loop;
      perform set_config('flotilla.scope', scope, true);
    end $$;
  `.execute(db);
}
