import { type Kysely, sql } from 'kysely';

/**
 * What kind a command is: questions that screens ask all the time are told apart from what people did, in the history, in
 * what is kept and in what watchers are told.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The default is for controllers of the version before, which write while they are being replaced.
    alter table commands add column kind text not null default 'action' check (kind in ('query', 'action', 'desired'));
    update commands set kind = case
        when type = 'CLIENT_STATS' or sub_type in ('SUB_STATUS', 'SUB_LOGS') or sub_type like 'GET\\_%'
          or operation like 'GET\\_%' then 'query'
        else 'desired' end
      where type <> 'SERVICE' or sub_type not in ('SUB_RESTART', 'SUB_RELOAD');

    create index commands_done on commands (project_id, created_at desc, id desc) where kind <> 'query';
    create index commands_asked on commands (project_id, created_at desc, id desc) where kind = 'query';
    create index commands_answered on commands (finished_at) where kind = 'query' and finished_at is not null;

    -- Whoever asks waits for the answer; nobody else has to read anything again for it.
    drop trigger commands_told_new on commands;
    create trigger commands_told_new after insert on commands
      for each row when (new.kind <> 'query')
      execute function tell_row('command', 'command_id', 'id', 'client_id', 'client_id',
        'service_id', 'service_id', 'status', 'status');
    drop trigger commands_told on commands;
    create trigger commands_told after update on commands
      for each row when (new.kind <> 'query'
        and (old.status is distinct from new.status or old.step is distinct from new.step))
      execute function tell_row('command', 'command_id', 'id', 'client_id', 'client_id',
        'service_id', 'service_id', 'status', 'status');
  `.execute(db);
}
