import { type Kysely, sql } from 'kysely';

/** Clients, services and what they should and do run, commands, configuration errors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Generations, revisions of desired states and fences: one sequence, so that each only ever grows, also when a
    -- service leaves a client and comes back.
    create sequence fleet_generation;

    -- Controllers that are up: a client is connected while the controller that holds its stream is.
    create table controllers (
      id uuid primary key,
      started_at timestamptz not null,
      seen_at timestamptz not null
    );

    create table clients (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      name text not null,
      hostname text not null,
      os text not null,
      arch text not null,
      kernel text not null,
      agent_version text not null,
      provider text not null,
      metadata jsonb not null,
      bgp boolean not null default false,
      cores integer not null,
      memory_bytes bigint not null,
      runtime_dir text not null,
      data_dir text not null,
      -- The controller that holds the stream; a newer stream has a higher epoch.
      connected_to uuid,
      connection_epoch bigint not null default 0,
      connect_time timestamptz,
      connect_reason text,
      disconnect_time timestamptz,
      disconnect_reason text,
      last_seen timestamptz,
      desired_revision bigint not null default 0,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );
    create index clients_project on clients (project_id, name);
    create index clients_connected on clients (connected_to) where connected_to is not null;

    create table client_stats (
      client_id uuid primary key references clients on delete cascade,
      at timestamptz not null,
      load_percent double precision not null,
      memory_percent double precision not null,
      stats jsonb not null
    );

    create table services (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      name text not null,
      version text not null,
      bootstrap text not null,
      listeners text[] not null,
      policies text[] not null,
      shield_threads integer not null,
      shield_xff_trusted_hops integer not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      updated_by text not null,
      revision bigint not null default 1,
      unique (project_id, name)
    );

    create table service_revisions (
      service_id uuid not null references services on delete cascade,
      revision bigint not null,
      at timestamptz not null,
      by_name text not null,
      document jsonb not null,
      primary key (service_id, revision)
    );

    -- One row per service and client: listed (deployed = false) or to be run.
    create table service_targets (
      service_id uuid not null references services on delete cascade,
      client_id uuid not null references clients,
      position integer not null,
      addresses text[] not null,
      deployed boolean not null default false,
      run_state text not null default 'running' check (run_state in ('running', 'stopped')),
      generation bigint not null,
      -- Another proxy version than the service's, set by DATAPLANE_VERSION.
      envoy_version text,
      -- Bootstrap and policies as they were sent last, sealed: they stay when newer ones cannot be made. The digest tells
      -- whether they have changed, and the generation at which it was taken.
      content_digest text,
      content_generation bigint,
      sealed_content bytea,
      primary key (service_id, client_id)
    );
    create index service_targets_client on service_targets (client_id);

    -- Outlives its target: the port is free when the client says that nothing of the service is left there.
    create table admin_ports (
      client_id uuid not null references clients on delete cascade,
      port integer not null check (port between 33100 and 39999),
      service_id uuid not null,
      primary key (client_id, port),
      unique (client_id, service_id)
    );

    -- What the agent says of one service on its host.
    create table node_states (
      client_id uuid not null references clients on delete cascade,
      service_id uuid not null,
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

    create table commands (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      -- No reference: the record of what was done stays when the client goes.
      client_id uuid not null,
      client_name text not null,
      service_id uuid,
      type text not null,
      sub_type text not null,
      operation text not null,
      fence bigint not null,
      -- Set for commands that change what the client should run: they are done when it runs this generation.
      generation bigint,
      payload jsonb not null,
      status text not null check (status in ('pending', 'sent', 'running', 'done', 'failed', 'refused', 'unknown')),
      error_code text,
      error_message text,
      result jsonb,
      step text,
      timeout_ms integer not null,
      created_by text not null,
      created_at timestamptz not null,
      sent_at timestamptz,
      deadline_at timestamptz,
      finished_at timestamptz
    );
    create index commands_unfinished on commands (client_id, fence) where status in ('pending', 'sent', 'running');
    create index commands_deadline on commands (deadline_at) where status in ('pending', 'sent', 'running');
    create index commands_finished on commands (finished_at) where finished_at is not null;
    create index commands_project on commands (project_id, created_at desc, id desc);

    create table config_errors (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      service_id uuid not null,
      client_id uuid,
      node_id text not null,
      source text not null check (source in ('rollout', 'policy', 'node', 'content', 'translation')),
      severity text not null check (severity in ('critical', 'error', 'warning')),
      resource_type text not null,
      resource_name text not null,
      message text not null,
      raw_message text not null,
      suggested_fix text,
      status text not null check (status in ('active', 'resolved')),
      first_seen timestamptz not null,
      last_seen timestamptz not null,
      occurrences integer not null,
      resolved_at timestamptz,
      resolved_by text
    );
    -- The same complaint of the same node about the same resource is one record.
    create unique index config_errors_same on config_errors (service_id, node_id, source, resource_type, resource_name, md5(raw_message));
    create index config_errors_project on config_errors (project_id, last_seen desc, id desc);
    create index config_errors_active on config_errors (service_id) where status = 'active';
    create index config_errors_node on config_errors (node_id) where status = 'active';
  `.execute(db);
}
