import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table ha_pairs (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  interval_ms int not null,
  misses int not null,
  fence_targets text[] not null,
  next_hops text[] not null,
  preempt boolean not null,
  config_rev bigint not null,
  -- JSON: the keys of the heartbeats and which of them signs. Null after the restore of a backup without secrets: the next read makes new ones.
  sealed_keys bytea,
  -- Which step of a rotation the members should have reached; null if there is none.
  rotation text check (rotation in ('accept', 'sign')),
  -- The configuration with which the step began.
  rotation_rev bigint,
  -- Why a slot is empty. The slot of a pair with two members is never vacant.
  vacancy_since timestamptz,
  vacancy_reason text,
  vacancy_priority int,
  -- A hand-over that was ordered may run until then.
  handover_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  unique (project_id, name)
);
select guard_project_table('ha_pairs');
select guard_sealed_column('ha_pairs', 'sealed_keys');

-- A client is a member of at most one pair. Its removal deletes its row, too. The deletion of a project deletes the client first.
create table ha_members (
  client_id uuid primary key references clients deferrable initially deferred,
  pair_id uuid not null references ha_pairs on delete cascade,
  slot int not null check (slot in (0, 1)),
  priority int not null,
  data_override text,
  mgmt_override text,
  interfaces jsonb not null default '{}',
  -- Of the pair as the member was last given it.
  given_digest text,
  unique (pair_id, slot),
  -- Checked at the end, so that two members can exchange their priorities.
  unique (pair_id, priority) deferrable initially deferred
);
select guard_child_table('ha_members', 'ha_pairs', 'pair_id');

-- The newest report of each member, without its history.
create table ha_reports (
  client_id uuid primary key references ha_members on delete cascade,
  report jsonb not null,
  reported_at timestamptz not null
);
select guard_child_table('ha_reports', 'clients', 'client_id');

create table ha_role_changes (
  pair_id uuid not null references ha_pairs on delete cascade,
  client_id uuid not null,
  -- The member's clock: a repeated report names the same time.
  at timestamptz not null,
  client_name text not null,
  role text not null,
  change jsonb not null,
  primary key (pair_id, client_id, at, role)
);
select guard_child_table('ha_role_changes', 'ha_pairs', 'pair_id');

-- When a member had the addresses, by its own clock.
create table ha_terms (
  pair_id uuid not null references ha_pairs on delete cascade,
  client_id uuid not null,
  epoch bigint not null,
  raised_at timestamptz not null,
  released_at timestamptz,
  -- The peer's clock minus the one of the member, when the term was first reported.
  skew_ms float8 not null,
  primary key (pair_id, client_id, epoch, raised_at)
);
select guard_child_table('ha_terms', 'ha_pairs', 'pair_id');

-- Work that a member owes: its part of a service should be as on the other one.
create table ha_sync (
  service_id uuid not null references services on delete cascade,
  client_id uuid not null references ha_members on delete cascade,
  pair_id uuid not null references ha_pairs on delete cascade,
  -- The member that has it already.
  source_id uuid not null,
  op text not null,
  since timestamptz not null,
  attempts int not null default 0,
  last_error text,
  next_attempt_at timestamptz not null,
  -- The command of the attempt that runs.
  command_id uuid,
  primary key (service_id, client_id)
);
select guard_child_table('ha_sync', 'ha_pairs', 'pair_id');
create index on ha_sync (pair_id);
`);
