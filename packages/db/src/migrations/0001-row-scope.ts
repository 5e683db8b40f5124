import { defineMigration } from '../define-migration.ts';

/** Scopes of row-level security, and the functions by which a feature guards its tables. */
export const migration = defineMigration(`
-- Functions in SQL may refer to tables of later migrations.
set local check_function_bodies = off;

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create function scope_all() returns boolean language sql stable parallel safe as $$
  select coalesce(current_setting('flotilla.scope', true) = 'everything', false)
$$;

create function scope_maker() returns uuid language sql stable parallel safe as $$
  select case when current_setting('flotilla.scope', true) like 'project:%:maker:%'
    then substr(current_setting('flotilla.scope', true), 52)::uuid end
$$;

create function scope_project() returns uuid language sql stable parallel safe as $$
  select case when current_setting('flotilla.scope', true) like 'project:%'
    then substr(current_setting('flotilla.scope', true), 9, 36)::uuid end
$$;

create function scope_reader() returns uuid language sql stable parallel safe as $$
  select case when current_setting('flotilla.scope', true) like 'project:%:reader:%'
    then substr(current_setting('flotilla.scope', true), 53)::uuid end
$$;

create function scope_user() returns uuid language sql stable parallel safe as $$
  select case when current_setting('flotilla.scope', true) like 'user:%'
    then substr(current_setting('flotilla.scope', true), 6)::uuid end
$$;

create function guard_child_table(guarded regclass, parent regclass, via name) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', guarded);
  execute format(
    'create policy in_scope on %1$s
      using ((select scope_all()) or exists (select 1 from %2$s parent where parent.id = %1$s.%3$I))
      with check ((select scope_all()) or exists (select 1 from %2$s parent where parent.id = %1$s.%3$I))',
    guarded, parent, via);
end
$$;

create function guard_project_table(guarded regclass, via name default 'project_id') returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', guarded);
  execute format(
    'create policy in_scope on %s
      using (%I = (select scope_project()) or (select scope_all()))
      with check (%I = (select scope_project()) or (select scope_all()))',
    guarded, via, via);
end
$$;

create function hold_parts(held regclass, kind text, id name, events text default 'insert or update or delete') returns void
  language plpgsql as $$
begin
  perform hold_rows(held, events, format('require_maker(%L, part.%I)', kind, id));
end
$$;

create function hold_rows(held regclass, events text, asks text) returns void language plpgsql as $$
begin
  execute format('create function %1$I() returns trigger language plpgsql as $body$
    declare
      part %2$s;
    begin
      if tg_op <> ''INSERT'' then part := old; perform %3$s; end if;
      if tg_op <> ''DELETE'' then part := new; perform %3$s; end if;
      return case when tg_op = ''DELETE'' then old else new end;
    end $body$', 'hold_' || held, held, asks);
  execute format('create trigger held before %1$s on %2$s for each row
    when (scope_maker() is not null and pg_trigger_depth() = 0) execute function %3$I()', events, held, 'hold_' || held);
end
$$;

create function list_mixed(listed regclass, is_service text, service name, other text, id name) returns void language plpgsql as $$
begin
  execute format('create policy listed on %s as restrictive for select using ((select scope_reader()) is null
    or case when %s then %s else %s end)',
    listed, is_service, reached_rows('service', service), reached_rows(other, id));
end
$$;

create function list_parts(listed regclass, kind text, id name) returns void language plpgsql as $$
begin
  execute format('create policy listed on %s as restrictive for select using ((select scope_reader()) is null or %s)',
    listed, reached_rows(kind, id));
end
$$;

create function list_rows(listed regclass, kind text) returns void language plpgsql as $$
begin
  perform list_parts(listed, kind, 'id');
  execute format('create trigger %I after insert on %s for each row when (scope_maker() is not null)
    execute function grant_to_maker(%L)', kind || '_given', listed, kind);
  -- Everybody's requests write some columns of clients in passing: the client feature has a trigger of its own.
  if kind <> 'client' then
    execute format('create trigger %I before update or delete on %s for each row when (scope_maker() is not null)
      execute function hold_maker(%L)', kind || '_held', listed, kind);
  end if;
  execute format('create trigger %I after delete on %s for each row execute function delete_permissions(%L)',
    kind || '_forgotten', listed, kind);
end
$$;

create function may_reach(member uuid, project uuid, kind text, thing uuid, wanted text) returns boolean language sql stable as $$
  select exists (
    select 1 from permissions p
    where p.project_id = project and p.resource_kind = kind and (p.resource_id = thing or p.resource_id is null)
      and array_position(array['view', 'use', 'change'], p.level)
        >= array_position(array['view', 'use', 'change'], wanted)
      and (p.user_id = member or p.group_id in (
        select g.group_id from group_members g where g.project_id = project and g.user_id = member)))
$$;

create function reached_ids(kind text) returns uuid[] language sql stable as $$
  select array(
    select p.resource_id from permissions p
    where p.project_id = (select scope_project()) and p.user_id = (select scope_reader())
      and p.resource_kind = kind and p.resource_id is not null
    union all
    select p.resource_id from group_members g
    join permissions p on p.project_id = g.project_id and p.group_id = g.group_id
    where g.project_id = (select scope_project()) and g.user_id = (select scope_reader())
      and p.resource_kind = kind and p.resource_id is not null)
$$;

create function reached_rows(kind text, id name) returns text language sql immutable as $$
  select format('((select reaches_all(%1$L)) or %2$I in (select unnest((select reached_ids(%1$L)))))', kind, id)
$$;

create function reaches_all(kind text) returns boolean language sql stable as $$
  select exists (
    select 1 from permissions p
    where p.project_id = (select scope_project()) and p.resource_kind = kind and p.resource_id is null
      and (p.user_id = (select scope_reader()) or p.group_id in (
        select g.group_id from group_members g
        where g.project_id = (select scope_project()) and g.user_id = (select scope_reader()))))
$$;

create function refuse_maker(kind text) returns void language plpgsql as $$
begin
  raise exception 'no permission to change this %', kind using errcode = 'insufficient_privilege';
end
$$;

create function require_maker(kind text, thing uuid) returns void language plpgsql as $$
begin
  if not may_reach(scope_maker(), scope_project(), kind, thing, 'change') then
    perform refuse_maker(kind);
  end if;
end
$$;

create function delete_permissions() returns trigger language plpgsql as $$
begin
  delete from permissions
    where project_id = old.project_id and resource_kind = tg_argv[0] and resource_id = old.id;
  return null;
end
$$;

create function grant_to_maker() returns trigger language plpgsql as $$
begin
  insert into permissions (id, project_id, resource_kind, resource_id, user_id, level, granted_at)
    values (gen_random_uuid(), new.project_id, tg_argv[0], new.id, scope_maker(), 'change', clock_timestamp());
  return null;
end
$$;

create function hold_always() returns trigger language plpgsql as $$
begin
  perform refuse_maker(tg_argv[0]);
  return null;
end
$$;

create function hold_maker() returns trigger language plpgsql as $$
begin
  if not may_reach(scope_maker(), old.project_id, tg_argv[0], old.id, 'change') then
    raise exception 'no permission to change this %', tg_argv[0] using errcode = 'insufficient_privilege';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

-- A policy allows an index only for operators that cannot reveal rows through their errors. These cannot, and the trigram indexes
-- need them. Only a superuser may declare it; without it, a search reads all rows of its project.
do $$ begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    alter function textlike(text, text) leakproof;
    alter function texticlike(text, text) leakproof;
    alter function textcat(text, text) leakproof;
    alter function lower(text) leakproof;
    alter function similarity_op(text, text) leakproof;
  end if;
end $$;
`);
