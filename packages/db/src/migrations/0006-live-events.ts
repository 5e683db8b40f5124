import { type Kysely, sql } from 'kysely';

/**
 * News for whoever watches: rows of topic `live.changed` in the outbox, written by triggers in the transaction of the change,
 * so that no way of writing can forget them. The payload is the event with the project it belongs to; null where it
 * concerns the installation. Also the indexes of the overview, the search and the history of commands.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_change(project uuid, change jsonb) returns void language plpgsql as $$
    begin
      insert into outbox (topic, payload, at)
        values ('live.changed', change || jsonb_build_object('project', project), clock_timestamp());
      perform pg_notify('outbox', 'live.changed');
    end $$;

    -- Arguments: topic, then pairs of the id's name in the event and its column.
    create function tell_row() returns trigger language plpgsql as $$
    declare
      changed jsonb;
      change jsonb := jsonb_build_object('topic', tg_argv[0]);
    begin
      if tg_op = 'DELETE' then changed := to_jsonb(old); else changed := to_jsonb(new); end if;
      for i in 1 .. tg_nargs - 1 by 2 loop
        change := change || jsonb_build_object(tg_argv[i], changed -> tg_argv[i + 1]);
      end loop;
      perform tell_change((changed ->> 'project_id')::uuid, change);
      return null;
    end $$;

    create trigger policies_told after insert or update or delete on policies
      for each row execute function tell_row('policy', 'name', 'name');
    create trigger config_errors_told after insert or update or delete on config_errors
      for each row execute function tell_row('config_error', 'service_id', 'service_id');
    create trigger audit_log_told after insert on audit_log
      for each row execute function tell_row('audit');
    create trigger memberships_told after insert or update or delete on memberships
      for each row execute function tell_row('user', 'user_id', 'user_id');
    create trigger enrolment_tokens_told after insert or update or delete on enrolment_tokens
      for each row execute function tell_row('enrolment_token', 'token_id', 'id');
    -- Not when it was last used: that is written with every use.
    create trigger api_tokens_told after insert or delete or update of name, role, expires_at on api_tokens
      for each row execute function tell_row('api_token', 'token_id', 'id');

    create function tell_project() returns trigger language plpgsql as $$
    declare
      id uuid := case when tg_op = 'DELETE' then old.id else new.id end;
    begin
      perform tell_change(id, jsonb_build_object('topic', 'project', 'project_id', id));
      return null;
    end $$;
    create trigger projects_told after insert or update or delete on projects
      for each row execute function tell_project();

    -- To every project that the user is a member of. A user who is deleted leaves their projects first.
    create function tell_user() returns trigger language plpgsql as $$
    declare
      id uuid := case when tg_op = 'DELETE' then old.id else new.id end;
      change jsonb := jsonb_build_object('topic', 'user', 'user_id', id);
    begin
      perform tell_change(null, change);
      perform tell_change(project_id, change) from memberships where user_id = id;
      return null;
    end $$;
    create trigger users_told after insert or delete or update of username, email, is_owner, active on users
      for each row execute function tell_user();

    -- Nobody is told of sessions; their streams end.
    create function tell_session_ended() returns trigger language plpgsql as $$
    begin
      perform tell_change(null, jsonb_build_object('topic', 'session', 'user_id', new.user_id));
      return null;
    end $$;
    create trigger sessions_told after update of ended_at on sessions
      for each row when (old.ended_at is distinct from new.ended_at) execute function tell_session_ended();

    create trigger commands_told_new after insert on commands
      for each row execute function tell_row('command', 'command_id', 'id', 'client_id', 'client_id',
        'service_id', 'service_id', 'status', 'status');
    create trigger commands_told after update on commands
      for each row when (old.status is distinct from new.status or old.step is distinct from new.step)
      execute function tell_row('command', 'command_id', 'id', 'client_id', 'client_id',
        'service_id', 'service_id', 'status', 'status');

    create function tell_client() returns trigger language plpgsql as $$
    begin
      perform tell_change(new.project_id, jsonb_build_object('topic', 'client', 'client_id', new.id, 'change', tg_argv[0]));
      return null;
    end $$;
    create trigger clients_told_new after insert on clients
      for each row execute function tell_client('facts');
    create trigger clients_told_facts after update on clients
      for each row when (old.updated_at is distinct from new.updated_at) execute function tell_client('facts');
    create trigger clients_told_connected after update on clients
      for each row when (new.connected_to is not null and old.connection_epoch is distinct from new.connection_epoch)
      execute function tell_client('connected');
    create trigger clients_told_disconnected after update on clients
      for each row when (old.connected_to is not null and new.connected_to is null)
      execute function tell_client('disconnected');

    -- What an agent says again in the same words is no news.
    create function tell_node() returns trigger language plpgsql as $$
    declare
      node node_states := case when tg_op = 'DELETE' then old else new end;
    begin
      perform tell_change(clients.project_id,
          jsonb_build_object('topic', 'node', 'service_id', node.service_id, 'client_id', node.client_id))
        from clients where clients.id = node.client_id;
      return null;
    end $$;
    create trigger node_states_told_new after insert or delete on node_states
      for each row execute function tell_node();
    create trigger node_states_told after update on node_states
      for each row when (
        (old.report, old.generation, old.phase, old.envoy_version, old.policy_digest, old.rollout_state,
          old.snapshot_version, old.resources) is distinct from
        (new.report, new.generation, new.phase, new.envoy_version, new.policy_digest, new.rollout_state,
          new.snapshot_version, new.resources))
      execute function tell_node();

    -- Samples come from every client all the time: they are told, but not kept in the outbox.
    create function tell_sample() returns trigger language plpgsql as $$
    begin
      perform pg_notify('client_samples', project_id || ' ' || id) from clients where id = new.client_id;
      return null;
    end $$;
    create trigger client_stats_told after insert or update on client_stats
      for each row execute function tell_sample();

    create index documents_like on documents using gin (lower(name) gin_trgm_ops);
    create index services_like on services using gin (lower(name) gin_trgm_ops);
    create index clients_like on clients using gin (lower(name) gin_trgm_ops);
    create index clients_updated on clients (project_id, updated_at desc);
    create index config_errors_open on config_errors (project_id, last_seen desc, id desc) where status = 'active';
    create index commands_open on commands (project_id) where status in ('pending', 'sent', 'running');
    create index commands_client on commands (client_id, created_at desc, id desc);
    create index commands_service on commands (service_id, created_at desc, id desc) where service_id is not null;
    create index node_states_unsettled on node_states (service_id) where rollout_state <> 'live';
  `.execute(db);
}
