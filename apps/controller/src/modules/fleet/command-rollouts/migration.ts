import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table command_rollout_targets (
  job_id uuid references jobs on delete cascade,
  client_id uuid,
  wave int not null,
  command_ids uuid[] not null,
  refusal text,
  sent_at timestamptz not null,
  settled_at timestamptz,
  primary key (job_id, client_id)
);
select guard_child_table('command_rollout_targets', 'jobs', 'job_id');
`);
