import { type Kysely, sql } from 'kysely';

/**
 * What belongs to a thing is held as the thing itself (migration 0020): in the scope of a maker, a statement on the parts of what
 * they may not change fails, and one on permissions, members and groups fails always. Statements of triggers and cascades
 * are not asked again: what set them off was.
 *
 * And what a provider of OpenID Connect has given for somebody who signs in there: a refresh token, by which it is asked
 * whether they are there still.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_maker(kind text) returns void language plpgsql as $$
    begin
      raise exception 'no permission to change this %', kind using errcode = 'insufficient_privilege';
    end $$;
    create function require_maker(kind text, thing uuid) returns void language plpgsql as $$
    begin
      if not may_reach(scope_maker(), scope_project(), kind, thing, 'change') then
        perform refuse_maker(kind);
      end if;
    end $$;

    -- Calls require_maker for what each row belonged to and belongs to; asks is an expression over part, a row of the table.
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
    end $$;
    create function hold_parts(held regclass, kind text, id name, events text default 'insert or update or delete')
      returns void language plpgsql as $$
    begin
      perform hold_rows(held, events, format('require_maker(%L, part.%I)', kind, id));
    end $$;
  `.execute(db);
  await sql`
    select hold_parts('document_revisions', 'document', 'document_id');
    select hold_parts('document_names', 'document', 'document_id');
    select hold_rows('document_references', 'insert or update or delete',
      'require_maker(case part.from_collection when ''services'' then ''service'' else ''document'' end, part.from_id)');
    select hold_parts('policy_revisions', 'policy', 'policy_id');
    select hold_parts('service_revisions', 'service', 'service_id');
    select hold_parts('service_targets', 'service', 'service_id');
    select hold_parts('admin_ports', 'service', 'service_id');
    select hold_parts('node_states', 'service', 'service_id');
    select hold_parts('config_errors', 'service', 'service_id');
    select hold_parts('client_certificates', 'client', 'client_id');
    select hold_rows('commands', 'insert or update or delete',
      'case when part.service_id is not null then require_maker(''service'', part.service_id)
        else require_maker(''client'', part.client_id) end');
    -- Told by filters, in no maker's scope.
    select hold_parts(name::regclass, 'service', 'service_id', 'delete')
      from unnest(array['shield_counts', 'shield_events', 'shield_event_drops']) as name;

    -- The revision of what a client should run is raised in passing, by whoever changes something that it runs.
    create function hold_client() returns trigger language plpgsql as $$
    declare
      beside clients;
    begin
      if tg_op = 'UPDATE' then
        beside := new;
        beside.desired_revision := old.desired_revision;
        if beside *= old then
          return new;
        end if;
      end if;
      perform require_maker('client', old.id);
      return case when tg_op = 'DELETE' then old else new end;
    end $$;
    create trigger held before update or delete on clients for each row
      when (scope_maker() is not null and pg_trigger_depth() = 0) execute function hold_client();

    -- Who belongs to a project and reaches what of it is for its administrators, who are no makers.
    create function hold_always() returns trigger language plpgsql as $$
    begin
      perform refuse_maker(tg_argv[0]);
      return null;
    end $$;
  `.execute(db);
  for (const [table, kind] of ADMINISTERED)
    await sql`create trigger held before insert or update or delete on ${sql.table(table)} for each row
      when (scope_maker() is not null and pg_trigger_depth() = 0) execute function hold_always(${sql.lit(kind)})`.execute(
      db,
    );
  await sql`
    -- asked_at: since when it is asked by this token, where no answer is known.
    create table provider_grants (
      user_id uuid primary key references users on delete cascade,
      id uuid not null,
      issuer text not null,
      client_id text not null,
      sealed_token bytea not null,
      granted_at timestamptz not null,
      asked_at timestamptz
    );
    select guard_sealed_column('provider_grants', 'sealed_token');
  `.execute(db);
}

const ADMINISTERED = [
  ['permissions', 'permission'],
  ['memberships', 'membership'],
  ['groups', 'group'],
  ['group_members', 'group'],
  ['projects', 'project'],
] as const;
