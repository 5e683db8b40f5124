import { type Kysely, sql } from 'kysely';

/**
 * The record of deeds, sealed: each entry waits in `audit_unsealed` from the transaction that writes it until the sealer
 * links it into the chain of its project (`project_key`; all zeros for what concerns no project). The queue, not the
 * time, says what is still to be sealed, so a transaction that commits late is sealed late and never forgotten.
 *
 * Entries, links and checkpoints are written once: only the tables' owner may change or delete them, and the application
 * is not the owner.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create extension if not exists btree_gin;

    create table audit_unsealed (
      entry_id uuid primary key,
      project_key uuid not null
    );
    create table audit_chain (
      project_key uuid not null,
      seq bigint not null check (seq > 0),
      -- In the order of sealing over all projects; there is one sealer, so nothing comes in late below a number read.
      position bigint generated always as identity unique,
      entry_id uuid not null unique,
      entry_hash bytea not null,
      hash bytea not null,
      sealed_at timestamptz not null,
      primary key (project_key, seq)
    );
    create table audit_keys (
      key_id text primary key,
      public_key text not null,
      created_at timestamptz not null
    );
    create table audit_checkpoints (
      project_key uuid not null,
      seq bigint not null,
      hash bytea not null,
      at timestamptz not null,
      key_id text not null references audit_keys,
      signature bytea not null,
      primary key (project_key, seq)
    );

    create function queue_for_sealing() returns trigger language plpgsql as $$
    begin
      insert into audit_unsealed (entry_id, project_key)
        select id, coalesce(project_id, '00000000-0000-0000-0000-000000000000') from written;
      return null;
    end $$;
    create trigger audit_log_to_seal after insert on audit_log
      referencing new table as written for each statement execute function queue_for_sealing();
    insert into audit_unsealed (entry_id, project_key)
      select id, coalesce(project_id, '00000000-0000-0000-0000-000000000000') from audit_log;

    create function refuse_rewriting() returns trigger language plpgsql as $$
    begin
      if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') then return null; end if;
      raise exception '% is written once', tg_table_name using errcode = 'insufficient_privilege';
    end $$;
    create trigger audit_log_written_once before update or delete or truncate on audit_log
      for each statement execute function refuse_rewriting();
    create trigger audit_chain_written_once before update or delete or truncate on audit_chain
      for each statement execute function refuse_rewriting();
    create trigger audit_checkpoints_written_once before update or delete or truncate on audit_checkpoints
      for each statement execute function refuse_rewriting();
    create trigger audit_keys_written_once before update or delete or truncate on audit_keys
      for each statement execute function refuse_rewriting();

    -- As the newest page walks them: one filter of the list is one ordered walk.
    create index audit_log_by_action on audit_log (project_id, action, at desc, id desc);
    create index audit_log_by_actor on audit_log (project_id, actor_id, at desc, id desc);
    create index audit_log_by_actor_name on audit_log (project_id, actor_name, at desc, id desc);
    create index audit_log_by_type on audit_log (project_id, resource_type, at desc, id desc);
    create index audit_log_by_resource on audit_log (project_id, resource_id, at desc, id desc);
    create index audit_log_by_outcome on audit_log (project_id, outcome, at desc, id desc);
    create function audit_text(actor_name text, action text, resource_name text, path text, request_id text)
      returns text language sql immutable parallel safe as $$
      select lower(coalesce(actor_name, '') || E'\n' || action || E'\n' || coalesce(resource_name, '') || E'\n' ||
        coalesce(path, '') || E'\n' || coalesce(request_id, ''))
    $$;
    create index audit_log_text on audit_log using gin
      (project_id, audit_text(actor_name, action, resource_name, path, request_id) gin_trgm_ops);

    select guard_project_table('audit_unsealed', 'project_key');
    select guard_project_table('audit_chain', 'project_key');
    select guard_project_table('audit_checkpoints', 'project_key');
    do $$ begin
      if not (select relrowsecurity from pg_class where oid = 'audit_log'::regclass) then
        perform guard_project_table('audit_log');
      end if;
    end $$;
  `.execute(db);
}
