import { defineMigration } from '../define-migration.ts';

/** The outbox, and the functions by which triggers of features publish changes. */
export const migration = defineMigration(`
create function announce_change(project uuid, change jsonb) returns void language plpgsql as $$
begin
  insert into outbox (topic, payload, at)
    values ('live.changed', change || jsonb_build_object('project', project), clock_timestamp());
  perform pg_notify('outbox', 'live.changed');
end
$$;

create function announce_changes(news jsonb) returns void language plpgsql as $$
begin
  insert into outbox (topic, payload, at)
    select 'live.changed', payload, clock_timestamp() from (
      select distinct case when count(*) over (partition by change -> 'project', change -> 'topic') > 100
        then jsonb_build_object('project', change -> 'project', 'topic', change -> 'topic') else change end as payload
      from (select distinct value as change from jsonb_array_elements(news)) each
    ) changes;
  if found then perform pg_notify('outbox', 'live.changed'); end if;
end
$$;

create table outbox (
  seq bigint generated always as identity primary key,
  topic text not null,
  payload jsonb not null,
  at timestamptz not null
);

create function announce_row() returns trigger language plpgsql as $$
declare
  changed jsonb;
  change jsonb := jsonb_build_object('topic', tg_argv[0]);
begin
  if tg_op = 'DELETE' then changed := to_jsonb(old); else changed := to_jsonb(new); end if;
  for i in 1 .. tg_nargs - 1 by 2 loop
    change := change || jsonb_build_object(tg_argv[i], changed -> tg_argv[i + 1]);
  end loop;
  perform announce_change((changed ->> 'project_id')::uuid, change);
  return null;
end
$$;
`);
