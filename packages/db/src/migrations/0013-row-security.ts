import { type Kysely, sql } from 'kysely';

/**
 * What a connection may see is its setting `flotilla.scope` (scope.ts): `everything`, `project:<id>`, `user:<id>`, or
 * nothing at all where it is unset. `guard_project_table` puts a table behind it: the column `via` names the project of
 * a row, and a row of the installation (null) shows in the scope of everything alone.
 *
 * The policy asks in sub-selects, which run once in a statement instead of once for each row. FORCE: the table's owner
 * is held by it too; superusers are by nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function scope_all() returns boolean language sql stable parallel safe as $$
      select coalesce(current_setting('flotilla.scope', true) = 'everything', false)
    $$;
    create function scope_project() returns uuid language sql stable parallel safe as $$
      select case when current_setting('flotilla.scope', true) like 'project:%'
        then substr(current_setting('flotilla.scope', true), 9)::uuid end
    $$;
    create function scope_user() returns uuid language sql stable parallel safe as $$
      select case when current_setting('flotilla.scope', true) like 'user:%'
        then substr(current_setting('flotilla.scope', true), 6)::uuid end
    $$;
    create function guard_project_table(guarded regclass, via name default 'project_id') returns void
      language plpgsql as $$
    begin
      execute format('alter table %s enable row level security, force row level security', guarded);
      execute format(
        'create policy in_scope on %s
          using (%I = (select scope_project()) or (select scope_all()))
          with check (%I = (select scope_project()) or (select scope_all()))',
        guarded, via, via);
    end
    $$;
  `.execute(db);
}
