import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table node_states (
  client_id uuid references clients on delete cascade,
  service_id uuid,
  report jsonb,
  reported_at timestamptz,
  generation bigint not null default 0,
  phase text,
  envoy_version text,
  policy_digest text,
  rollout_state text,
  snapshot_version text,
  resources jsonb,
  rollout_at timestamptz,
  primary key (client_id, service_id)
);
create index node_states_service on node_states (service_id);
create index node_states_unsettled on node_states (service_id) where rollout_state <> 'live';
select guard_child_table('node_states', 'clients', 'client_id');
select hold_parts('node_states', 'service', 'service_id');

create function announce_node() returns trigger language plpgsql as $$
declare
  node node_states := case when tg_op = 'DELETE' then old else new end;
begin
  perform announce_change(clients.project_id,
      jsonb_build_object('topic', 'node', 'service_id', node.service_id, 'client_id', node.client_id))
    from clients where clients.id = node.client_id;
  return null;
end
$$;

create function announce_nodes() returns trigger language plpgsql as $$
begin
  perform announce_changes(jsonb_agg(jsonb_build_object('topic', 'node', 'project', clients.project_id,
      'service_id', changes.service_id, 'client_id', changes.client_id)))
    from changes join clients on clients.id = changes.client_id having count(*) > 0;
  return null;
end
$$;

create trigger node_states_announced after update on node_states
  for each row when (
    old.report is distinct from new.report
    or old.generation is distinct from new.generation
    or old.phase is distinct from new.phase
    or old.envoy_version is distinct from new.envoy_version
    or old.policy_digest is distinct from new.policy_digest
    or old.rollout_state is distinct from new.rollout_state
    or old.snapshot_version is distinct from new.snapshot_version
    or old.resources is distinct from new.resources)
  execute function announce_node();
create trigger node_states_announced_deleted after delete on node_states referencing old table as changes
  for each statement execute function announce_nodes();
create trigger node_states_announced_new after insert on node_states referencing new table as changes
  for each statement execute function announce_nodes();
`);
