import { type Kysely, sql } from 'kysely';

/**
 * Lets the text search of the audit log use its index of trigrams under row-level security: `audit_text` is inlined into
 * queries, and then each part of it must be one that PostgreSQL knows to tell nothing of hidden rows. `coalesce` is none,
 * whatever its arguments are; `case` is. The text is the same as before, so what is indexed stays good.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function audit_text(actor_name text, action text, resource_name text, path text, request_id text)
      returns text language sql immutable parallel safe as $$
      select lower(
        case when actor_name is null then '' else actor_name end || E'\n' ||
        action || E'\n' ||
        case when resource_name is null then '' else resource_name end || E'\n' ||
        case when path is null then '' else path end || E'\n' ||
        case when request_id is null then '' else request_id end)
    $$;
    -- As in 0013: only a superuser may say so; elsewhere a search reads its project's entries.
    do $$ begin
      if (select rolsuper from pg_roles where rolname = current_user) then
        alter function textcat(text, text) leakproof;
      end if;
    end $$;
  `.execute(db);
}
