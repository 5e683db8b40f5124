import { type Kysely, sql } from 'kysely';

/**
 * What members reach of a hundred thousand things. What a reader is given was found by reading all permissions of the project,
 * because the scope was asked for at every row, and kept as an object of texts; now it is read by its indexes and kept as a
 * set of ids. As before each sub-select runs once in a statement and only where there is a reader, and has no table in it
 * that the planner would have to think of. Besides, an index in the order of the matrix.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
    create function reaches_all(kind text) returns boolean language sql stable as $$
      select exists (
        select 1 from permissions p
        where p.project_id = (select scope_project()) and p.resource_kind = kind and p.resource_id is null
          and (p.user_id = (select scope_reader()) or p.group_id in (
            select g.group_id from group_members g
            where g.project_id = (select scope_project()) and g.user_id = (select scope_reader()))))
    $$;
    create function reached_rows(kind text, id name) returns text language sql immutable as $$
      select format('((select reaches_all(%1$L)) or %2$I in (select unnest((select reached_ids(%1$L)))))', kind, id)
    $$;
    create or replace function list_parts(listed regclass, kind text, id name) returns void language plpgsql as $$
    begin
      execute format('create policy listed on %s as restrictive for select using ((select scope_reader()) is null or %s)',
        listed, reached_rows(kind, id));
    end $$;
    create or replace function list_mixed(listed regclass, is_service text, service name, other text, id name) returns void
      language plpgsql as $$
    begin
      execute format('create policy listed on %s as restrictive for select using ((select scope_reader()) is null
        or case when %s then %s else %s end)',
        listed, is_service, reached_rows('service', service), reached_rows(other, id));
    end $$;
  `.execute(db);
  await sql`
    do $$
    declare
      old record;
      changed text;
    begin
      for old in select tablename, qual from pg_policies where schemaname = current_schema() and policyname = 'listed' loop
        changed := regexp_replace(old.qual,
          'jsonb_exists_any\\(\\( SELECT reached\\(''(\\w+)''::text\\) AS reached\\), ARRAY\\[''\\*''::text, \\((\\w+)\\)::text\\]\\)',
          '((select reaches_all(''\\1'')) or \\2 in (select unnest((select reached_ids(''\\1'')))))', 'g');
        if changed = old.qual then
          raise exception 'the policy of % is not of the form that is known', old.tablename;
        end if;
        execute format('alter policy listed on %I using (%s)', old.tablename, changed);
      end loop;
    end $$;
    drop function reached(text);
    create index documents_by_name on documents (project_id, lower(name), id);
  `.execute(db);
}
