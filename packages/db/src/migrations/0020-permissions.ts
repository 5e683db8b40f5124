import { type Kysely, sql } from 'kysely';

/**
 * Who may reach which thing of a project that lists it (`projects.resource_access`), and the policies that keep the rest
 * out of sight.
 *
 * Two more scopes of a connection (scope.ts): `project:<id>:reader:<user>` shows of the project only what this member may
 * reach; `project:<id>:maker:<user>` shows all of it, for the checks of a write, gives what is made to the maker, and
 * changes only what they may change. A write that forgot to ask fails in the database.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table projects add column resource_access text not null default 'open'
      check (resource_access in ('open', 'listed'));

    create table permissions (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      resource_kind text not null check (resource_kind in ('document', 'policy', 'service', 'client')),
      -- Null: all of the kind. No reference: it is of one of four tables, whose rows take their permissions along.
      resource_id uuid,
      -- One of the two. A person without a membership, and a group of another project, cannot be given anything.
      user_id uuid,
      group_id uuid,
      level text not null check (level in ('view', 'use', 'change')),
      -- Who gave it, by name; null: given to whoever made the thing.
      granted_by text,
      granted_at timestamptz not null,
      check (num_nonnulls(user_id, group_id) = 1),
      unique nulls not distinct (project_id, resource_kind, resource_id, user_id, group_id),
      foreign key (project_id, user_id) references memberships (project_id, user_id) on delete cascade,
      foreign key (project_id, group_id) references groups (project_id, id) on delete cascade
    );
    create index permissions_user on permissions (project_id, user_id, resource_kind) where user_id is not null;
    create index permissions_group on permissions (project_id, group_id, resource_kind) where group_id is not null;
  `.execute(db);
  await sql`
    create or replace function scope_project() returns uuid language sql stable parallel safe as $$
      select case when current_setting('flotilla.scope', true) like 'project:%'
        then substr(current_setting('flotilla.scope', true), 9, 36)::uuid end
    $$;
    create function scope_reader() returns uuid language sql stable parallel safe as $$
      select case when current_setting('flotilla.scope', true) like 'project:%:reader:%'
        then substr(current_setting('flotilla.scope', true), 53)::uuid end
    $$;
    create function scope_maker() returns uuid language sql stable parallel safe as $$
      select case when current_setting('flotilla.scope', true) like 'project:%:maker:%'
        then substr(current_setting('flotilla.scope', true), 52)::uuid end
    $$;

    -- Whether a member may do that much with a thing, by a permission of their own, of a group, or on the whole kind.
    create function may_reach(member uuid, project uuid, kind text, thing uuid, wanted text) returns boolean
      language sql stable as $$
      select exists (
        select 1 from permissions p
        where p.project_id = project and p.resource_kind = kind and (p.resource_id = thing or p.resource_id is null)
          and array_position(array['view', 'use', 'change'], p.level)
            >= array_position(array['view', 'use', 'change'], wanted)
          and (p.user_id = member or p.group_id in (
            select g.group_id from group_members g where g.project_id = project and g.user_id = member)))
    $$;

    create function give_to_maker() returns trigger language plpgsql as $$
    begin
      insert into permissions (id, project_id, resource_kind, resource_id, user_id, level, granted_at)
        values (gen_random_uuid(), new.project_id, tg_argv[0], new.id, scope_maker(), 'change', clock_timestamp());
      return null;
    end $$;
    create function hold_maker() returns trigger language plpgsql as $$
    begin
      if not may_reach(scope_maker(), old.project_id, tg_argv[0], old.id, 'change') then
        raise exception 'no permission to change this %', tg_argv[0] using errcode = 'insufficient_privilege';
      end if;
      return case when tg_op = 'DELETE' then old else new end;
    end $$;
    create function forget_permissions() returns trigger language plpgsql as $$
    begin
      delete from permissions
        where project_id = old.project_id and resource_kind = tg_argv[0] and resource_id = old.id;
      return null;
    end $$;

    -- What the reader is given of a kind, as the members of an object; with '*' it is all of it. Null where there is no reader.
    create function reached(kind text) returns jsonb language sql stable as $$
      select case when scope_reader() is not null then coalesce((
        select jsonb_object_agg(coalesce(p.resource_id::text, '*'), true) from permissions p
        where p.project_id = scope_project() and p.resource_kind = kind and (p.user_id = scope_reader() or p.group_id in (
          select g.group_id from group_members g
          where g.project_id = scope_project() and g.user_id = scope_reader()))), '{}') end
    $$;

    -- Each sub-select runs once in a statement, and the second only where there is a reader; a join with permissions would be
    -- planned for everybody, which costs more than most of these statements.
    create function list_parts(listed regclass, kind text, id name) returns void language plpgsql as $$
    begin
      execute format('create policy listed on %s as restrictive for select using ((select scope_reader()) is null
        or jsonb_exists_any((select reached(%L)), array[''*'', %I::text]))', listed, kind, id);
    end $$;
    -- Rows of two kinds: with a service they are the service's.
    create function list_mixed(listed regclass, is_service text, service name, other text, id name) returns void
      language plpgsql as $$
    begin
      execute format('create policy listed on %1$s as restrictive for select using ((select scope_reader()) is null
        or case when %2$s then jsonb_exists_any((select reached(''service'')), array[''*'', %3$I::text])
          else jsonb_exists_any((select reached(%4$L)), array[''*'', %5$I::text]) end)',
        listed, is_service, service, other, id);
    end $$;
    create function list_rows(listed regclass, kind text) returns void language plpgsql as $$
    begin
      perform list_parts(listed, kind, 'id');
      execute format('create trigger %I after insert on %s for each row when (scope_maker() is not null)
        execute function give_to_maker(%L)', kind || '_given', listed, kind);
      -- Of clients only what is not theirs to change is written in passing.
      if kind <> 'client' then
        execute format('create trigger %I before update or delete on %s for each row when (scope_maker() is not null)
          execute function hold_maker(%L)', kind || '_held', listed, kind);
      end if;
      execute format('create trigger %I after delete on %s for each row execute function forget_permissions(%L)',
        kind || '_forgotten', listed, kind);
    end $$;
  `.execute(db);
  await sql`
    select guard_project_table('permissions');
    select list_rows('documents', 'document');
    select list_rows('policies', 'policy');
    select list_rows('services', 'service');
    select list_rows('clients', 'client');
    select list_parts('document_names', 'document', 'document_id');
    select list_mixed('document_references', 'from_collection = ''services''', 'from_id', 'document', 'from_id');
    select list_mixed('commands', 'service_id is not null', 'service_id', 'client', 'client_id');
    select list_parts(name::regclass, 'service', 'service_id')
      from unnest(array['config_errors', 'shield_counts', 'shield_events', 'shield_event_drops']) as name;
    select list_parts('client_certificates', 'client', 'client_id');
  `.execute(db);
  await sql`
    create function tell_permissions() returns trigger language plpgsql as $$
    begin
      perform tell_changes(jsonb_agg(distinct jsonb_build_object('topic', 'permission', 'project', project_id)))
        from told having count(*) > 0;
      return null;
    end $$;
    create trigger permissions_told_new after insert on permissions
      referencing new table as told for each statement execute function tell_permissions();
    create trigger permissions_told after update on permissions
      referencing new table as told for each statement execute function tell_permissions();
    create trigger permissions_told_gone after delete on permissions
      referencing old table as told for each statement execute function tell_permissions();
  `.execute(db);
}
