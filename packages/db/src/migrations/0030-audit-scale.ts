import { type Kysely, sql } from 'kysely';

/**
 * The audit log of a project with a million entries. Counts come from the index of project and time alone, which holds what is
 * counted besides. The index of trigrams loses the request ids: made of random digits, they put every trigram of digits into
 * one entry of a hundred, and a search for a name with a number in it went through all of those. Whole request ids have
 * an index of their own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop index audit_log_project_at;
    create index audit_log_project_at on audit_log (project_id, at desc, id desc)
      include (outcome, action, actor_name, resource_type);

    drop index audit_log_text;
    drop function audit_text(text, text, text, text, text);
    -- 'case' and not 'coalesce': see 0028.
    create function audit_text(actor_name text, action text, resource_name text, path text)
      returns text language sql immutable parallel safe as $$
      select lower(
        case when actor_name is null then '' else actor_name end || E'\n' ||
        action || E'\n' ||
        case when resource_name is null then '' else resource_name end || E'\n' ||
        case when path is null then '' else path end)
    $$;
    create index audit_log_text on audit_log using gin
      (project_id, audit_text(actor_name, action, resource_name, path) gin_trgm_ops);
    create index audit_log_by_request on audit_log (project_id, request_id);
  `.execute(db);
}
