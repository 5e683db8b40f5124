import { type Kysely, sql } from 'kysely';

/**
 * What a connection may see is its setting `flotilla.scope` (scope.ts): `everything`, `project:<id>`, `user:<id>`, or
 * nothing at all where it is unset. `guard_project_table` puts a table behind it: the column `via` names the project of
 * a row, and a row of the installation (null) shows in the scope of everything alone. `guard_child_table` is for rows that
 * belong to a row of a guarded table and show with it.
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
    create function guard_child_table(guarded regclass, parent regclass, via name) returns void
      language plpgsql as $$
    begin
      execute format('alter table %s enable row level security, force row level security', guarded);
      execute format(
        'create policy in_scope on %1$s
          using ((select scope_all()) or exists (select 1 from %2$s parent where parent.id = %1$s.%3$I))
          with check ((select scope_all()) or exists (select 1 from %2$s parent where parent.id = %1$s.%3$I))',
        guarded, parent, via);
    end
    $$;
  `.execute(db);
  await guardTables(db);
  await sql`
    -- Under a policy an index serves only operators that cannot tell of rows by their errors; these cannot, whatever the row
    -- holds, and the indexes of trigrams need them. Only a superuser may say so: elsewhere a search reads its project's rows.
    do $$ begin
      if (select rolsuper from pg_roles where rolname = current_user) then
        alter function textlike(text, text) leakproof;
        alter function texticlike(text, text) leakproof;
        alter function lower(text) leakproof;
        alter function similarity_op(text, text) leakproof;
      end if;
    end $$;
    -- Whoever changes a user tells all of the user's projects, also those that the change itself may not see.
    create or replace function tell_user() returns trigger language plpgsql as $$
    declare
      id uuid := case when tg_op = 'DELETE' then old.id else new.id end;
      change jsonb := jsonb_build_object('topic', 'user', 'user_id', id);
      scope text := coalesce(current_setting('flotilla.scope', true), '');
    begin
      perform tell_change(null, change);
      perform set_config('flotilla.scope', 'everything', true);
      perform tell_change(project_id, change) from memberships where user_id = id;
      perform set_config('flotilla.scope', scope, true);
      return null;
    end $$;
  `.execute(db);
}

const PROJECT_TABLES = [
  'memberships',
  'api_tokens',
  'documents',
  'document_names',
  'document_references',
  'policies',
  'clients',
  'services',
  'commands',
  'config_errors',
  'client_certificates',
  'enrolment_tokens',
  'shield_counts',
  'shield_events',
  'shield_event_drops',
];

const CHILD_TABLES: readonly (readonly [table: string, parent: string, via: string])[] = [
  ['document_revisions', 'documents', 'document_id'],
  ['policy_revisions', 'policies', 'policy_id'],
  ['service_revisions', 'services', 'service_id'],
  ['service_targets', 'services', 'service_id'],
  ['admin_ports', 'clients', 'client_id'],
  ['node_states', 'clients', 'client_id'],
  ['client_stats', 'clients', 'client_id'],
  ['client_samples', 'clients', 'client_id'],
  ['shield_marks', 'clients', 'client_id'],
  ['shield_event_marks', 'clients', 'client_id'],
];

async function guardTables(db: Kysely<unknown>): Promise<void> {
  for (const table of PROJECT_TABLES) await sql`select guard_project_table(${sql.lit(table)})`.execute(db);
  await sql`select guard_project_table('projects', 'id')`.execute(db);
  for (const [table, parent, via] of CHILD_TABLES)
    await sql`select guard_child_table(${sql.lit(table)}, ${sql.lit(parent)}, ${sql.lit(via)})`.execute(db);
  await sql`
    select guard_project_table('audit_log');
    -- What concerns no project is recorded from everywhere, and read in the scope of everything.
    create policy of_the_installation on audit_log for insert with check (project_id is null);
    -- A person's own places, whatever the project.
    create policy own on memberships for select using (user_id = (select scope_user()));
    create policy own on projects for select
      using (id in (select project_id from memberships where user_id = (select scope_user())));
  `.execute(db);
}
