import { type Kysely, sql } from 'kysely';

/**
 * What one statement writes to many rows is told at once: equal news once, and of more than a hundred of one topic in one
 * project a single one without ids, as listeners would hear it anyway. Samples are told by their project, with as many
 * clients as a notification holds. Updates of clients and nodes stay as they are: their conditions cost less than copies of
 * the rows, and most of them are no news.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_changes(news jsonb) returns void language plpgsql as $$
    begin
      insert into outbox (topic, payload, at)
        select 'live.changed', payload, clock_timestamp() from (
          select distinct case when count(*) over (partition by change -> 'project', change -> 'topic') > 100
            then jsonb_build_object('project', change -> 'project', 'topic', change -> 'topic') else change end as payload
          from (select distinct value as change from jsonb_array_elements(news)) each
        ) told;
      if found then perform pg_notify('outbox', 'live.changed'); end if;
    end $$;

    -- Not of questions: whoever asks waits for the answer.
    drop trigger commands_told_new on commands;
    drop trigger commands_told on commands;
    create function tell_commands() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        perform tell_changes(jsonb_agg(jsonb_build_object('topic', 'command', 'project', project_id, 'command_id', id,
          'client_id', client_id, 'service_id', service_id, 'status', status))) from told where kind <> 'query' having count(*) > 0;
      else
        perform tell_changes(jsonb_agg(jsonb_build_object('topic', 'command', 'project', project_id, 'command_id', id,
            'client_id', client_id, 'service_id', service_id, 'status', told.status)))
          from told join (select id, status, step from known) before using (id)
          where told.kind <> 'query'
            and (told.status is distinct from before.status or told.step is distinct from before.step)
          having count(*) > 0;
      end if;
      return null;
    end $$;
    create trigger commands_told_new after insert on commands
      referencing new table as told for each statement execute function tell_commands();
    create trigger commands_told after update on commands
      referencing new table as told old table as known for each statement execute function tell_commands();

    drop trigger config_errors_told on config_errors;
    create function tell_config_errors() returns trigger language plpgsql as $$
    begin
      perform tell_changes(jsonb_agg(distinct jsonb_build_object('topic', 'config_error', 'project', project_id,
        'service_id', service_id))) from told having count(*) > 0;
      return null;
    end $$;
    create trigger config_errors_told_new after insert on config_errors
      referencing new table as told for each statement execute function tell_config_errors();
    create trigger config_errors_told after update on config_errors
      referencing new table as told for each statement execute function tell_config_errors();
    create trigger config_errors_told_gone after delete on config_errors
      referencing old table as told for each statement execute function tell_config_errors();

    drop trigger policies_told on policies;
    create function tell_policies() returns trigger language plpgsql as $$
    begin
      perform tell_changes(jsonb_agg(jsonb_build_object('topic', 'policy', 'project', project_id, 'name', name)))
        from told having count(*) > 0;
      return null;
    end $$;
    create trigger policies_told_new after insert on policies
      referencing new table as told for each statement execute function tell_policies();
    create trigger policies_told after update on policies
      referencing new table as told for each statement execute function tell_policies();
    create trigger policies_told_gone after delete on policies
      referencing old table as told for each statement execute function tell_policies();

    drop trigger node_states_told_new on node_states;
    create function tell_nodes() returns trigger language plpgsql as $$
    begin
      perform tell_changes(jsonb_agg(jsonb_build_object('topic', 'node', 'project', clients.project_id,
          'service_id', told.service_id, 'client_id', told.client_id)))
        from told join clients on clients.id = told.client_id having count(*) > 0;
      return null;
    end $$;
    create trigger node_states_told_new after insert on node_states
      referencing new table as told for each statement execute function tell_nodes();
    create trigger node_states_told_gone after delete on node_states
      referencing old table as told for each statement execute function tell_nodes();

    drop trigger client_stats_told on client_stats;
    drop function tell_sample();
    -- 200 ids: a notification holds less than 8,000 bytes.
    create function tell_samples() returns trigger language plpgsql as $$
    begin
      perform pg_notify('client_samples', project_id || ' ' || string_agg(id::text, ','))
        from (select clients.id, project_id, row_number() over (partition by project_id) / 200 as part
          from told join clients on clients.id = told.client_id) placed
        group by project_id, part;
      return null;
    end $$;
    create trigger client_stats_told_new after insert on client_stats
      referencing new table as told for each statement execute function tell_samples();
    create trigger client_stats_told after update on client_stats
      referencing new table as told for each statement execute function tell_samples();
  `.execute(db);
}
