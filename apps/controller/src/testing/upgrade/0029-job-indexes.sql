      do $$ begin
if to_regrole('flotilla_app') is null then create role flotilla_app nologin; end if;
exception when duplicate_object or unique_violation then null;
end $$;
create table if not exists "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
create table if not exists "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
    create extension if not exists pg_trgm;
create table users (
id uuid primary key,
username text not null,
email text,
-- Owners of the installation may do everything in every project; everybody else follows memberships.
is_owner boolean not null default false,
active boolean not null default true,
password_hash text not null,
password_changed_at timestamptz not null,
created_at timestamptz not null,
updated_at timestamptz not null,
revision bigint not null default 1
);
create unique index users_username on users (lower(username));
create table projects (
id uuid primary key,
name text not null,
description text,
created_at timestamptz not null,
updated_at timestamptz not null,
revision bigint not null default 1
);
create unique index projects_name on projects (lower(name));
create table memberships (
project_id uuid not null references projects on delete cascade,
user_id uuid not null references users on delete cascade,
role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
created_at timestamptz not null,
primary key (project_id, user_id)
);
create index memberships_user on memberships (user_id);
create table sessions (
id uuid primary key,
user_id uuid not null references users on delete cascade,
created_at timestamptz not null,
expires_at timestamptz not null,
ended_at timestamptz,
end_reason text,
ip text,
user_agent text
);
create index sessions_user on sessions (user_id) where ended_at is null;
create table api_tokens (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
name text not null,
role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
prefix text not null,
token_hash bytea not null unique,
created_by uuid references users on delete set null,
created_at timestamptz not null,
expires_at timestamptz,
last_used_at timestamptz,
unique (project_id, name)
);
-- Failed sign-ins, by account and address and by account alone; the key is a digest.
create table sign_in_attempts (
key text primary key,
failures integer not null,
last_at timestamptz not null,
blocked_until timestamptz not null
);
create index sign_in_attempts_last on sign_in_attempts (last_at);
create table audit_log (
id uuid primary key,
at timestamptz not null,
actor_kind text not null,
actor_id text,
actor_name text,
actor_role text,
project_id uuid,
action text not null,
resource_type text,
resource_id text,
resource_name text,
outcome text not null check (outcome in ('done', 'denied', 'failed')),
status integer not null,
error_code text,
method text,
path text,
client_ip text,
user_agent text,
request_id text,
changes jsonb
);
create index audit_log_project_at on audit_log (project_id, at desc, id desc);
create index audit_log_at on audit_log (at desc, id desc);
create table idempotency_keys (
actor text not null,
key text not null,
route text not null,
body_digest bytea not null,
-- Sealed with the keyring: an answer may hold what is shown only once.
answer bytea not null,
created_at timestamptz not null,
primary key (actor, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
-- Changes for the other roles and controllers; read by cursor after a NOTIFY on channel 'outbox'.
create table outbox (
seq bigint generated always as identity primary key,
topic text not null,
payload jsonb not null,
at timestamptz not null
);
-- Values of the installation itself: keys wrapped by the master key, one row each.
create table installation (
name text primary key,
value jsonb not null,
updated_at timestamptz not null
);
    create table documents (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
-- Proxy version, e.g. 1.39.3: every document exists once per version.
version text not null,
collection text not null,
name text not null,
-- Full name of the Envoy message.
type text not null,
description text,
labels jsonb not null default '{}',
-- json, not jsonb: people get their members back in the order they wrote them. Holds no private value.
resource json not null,
-- Private values, sealed: JSON of [{path, value}]. Null when there are none.
sealed bytea,
-- Where private values are: [{path, updated_at}].
private jsonb not null default '[]',
revision bigint not null default 1,
created_at timestamptz not null,
updated_at timestamptz not null,
updated_by text not null,
unique (project_id, version, collection, name)
);
create index documents_updated on documents (project_id, updated_at desc, id);
create index documents_labels on documents using gin (labels jsonb_path_ops);
create table document_revisions (
document_id uuid not null references documents on delete cascade,
revision bigint not null,
type text not null,
description text,
labels jsonb not null,
resource json not null,
sealed bytea,
private jsonb not null,
created_at timestamptz not null,
created_by text not null,
primary key (document_id, revision)
);
-- Names that a document gives to things: its own, and for bootstraps those of their static clusters and secrets.
create table document_names (
document_id uuid not null references documents on delete cascade,
project_id uuid not null,
version text not null,
collection text not null,
name text not null,
primary key (document_id, collection, name)
);
create index document_names_target on document_names (project_id, version, collection, name);
-- Who needs what, written in the transaction of the document or service that needs it.
create table document_references (
from_id uuid not null,
-- 'services' or the collection of a document.
from_collection text not null,
from_name text not null,
project_id uuid not null references projects on delete cascade,
-- Empty for policies, which have no version.
version text not null,
to_collection text not null,
to_name text not null,
-- name: one of Envoy's own; ref: {"$ref"}; member: a virtual host of its route configuration; service: of a service.
kind text not null check (kind in ('name', 'ref', 'member', 'service')),
path text not null
);
create index document_references_from on document_references (from_id);
create index document_references_target on document_references (project_id, version, to_collection, to_name);
create table policies (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
name text not null,
description text,
-- The document as it was written, raw keys replaced by their digests.
text text not null,
-- Files that the document names: [{path, content_base64}], of secrets [{path, sealed_base64, bytes, updated_at}].
files jsonb not null default '[]',
digest text not null,
revision bigint not null default 1,
created_at timestamptz not null,
updated_at timestamptz not null,
updated_by text not null,
unique (project_id, name)
);
create table policy_revisions (
policy_id uuid not null references policies on delete cascade,
revision bigint not null,
description text,
text text not null,
files jsonb not null,
digest text not null,
created_at timestamptz not null,
created_by text not null,
primary key (policy_id, revision)
);
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
    -- One row. The key is sealed by the keyring.
create table certificate_authority (
singleton boolean primary key default true check (singleton),
certificate bytea not null,
sealed_key bytea not null,
created_at timestamptz not null,
expires_at timestamptz not null
);
-- No reference to clients: what was issued stays known after the client is gone.
create table client_certificates (
serial text primary key,
client_id uuid not null,
project_id uuid not null,
key_digest bytea not null,
issued_at timestamptz not null,
expires_at timestamptz not null,
revoked_at timestamptz,
revoke_reason text
);
create index client_certificates_client on client_certificates (client_id, expires_at desc);
create index client_certificates_revoked on client_certificates (expires_at) where revoked_at is not null;
create table enrolment_tokens (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
secret_hash bytea not null unique,
note text,
created_by text not null,
created_at timestamptz not null,
expires_at timestamptz not null,
used_at timestamptz,
used_by_client uuid,
-- Of the key that used it: the same host may ask again when the answer never reached it.
used_key_digest bytea
);
create index enrolment_tokens_project on enrolment_tokens (project_id, created_at desc, id desc);
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
    -- Averages of so many samples. The newest minute is written again and again: room is left for that.
create table client_samples (
client_id uuid not null references clients on delete cascade,
minute timestamptz not null,
samples integer not null,
cpu_percent double precision not null,
load1_per_core double precision not null,
load5_percent double precision not null,
memory_percent double precision not null,
memory_used_bytes double precision not null,
memory_total_bytes double precision not null,
disk_used_percent double precision,
disk_mount text,
rx_bytes_per_s double precision,
tx_bytes_per_s double precision,
envoy_cpu_percent double precision not null,
envoy_rss_bytes double precision not null,
shield_cpu_percent double precision not null,
shield_rss_bytes double precision not null,
primary key (client_id, minute)
) with (fillfactor = 80);
create index client_samples_minute on client_samples (minute);
-- No reference to clients and services: what was counted stays when they go.
create table shield_counts (
project_id uuid not null references projects on delete cascade,
minute timestamptz not null,
service_id uuid not null,
client_id uuid not null,
policy text not null,
engine text not null,
reason text not null,
verdict text not null check (verdict in ('allowed', 'blocked', 'detected', 'error')),
count bigint not null,
primary key (project_id, minute, service_id, client_id, policy, engine, reason, verdict)
) with (fillfactor = 80);
create index shield_counts_minute on shield_counts (minute);
-- Totals of each run (epoch) of each filter that have been counted already: a total that is told again adds nothing.
create table shield_marks (
client_id uuid not null references clients on delete cascade,
service_id uuid not null,
epoch uuid not null,
policy text not null,
engine text not null,
reason text not null,
verdict text not null,
total bigint not null,
seen_at timestamptz not null,
primary key (client_id, service_id, epoch, policy, engine, reason, verdict)
) with (fillfactor = 80);
create index shield_marks_seen on shield_marks (seen_at);
    -- The default is for controllers of the version before, which write while they are being replaced.
alter table commands add column kind text not null default 'action' check (kind in ('query', 'action', 'desired'));
update commands set kind = case
when type = 'CLIENT_STATS' or sub_type in ('SUB_STATUS', 'SUB_LOGS') or sub_type like 'GET\_%'
or operation like 'GET\_%' then 'query'
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
    -- No reference to clients and services: what was found stays when they go.
create table shield_events (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
time timestamptz not null,
service_id uuid not null,
client_id uuid not null,
request_id text not null,
method text not null,
host text not null,
path text not null,
policy text not null,
route text not null,
engine text not null,
reason text not null,
severity text not null check (severity in ('info', 'low', 'medium', 'high', 'critical')),
verdict text not null check (verdict in ('blocked', 'detected', 'error')),
status smallint not null,
subject text not null,
source_ip inet,
digest text not null,
detail text not null
);
create index shield_events_newest on shield_events (project_id, time desc, id desc);
-- What is kept of a client is counted by it.
create index shield_events_client on shield_events (project_id, client_id, time desc, id desc);
create index shield_events_service on shield_events (project_id, service_id, time desc, id desc);
create index shield_events_policy on shield_events (project_id, policy, time desc, id desc);
create index shield_events_source on shield_events (project_id, source_ip, time desc);
create index shield_events_request on shield_events (project_id, request_id) where request_id <> '';
create index shield_events_subject on shield_events (project_id, subject, time desc) where subject <> '';
create index shield_events_time on shield_events (time);
-- The last number that was stored of each run (epoch) of each filter: what is told again adds nothing.
create table shield_event_marks (
client_id uuid not null references clients on delete cascade,
service_id uuid not null,
epoch uuid not null,
seq bigint not null,
seen_at timestamptz not null,
primary key (client_id, service_id, epoch)
) with (fillfactor = 80);
create index shield_event_marks_seen on shield_event_marks (seen_at);
create function tell_shield_events() returns trigger language plpgsql as $$
begin
perform tell_changes(jsonb_agg(distinct jsonb_build_object('topic', 'shield_event', 'project', project_id,
'service_id', service_id))) from told having count(*) > 0;
return null;
end $$;
create trigger shield_events_told_new after insert on shield_events
referencing new table as told for each statement execute function tell_shield_events();
alter table config_errors drop constraint config_errors_source_check;
alter table config_errors add constraint config_errors_source_check
check (source in ('rollout', 'policy', 'node', 'content', 'translation', 'filter'));
    alter table shield_events add column search text collate "C" not null generated always as (lower(
host || chr(10) || path || chr(10) || subject || chr(10) || reason || chr(10) || policy || chr(10) || detail
|| chr(10) || request_id)) stored;
    create table shield_event_drops (
project_id uuid not null references projects on delete cascade,
service_id uuid not null,
client_id uuid not null,
time timestamptz not null,
count bigint not null check (count > 0),
primary key (project_id, time, service_id, client_id)
);
create index shield_event_drops_time on shield_event_drops (time);
    create function scope_all() returns boolean language sql stable parallel safe as $$
select coalesce(current_setting('flotilla.scope', true) = 'everything', false)
$$;
create function scope_project() returns uuid language sql stable parallel safe as $$
select case when current_setting('flotilla.scope', true) like 'project:%'
then substr(current_setting('flotilla.scope', true), 9)::uuid end
$$;
create function scope_user() returns uuid language sql stable parallel safe as $$
select case when current_setting('flotilla.scope', true) like 'user:%'
then substr(current_setting('flotilla.scope', true), 6)::uuid end
$$;
create function guard_project_table(guarded regclass, via name default 'project_id') returns void
language plpgsql as $$
begin
execute format('alter table %s enable row level security, force row level security', guarded);
execute format(
'create policy in_scope on %s
using (%I = (select scope_project()) or (select scope_all()))
with check (%I = (select scope_project()) or (select scope_all()))',
guarded, via, via);
end
$$;
create function guard_child_table(guarded regclass, parent regclass, via name) returns void
language plpgsql as $$
begin
execute format('alter table %s enable row level security, force row level security', guarded);
execute format(
'create policy in_scope on %1$s
using ((select scope_all()) or exists (select 1 from %2$s parent where parent.id = %1$s.%3$I))
with check ((select scope_all()) or exists (select 1 from %2$s parent where parent.id = %1$s.%3$I))',
guarded, parent, via);
end
$$;
select guard_project_table('memberships');
select guard_project_table('api_tokens');
select guard_project_table('documents');
select guard_project_table('document_names');
select guard_project_table('document_references');
select guard_project_table('policies');
select guard_project_table('clients');
select guard_project_table('services');
select guard_project_table('commands');
select guard_project_table('config_errors');
select guard_project_table('client_certificates');
select guard_project_table('enrolment_tokens');
select guard_project_table('shield_counts');
select guard_project_table('shield_events');
select guard_project_table('shield_event_drops');
select guard_project_table('projects', 'id');
select guard_child_table('document_revisions', 'documents', 'document_id');
select guard_child_table('policy_revisions', 'policies', 'policy_id');
select guard_child_table('service_revisions', 'services', 'service_id');
select guard_child_table('service_targets', 'services', 'service_id');
select guard_child_table('admin_ports', 'clients', 'client_id');
select guard_child_table('node_states', 'clients', 'client_id');
select guard_child_table('client_stats', 'clients', 'client_id');
select guard_child_table('client_samples', 'clients', 'client_id');
select guard_child_table('shield_marks', 'clients', 'client_id');
select guard_child_table('shield_event_marks', 'clients', 'client_id');
    select guard_project_table('audit_log');
-- What concerns no project is recorded from everywhere, and read in the scope of everything.
create policy of_the_installation on audit_log for insert with check (project_id is null);
-- A person's own places, whatever the project.
create policy own on memberships for select using (user_id = (select scope_user()));
create policy own on projects for select
using (id in (select project_id from memberships where user_id = (select scope_user())));
    -- Under a policy an index serves only operators that cannot tell of rows by their errors; these cannot, whatever the row
-- holds, and the indexes of trigrams need them. Only a superuser may say so: elsewhere a search reads its project's rows.
do $$ begin
if (select rolsuper from pg_roles where rolname = current_user) then
alter function textlike(text, text) leakproof;
alter function texticlike(text, text) leakproof;
alter function lower(text) leakproof;
alter function similarity_op(text, text) leakproof;
end if;
end $$;
-- Whoever changes a user tells all of the user's projects, also those that the change itself may not see.
create or replace function tell_user() returns trigger language plpgsql as $$
declare
id uuid := case when tg_op = 'DELETE' then old.id else new.id end;
change jsonb := jsonb_build_object('topic', 'user', 'user_id', id);
scope text := coalesce(current_setting('flotilla.scope', true), '');
begin
perform tell_change(null, change);
perform set_config('flotilla.scope', 'everything', true);
perform tell_change(project_id, change) from memberships where user_id = id;
perform set_config('flotilla.scope', scope, true);
return null;
end $$;
    alter table sessions
add column kind text not null default 'bearer' check (kind in ('bearer', 'browser')),
add column device text not null default '',
add column factors text[] not null default '{}',
add column last_used_at timestamptz,
add column last_ip text,
add column refresh_hash bytea unique,
-- The token itself, for those who come with the one before it: see refresh-tokens.ts.
add column refresh_sealed bytea;
alter table sessions alter column kind drop default, alter column device drop default;
-- Their refresh tokens were of another kind.
update sessions set ended_at = now(), end_reason = 'upgraded' where ended_at is null;
create table spent_refresh_tokens (
hash bytea primary key,
session_id uuid not null references sessions on delete cascade,
spent_at timestamptz not null
);
create index spent_refresh_tokens_session on spent_refresh_tokens (session_id);
-- The account that was tried, as a digest: what is forgotten when it is unlocked.
alter table sign_in_attempts add column account text;
create index sign_in_attempts_account on sign_in_attempts (account);
create table signing_keys (
kid text primary key,
sealed_secret bytea not null,
created_at timestamptz not null,
-- Null for the one that signs.
verifies_until timestamptz
);
create unique index signing_keys_current on signing_keys ((true)) where verifies_until is null;
    create table otp_enrolments (
user_id uuid primary key references users on delete cascade,
sealed_secret bytea not null,
confirmed_at timestamptz,
last_step bigint not null default 0,
created_at timestamptz not null
);
create table backup_codes (
user_id uuid not null references users on delete cascade,
hash bytea not null,
used_at timestamptz,
primary key (user_id, hash)
);
create table otp_enforcement (
project_id uuid unique nulls not distinct references projects on delete cascade,
enforced boolean not null,
updated_at timestamptz not null
);
select guard_project_table('otp_enforcement');
create policy of_own_projects on otp_enforcement for select
using ((select scope_user()) is not null and (project_id is null
or project_id in (select m.project_id from memberships m where m.user_id = (select scope_user()))));
create table sign_in_challenges (
id_hash bytea primary key,
user_id uuid not null references users on delete cascade,
primary_kind text not null,
sealed_set_up bytea,
attempts integer not null default 0,
created_at timestamptz not null,
expires_at timestamptz not null
);
create index sign_in_challenges_by_user on sign_in_challenges (user_id);
create index sign_in_challenges_by_expiry on sign_in_challenges (expires_at);
create table passkeys (
id uuid primary key,
user_id uuid not null references users on delete cascade,
credential_id bytea not null unique,
public_key bytea not null,
sign_count bigint not null,
transports text[] not null,
name text not null,
backed_up boolean not null,
created_at timestamptz not null,
last_used_at timestamptz
);
create index passkeys_by_user on passkeys (user_id);
create table passkey_questions (
hash bytea primary key,
user_id uuid references users on delete cascade,
expires_at timestamptz not null
);
create index passkey_questions_by_expiry on passkey_questions (expires_at);
create index passkey_questions_by_user on passkey_questions (user_id);
    create table groups (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
name text not null,
description text,
created_at timestamptz not null,
updated_at timestamptz not null,
revision bigint not null default 1,
unique (project_id, id)
);
create unique index groups_name on groups (project_id, lower(name));
select guard_project_table('groups');
-- Who leaves the project leaves its groups: nobody is in a group of a project without a membership there.
create table group_members (
project_id uuid not null,
group_id uuid not null,
user_id uuid not null,
added_at timestamptz not null,
primary key (group_id, user_id),
foreign key (project_id, group_id) references groups (project_id, id) on delete cascade,
foreign key (project_id, user_id) references memberships (project_id, user_id) on delete cascade
);
create index group_members_user on group_members (project_id, user_id);
select guard_project_table('group_members');
create trigger groups_told after insert or update or delete on groups
for each row execute function tell_row('group', 'group_id', 'id');
create trigger group_members_told after insert or delete on group_members
for each row execute function tell_row('group', 'group_id', 'group_id');
create table token_secrets (
id uuid primary key,
-- SHA-256. Secrets are random and long, so a plain digest tells nothing of them.
hash bytea not null unique,
token_kind text not null check (token_kind in ('api', 'enrolment')),
token_id uuid not null,
project_id uuid not null references projects on delete cascade,
-- Of an API token: who was given this secret. It does what they may do, at most, and ends with them.
issued_to uuid references users on delete set null,
-- How the token begins, by which people tell theirs apart.
prefix text not null,
created_at timestamptz not null,
-- Null: as long as its token.
expires_at timestamptz
);
create index token_secrets_token on token_secrets (token_id);
create index token_secrets_issued_to on token_secrets (issued_to);
insert into token_secrets (id, hash, token_kind, token_id, project_id, issued_to, prefix, created_at)
select gen_random_uuid(), token_hash, 'api', id, project_id, created_by, prefix, created_at from api_tokens
union all
select gen_random_uuid(), secret_hash, 'enrolment', id, project_id, null, '', created_at from enrolment_tokens;
-- After the copy: it holds whoever migrates, too.
select guard_project_table('token_secrets');
alter table api_tokens drop column token_hash, drop column prefix,
add column families text[], add column description text, add column last_used_ip text;
alter table enrolment_tokens drop column secret_hash;
drop trigger api_tokens_told on api_tokens;
create trigger api_tokens_told after insert or delete or update of name, description, role, families, expires_at
on api_tokens for each row execute function tell_row('api_token', 'token_id', 'id');
-- A rotation changes nothing of the token itself, and ends streams that came with a secret that is over.
create trigger token_secrets_told after insert or update on token_secrets
for each row when (new.token_kind = 'api') execute function tell_row('api_token', 'token_id', 'token_id');
create trigger token_secrets_ended after delete on token_secrets
for each row when (old.token_kind = 'api') execute function tell_row('api_token', 'token_id', 'token_id');
-- A token that goes, by whatever way, takes its secrets with it.
create function forget_secrets() returns trigger language plpgsql as $$
begin
delete from token_secrets where token_id = old.id;
return null;
end $$;
create trigger api_tokens_secrets after delete on api_tokens for each row execute function forget_secrets();
create trigger enrolment_tokens_secrets after delete on enrolment_tokens
for each row execute function forget_secrets();
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
select lower(coalesce(actor_name, '') || E'
' || action || E'
' || coalesce(resource_name, '') || E'
' ||
coalesce(path, '') || E'
' || coalesce(request_id, ''))
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
    create sequence job_fences;
create table jobs (
id uuid primary key,
number bigint not null generated always as identity,
project_id uuid references projects (id) on delete cascade,
type text not null,
params jsonb not null,
params_sealed bytea,
lock_key text,
is_small boolean not null default false,
status text not null default 'pending' check (status in
('pending', 'running', 'done', 'done_with_errors', 'failed', 'cancelled', 'dead', 'no_work')),
priority smallint not null default 0,
run_at timestamptz not null,
attempt int not null default 0,
attempts_max int not null,
step int not null default 0,
steps_total int not null,
progress jsonb,
fence bigint,
leased_by uuid,
leased_until timestamptz,
cancel_requested_at timestamptz,
parent_id uuid references jobs (id) on delete cascade,
children_total int not null default 0,
children_open int not null default 0,
children_failed int not null default 0,
retry_of uuid,
actor jsonb not null,
event_seq int not null default 0,
created_at timestamptz not null,
started_at timestamptz,
ended_at timestamptz,
error jsonb,
results jsonb
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create unique index jobs_number on jobs (number);
create index jobs_ready on jobs (is_small, priority, run_at, id) where status = 'pending' and children_open = 0;
create index jobs_leased on jobs (leased_until) where status = 'running';
create unique index jobs_lock on jobs (coalesce(project_id, '00000000-0000-0000-0000-000000000000'), lock_key)
where status in ('pending', 'running') and lock_key is not null;
create index jobs_list on jobs (project_id, created_at desc, id desc);
create index jobs_by_status on jobs (project_id, status, created_at desc, id desc);
create index jobs_by_type on jobs (project_id, type, created_at desc, id desc);
create index jobs_parent on jobs (parent_id) where parent_id is not null;
create index jobs_ended on jobs (ended_at) where ended_at is not null;
create table job_steps (
job_id uuid not null references jobs (id) on delete cascade,
step int not null,
name text not null,
status text not null check (status in ('running', 'waiting', 'failed', 'done')),
attempt int not null,
repeated boolean not null default false,
started_at timestamptz not null,
ended_at timestamptz,
result jsonb,
primary key (job_id, step)
);
create table job_events (
job_id uuid not null references jobs (id) on delete cascade,
seq int not null,
at timestamptz not null,
kind text not null,
data jsonb not null,
primary key (job_id, seq)
);
create table job_schedules (
id uuid primary key,
project_id uuid references projects (id) on delete cascade,
name text not null,
type text not null,
params jsonb not null,
params_sealed bytea,
cron text not null,
time_zone text not null,
enabled boolean not null,
actor jsonb not null,
next_run_at timestamptz,
last_job_id uuid,
created_at timestamptz not null,
unique nulls not distinct (project_id, name)
);
create index job_schedules_due on job_schedules (next_run_at) where enabled;
select guard_project_table('jobs');
select guard_child_table('job_steps', 'jobs', 'job_id');
select guard_child_table('job_events', 'jobs', 'job_id');
select guard_project_table('job_schedules');
    create table settings (
id uuid primary key,
project_id uuid references projects on delete cascade,
key text not null,
name text not null default '',
value jsonb not null,
secrets jsonb not null default '{}',
sealed bytea,
revision bigint not null default 0,
updated_at timestamptz not null,
updated_by text not null,
unique nulls not distinct (project_id, key, name)
);
create table setting_revisions (
setting_id uuid not null references settings on delete cascade,
project_id uuid,
revision bigint not null,
value jsonb not null,
secrets jsonb not null,
updated_at timestamptz not null,
updated_by text not null,
primary key (setting_id, revision)
);
select guard_project_table('settings');
select guard_project_table('setting_revisions');
create table storage_samples (
at timestamptz primary key,
bytes bigint not null
);
    alter table projects add column resource_access text not null default 'open'
check (resource_access in ('open', 'listed'));
create table permissions (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
resource_kind text not null check (resource_kind in ('document', 'policy', 'service', 'client')),
-- Null: all of the kind. No reference: it is of one of four tables, whose rows take their permissions along.
resource_id uuid,
-- One of the two. A person without a membership, and a group of another project, cannot be given anything.
user_id uuid,
group_id uuid,
level text not null check (level in ('view', 'use', 'change')),
-- Who gave it, by name; null: given to whoever made the thing.
granted_by text,
granted_at timestamptz not null,
check (num_nonnulls(user_id, group_id) = 1),
unique nulls not distinct (project_id, resource_kind, resource_id, user_id, group_id),
foreign key (project_id, user_id) references memberships (project_id, user_id) on delete cascade,
foreign key (project_id, group_id) references groups (project_id, id) on delete cascade
);
create index permissions_user on permissions (project_id, user_id, resource_kind) where user_id is not null;
create index permissions_group on permissions (project_id, group_id, resource_kind) where group_id is not null;
    create or replace function scope_project() returns uuid language sql stable parallel safe as $$
select case when current_setting('flotilla.scope', true) like 'project:%'
then substr(current_setting('flotilla.scope', true), 9, 36)::uuid end
$$;
create function scope_reader() returns uuid language sql stable parallel safe as $$
select case when current_setting('flotilla.scope', true) like 'project:%:reader:%'
then substr(current_setting('flotilla.scope', true), 53)::uuid end
$$;
create function scope_maker() returns uuid language sql stable parallel safe as $$
select case when current_setting('flotilla.scope', true) like 'project:%:maker:%'
then substr(current_setting('flotilla.scope', true), 52)::uuid end
$$;
-- Whether a member may do that much with a thing, by a permission of their own, of a group, or on the whole kind.
create function may_reach(member uuid, project uuid, kind text, thing uuid, wanted text) returns boolean
language sql stable as $$
select exists (
select 1 from permissions p
where p.project_id = project and p.resource_kind = kind and (p.resource_id = thing or p.resource_id is null)
and array_position(array['view', 'use', 'change'], p.level)
>= array_position(array['view', 'use', 'change'], wanted)
and (p.user_id = member or p.group_id in (
select g.group_id from group_members g where g.project_id = project and g.user_id = member)))
$$;
create function give_to_maker() returns trigger language plpgsql as $$
begin
insert into permissions (id, project_id, resource_kind, resource_id, user_id, level, granted_at)
values (gen_random_uuid(), new.project_id, tg_argv[0], new.id, scope_maker(), 'change', clock_timestamp());
return null;
end $$;
create function hold_maker() returns trigger language plpgsql as $$
begin
if not may_reach(scope_maker(), old.project_id, tg_argv[0], old.id, 'change') then
raise exception 'no permission to change this %', tg_argv[0] using errcode = 'insufficient_privilege';
end if;
return case when tg_op = 'DELETE' then old else new end;
end $$;
create function forget_permissions() returns trigger language plpgsql as $$
begin
delete from permissions
where project_id = old.project_id and resource_kind = tg_argv[0] and resource_id = old.id;
return null;
end $$;
-- What the reader is given of a kind, as the members of an object; with '*' it is all of it. Null where there is no reader.
create function reached(kind text) returns jsonb language sql stable as $$
select case when scope_reader() is not null then coalesce((
select jsonb_object_agg(coalesce(p.resource_id::text, '*'), true) from permissions p
where p.project_id = scope_project() and p.resource_kind = kind and (p.user_id = scope_reader() or p.group_id in (
select g.group_id from group_members g
where g.project_id = scope_project() and g.user_id = scope_reader()))), '{}') end
$$;
-- Each sub-select runs once in a statement, and the second only where there is a reader; a join with permissions would be
-- planned for everybody, which costs more than most of these statements.
create function list_parts(listed regclass, kind text, id name) returns void language plpgsql as $$
begin
execute format('create policy listed on %s as restrictive for select using ((select scope_reader()) is null
or jsonb_exists_any((select reached(%L)), array[''*'', %I::text]))', listed, kind, id);
end $$;
-- Rows of two kinds: with a service they are the service's.
create function list_mixed(listed regclass, is_service text, service name, other text, id name) returns void
language plpgsql as $$
begin
execute format('create policy listed on %1$s as restrictive for select using ((select scope_reader()) is null
or case when %2$s then jsonb_exists_any((select reached(''service'')), array[''*'', %3$I::text])
else jsonb_exists_any((select reached(%4$L)), array[''*'', %5$I::text]) end)',
listed, is_service, service, other, id);
end $$;
create function list_rows(listed regclass, kind text) returns void language plpgsql as $$
begin
perform list_parts(listed, kind, 'id');
execute format('create trigger %I after insert on %s for each row when (scope_maker() is not null)
execute function give_to_maker(%L)', kind || '_given', listed, kind);
-- Of clients only what is not theirs to change is written in passing.
if kind <> 'client' then
execute format('create trigger %I before update or delete on %s for each row when (scope_maker() is not null)
execute function hold_maker(%L)', kind || '_held', listed, kind);
end if;
execute format('create trigger %I after delete on %s for each row execute function forget_permissions(%L)',
kind || '_forgotten', listed, kind);
end $$;
    select guard_project_table('permissions');
select list_rows('documents', 'document');
select list_rows('policies', 'policy');
select list_rows('services', 'service');
select list_rows('clients', 'client');
select list_parts('document_names', 'document', 'document_id');
select list_mixed('document_references', 'from_collection = ''services''', 'from_id', 'document', 'from_id');
select list_mixed('commands', 'service_id is not null', 'service_id', 'client', 'client_id');
select list_parts(name::regclass, 'service', 'service_id')
from unnest(array['config_errors', 'shield_counts', 'shield_events', 'shield_event_drops']) as name;
select list_parts('client_certificates', 'client', 'client_id');
    create function tell_permissions() returns trigger language plpgsql as $$
begin
perform tell_changes(jsonb_agg(distinct jsonb_build_object('topic', 'permission', 'project', project_id)))
from told having count(*) > 0;
return null;
end $$;
create trigger permissions_told_new after insert on permissions
referencing new table as told for each statement execute function tell_permissions();
create trigger permissions_told after update on permissions
referencing new table as told for each statement execute function tell_permissions();
create trigger permissions_told_gone after delete on permissions
referencing old table as told for each statement execute function tell_permissions();
    create table audit_sinks (
name text primary key check (name in ('syslog', 'webhook')),
-- The last position of audit_chain that was delivered.
position bigint not null,
heads_at timestamptz,
delivered_at timestamptz,
failing_since timestamptz,
last_error text,
holder uuid,
leased_until timestamptz not null default 'epoch'
);
create table audit_holds (
id uuid primary key,
project_id uuid,
from_at timestamptz,
to_at timestamptz,
reason text not null,
created_by text not null,
created_at timestamptz not null,
released_by text,
released_at timestamptz,
check (from_at is null or to_at is null or from_at < to_at)
);
create table audit_bases (
project_key uuid not null,
seq bigint not null,
hash bytea not null,
at timestamptz not null,
entries bigint not null,
key_id text not null references audit_keys,
signature bytea not null,
primary key (project_key, seq)
);
create trigger audit_bases_written_once before update or delete or truncate on audit_bases
for each statement execute function refuse_rewriting();
select guard_project_table('audit_holds');
select guard_project_table('audit_bases', 'project_key');
create function audit_prune(of_key uuid, up_to bigint, based_at timestamptz, of_key_id text, of_signature bytea)
returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
link bytea;
gone bigint;
begin
if not scope_all() then raise exception 'pruning is for all projects' using errcode = 'insufficient_privilege'; end if;
perform pg_advisory_xact_lock(hashtextextended('audit-prune', 0));
select c.hash into link from audit_chain c join audit_checkpoints p using (project_key, seq)
where c.project_key = of_key and c.seq = up_to and p.hash = c.hash;
if link is null then raise exception 'number % is no signed end of the chain', up_to using errcode = 'check_violation'; end if;
if exists (
select from audit_holds h join audit_chain c on c.project_key = of_key and c.seq <= up_to
join audit_log l on l.id = c.entry_id
where h.released_at is null
and (h.project_id is null or coalesce(l.project_id, '00000000-0000-0000-0000-000000000000') = h.project_id)
and (h.from_at is null or l.at >= h.from_at) and (h.to_at is null or l.at < h.to_at)
) then raise exception 'an entry is held' using errcode = 'check_violation', constraint = 'audit_holds'; end if;
delete from audit_log l using audit_chain c where c.project_key = of_key and c.seq <= up_to and l.id = c.entry_id;
delete from audit_chain where project_key = of_key and seq <= up_to;
get diagnostics gone = row_count;
delete from audit_checkpoints where project_key = of_key and seq < up_to;
insert into audit_bases (project_key, seq, hash, at, entries, key_id, signature)
values (of_key, up_to, link, based_at, gone, of_key_id, of_signature);
return gone;
end $$;
    alter table users alter column password_hash drop not null;
create table external_identities (
issuer text not null,
subject text not null,
user_id uuid not null unique references users on delete cascade,
realm text not null,
created_at timestamptz not null,
last_seen_at timestamptz not null,
primary key (issuer, subject)
);
alter table memberships add column given_by text;
create table spent_sign_ins (
hash bytea primary key,
expires_at timestamptz not null
);
create index spent_sign_ins_by_expiry on spent_sign_ins (expires_at);
    alter table users add column must_change_password boolean not null default false;
-- What a session began with. Null: it began before this was kept.
alter table sessions add column primary_kind text;
do $$
declare scope text := coalesce(current_setting('flotilla.scope', true), '');
begin
perform set_config('flotilla.scope', 'everything', true);
insert into settings (id, project_id, key, value, revision, updated_at, updated_by)
select gen_random_uuid(), project_id, case when project_id is null then 'sign_in' else 'otp' end,
jsonb_build_object('otp_enforced', enforced), 1, updated_at, 'upgrade'
from otp_enforcement;
insert into setting_revisions (setting_id, project_id, revision, value, secrets, updated_at, updated_by)
select id, project_id, revision, value, secrets, updated_at, updated_by from settings
where key in ('sign_in', 'otp') and updated_by = 'upgrade';
perform set_config('flotilla.scope', scope, true);
end $$;
drop table otp_enforcement;
create policy sign_in_of_own_projects on settings for select
using ((select scope_user()) is not null and key in ('sign_in', 'otp') and (project_id is null
or project_id in (select m.project_id from memberships m where m.user_id = (select scope_user()))));
    create table backups (
id uuid primary key,
project_id uuid references projects on delete cascade,
origin text not null check (origin in ('made', 'scheduled', 'restore_point', 'uploaded')),
status text not null check (status in ('making', 'ready', 'failed')),
description text,
secret_free boolean not null,
-- What keeps the file from being read.
protection text not null check (protection in ('passphrase', 'installation', 'none')),
file text not null unique check (file ~ '^[0-9a-f-]{36}\.flotbk$'),
bytes bigint,
-- SHA-256 of the whole file.
sha256 text,
header jsonb,
sections jsonb,
created_at timestamptz not null,
created_by text not null,
verified_at timestamptz
);
create index backups_newest on backups (project_id, created_at desc);
select guard_project_table('backups');
    create table data_keys (
id integer primary key check (id > 0),
created_at timestamptz not null,
-- From then on values are sealed with it: by then every controller has read it.
seals_from timestamptz not null
);
create table master_keys (
id uuid primary key,
-- How the key comes of a pass phrase; null: it is a key itself.
derivation jsonb,
created_at timestamptz not null,
-- Null: the one that is meant to be used. Until then the one of before opens the database too.
expires_at timestamptz,
-- For other controllers that keep theirs in a file: the key, sealed with a data key, until hand_over_until.
sealed_key bytea,
hand_over_until timestamptz
);
create unique index master_keys_current on master_keys ((1)) where expires_at is null;
create table data_key_wraps (
key_id integer not null references data_keys on delete cascade,
master_id uuid not null references master_keys on delete cascade,
wrapped bytea not null,
primary key (key_id, master_id)
);
insert into data_keys (id, created_at, seals_from)
select 1, updated_at, updated_at from installation where name = 'data_key';
insert into master_keys (id, derivation, created_at)
select gen_random_uuid(), value -> 'derivation', updated_at from installation where name = 'data_key';
insert into data_key_wraps (key_id, master_id, wrapped)
select 1, master_keys.id, decode(value ->> 'sealed', 'base64') from installation, master_keys where name = 'data_key';
delete from installation where name = 'data_key';
create function sealing_key(sealed bytea) returns integer language sql immutable strict parallel safe as $$
select case
when octet_length(sealed) < 29 then null
when get_byte(sealed, 0) = 1 then 1
when get_byte(sealed, 0) = 2 then
(get_byte(sealed, 1) << 24) | (get_byte(sealed, 2) << 16) | (get_byte(sealed, 3) << 8) | get_byte(sealed, 4)
end
$$;
create function hold_sealing_key(key integer, place text) returns void language plpgsql as $$
begin
perform from data_keys where id = key for key share;
if not found then
raise exception 'what is written to % is not sealed with a key of this database', place
using errcode = 'integrity_constraint_violation';
end if;
end $$;
-- The function is made for the column: one that looked the column up would cost each write the planning of a query.
create function guard_sealed_column(sealed_table regclass, sealed_column name) returns void language plpgsql as $$
declare
checker text := 'hold_key_of_' || sealed_table::text || '_' || sealed_column;
begin
execute format(
'create function %I() returns trigger language plpgsql as $body$
begin
perform hold_sealing_key(sealing_key(new.%I), %L);
return new;
end $body$',
checker, sealed_column, sealed_table::text || '.' || sealed_column);
execute format(
'create trigger %I before insert or update of %I on %s for each row when (new.%2$I is not null)
execute function %4$I()',
sealed_column || '_sealed', sealed_column, sealed_table, checker);
end $$;
do $$
declare
place record;
begin
for place in
select attrelid::regclass as sealed_table, attname as sealed_column from pg_attribute
join pg_class on pg_class.oid = attrelid
where relnamespace = 'public'::regnamespace and relkind = 'r' and not attisdropped and atttypid = 'bytea'::regtype
and (attname ~ '(^|_)sealed(_|$)'
or (relname = 'idempotency_keys' and attname in ('body_digest', 'answer')))
loop
perform guard_sealed_column(place.sealed_table, place.sealed_column);
end loop;
end $$;
-- Files of policies that are secrets, and secrets of the installation, lie sealed in JSON.
create function hold_keys_of_files() returns trigger language plpgsql as $$
begin
perform hold_sealing_key(sealing_key(decode(file ->> 'sealed_base64', 'base64')), tg_table_name || '.files')
from jsonb_array_elements(new.files) file where file ? 'sealed_base64';
return new;
end $$;
create trigger files_sealed before insert or update of files on policies
for each row when (new.files @? '$[*].sealed_base64') execute function hold_keys_of_files();
create trigger files_sealed before insert or update of files on policy_revisions
for each row when (new.files @? '$[*].sealed_base64') execute function hold_keys_of_files();
create function hold_key_of_installation_secret() returns trigger language plpgsql as $$
begin
perform hold_sealing_key(sealing_key(decode(new.value ->> 'sealed', 'base64')), 'installation.value');
return new;
end $$;
create trigger value_sealed before insert or update of value on installation
for each row when (new.value ? 'sealed') execute function hold_key_of_installation_secret();
create table service_tokens (
id uuid primary key,
project_id uuid not null references projects on delete cascade,
kind text not null check (kind in ('discovery', 'zone')),
-- Of the zone; empty for discovery, of which a project has one.
name text not null default '',
created_at timestamptz not null,
created_by text not null,
unique (project_id, kind, name)
);
select guard_project_table('service_tokens');
create trigger service_tokens_secrets after delete on service_tokens
for each row execute function forget_secrets();
alter table token_secrets drop constraint token_secrets_token_kind_check,
add constraint token_secrets_token_kind_check check (token_kind in ('api', 'enrolment', 'discovery', 'zone'));
    create sequence controller_epochs;
alter table controllers
add column epoch bigint not null default nextval('controller_epochs'),
add column hostname text not null default '',
add column version text not null default '',
add column roles text[] not null default '{}',
add column rest_address text,
add column grpc_address text,
add column load jsonb;
create sequence lease_fences;
create table leases (
name text primary key,
holder uuid not null references controllers on delete cascade,
fence bigint not null default nextval('lease_fences'),
acquired_at timestamptz not null,
until timestamptz not null
);
create index leases_holder on leases (holder);
    create table threat_intel (
id boolean primary key default true check (id),
revision bigint not null default 0,
updated_at timestamptz,
updated_by text
);
insert into threat_intel default values;
create table threat_feeds (
name text primary key,
enabled boolean not null,
entry_count int not null,
sha256 text not null,
uploaded_at timestamptz not null,
uploaded_by text not null
);
create table threat_entries (
feed text not null references threat_feeds on delete cascade,
network cidr not null,
primary key (feed, network)
);
create index threat_entries_network on threat_entries using gist (network inet_ops);
create table geoip_databases (
kind text primary key check (kind in ('city', 'asn')),
upload_id uuid not null,
size bigint not null,
sha256 text not null,
database_type text not null,
built_at timestamptz not null,
source text not null,
uploaded_at timestamptz not null,
uploaded_by text not null
);
create table geoip_chunks (
upload_id uuid not null,
part int not null,
data bytea not null,
begun_at timestamptz not null,
primary key (upload_id, part)
);
alter table geoip_chunks alter column data set storage external;
    create or replace function audit_text(actor_name text, action text, resource_name text, path text, request_id text)
returns text language sql immutable parallel safe as $$
select lower(
case when actor_name is null then '' else actor_name end || E'
' ||
action || E'
' ||
case when resource_name is null then '' else resource_name end || E'
' ||
case when path is null then '' else path end || E'
' ||
case when request_id is null then '' else request_id end)
$$;
-- As in 0013: only a superuser may say so; elsewhere a search reads its project's entries.
do $$ begin
if (select rolsuper from pg_roles where rolname = current_user) then
alter function textcat(text, text) leakproof;
end if;
end $$;
    drop index jobs_leased;
drop index jobs_by_status;
create index jobs_running on jobs (leased_by) where status = 'running';
      grant usage on schema public to flotilla_app;
grant select, insert, update, delete on all tables in schema public to flotilla_app;
grant usage, select on all sequences in schema public to flotilla_app;
revoke all on kysely_migration, kysely_migration_lock from flotilla_app;
set session_replication_role = replica;
insert into admin_ports (client_id, port, service_id) overriding system value select client_id, port, service_id from json_populate_recordset(null::admin_ports, $rows$[
{"client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","port":33100,"service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b"},
{"client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","port":33101,"service_id":"01a20524-fd5d-7c66-99ca-ab3148a4f469"}
]$rows$);
insert into api_tokens (id, project_id, name, role, created_by, created_at, expires_at, last_used_at, families, description, last_used_ip) overriding system value select id, project_id, name, role, created_by, created_at, expires_at, last_used_at, families, description, last_used_ip from json_populate_recordset(null::api_tokens, $rows$[
{"id":"01a20524-93f5-7763-814c-ee8446b3e428","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"flotilla-up","role":"owner","created_by":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","created_at":"2026-11-22T21:23:32.981+00:00","last_used_at":"2026-11-22T21:23:33.196+00:00","last_used_ip":"127.0.0.1"},
{"id":"01a20524-f0c6-7f1b-a288-e2127c5573d9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"deploy-bot","role":"editor","created_by":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","created_at":"2026-11-22T21:23:56.742+00:00","last_used_at":"2026-11-22T21:24:22.215+00:00","last_used_ip":"127.0.0.1"},
{"id":"01a20524-f134-748c-ba5e-5c95bedbfc87","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"short","role":"viewer","created_by":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","created_at":"2026-11-22T21:23:56.852+00:00","expires_at":"2027-06-01T00:00:00+00:00","last_used_at":"2026-11-22T21:24:22.253+00:00","last_used_ip":"127.0.0.1"}
]$rows$);
insert into audit_chain (project_key, seq, "position", entry_id, entry_hash, hash, sealed_at) overriding system value select project_key, seq, "position", entry_id, entry_hash, hash, sealed_at from json_populate_recordset(null::audit_chain, $rows$[
{"project_key":"00000000-0000-0000-0000-000000000000","seq":1,"position":1,"entry_id":"01a20524-911c-74f6-89cd-3906c753faff","entry_hash":"\\xa31a2cfc586f67ed576726d977330d06a0c2f57eb024e1b2e99f4ebb8c57f6c4","hash":"\\x91f3fc8e1d328aa408791bd0635e7fe6e688f8af024f86ec8b63a5411d350117","sealed_at":"2026-11-22T21:23:33.05947+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":2,"position":10,"entry_id":"01a20524-eacb-777b-b5ac-c364c4fc2cf9","entry_hash":"\\x1a92571611457cd1f2c148000c757ac00921564a9680b2f8f12b6877f9a8f3b7","hash":"\\xa8ff39ac4e3510a44f5756f06f0ecf475211dbdcbd0e73d65d01d321133f2666","sealed_at":"2026-11-22T21:23:55.775191+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":3,"position":11,"entry_id":"01a20524-ec79-7686-b938-330c05441e02","entry_hash":"\\xbb69b5d2b16b4194d71d655632eaab97e4230d6168ef009d62e93020dce39919","hash":"\\x162b67247885bb9bb587730788d671f2056bcf92b2c459854cf0dcb08b5f2b79","sealed_at":"2026-11-22T21:23:56.068133+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":4,"position":12,"entry_id":"01a20524-ede2-75f5-956f-90a207ed26b6","entry_hash":"\\x55cc543e15a04356719d6401906dc53b4bc30a9076d4a5e7ceb509ec7efc1e66","hash":"\\xc130661952b78e0b2103ca8f6a58d4254205a6ea74827090901d0669559c6d53","sealed_at":"2026-11-22T21:23:56.453212+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":5,"position":13,"entry_id":"01a20524-ef02-757e-b4bb-5865c17722a8","entry_hash":"\\xc63bb090deec0507232c28de5746560118d4103af58bc7f7c04e2210cb070b46","hash":"\\x243a8ddd610afe5c49036636c728deef7aaf044da574b2648d3aa17e3f3f225a","sealed_at":"2026-11-22T21:23:56.78327+00:00"},
{"project_key":"01a20524-f01a-7074-9caf-1d8d5b014e9e","seq":1,"position":14,"entry_id":"01a20524-f01a-7dfa-8605-6a4d5547e1ca","entry_hash":"\\xc2dd4054999b0fdf29e01a74965a41f7b2d1bb4309c1081d6eca59cc95fae80b","hash":"\\xc4b3a30e069335741449c0d798fdec984859421dbc027f25720dc9237c5d228a","sealed_at":"2026-11-22T21:23:56.783388+00:00"},
{"project_key":"01a20524-f01a-7074-9caf-1d8d5b014e9e","seq":2,"position":15,"entry_id":"01a20524-f064-7af5-9db8-a1984f326948","entry_hash":"\\x9e48c005bebd57366ab9394826a1e936935ed6cfcbdacc07605f1c5334fe4daf","hash":"\\x6c258e4a397594465984a0f627183d0670d70fc82ed36acd4063de57c1146542","sealed_at":"2026-11-22T21:23:56.783396+00:00"},
{"project_key":"01a20524-f01a-7074-9caf-1d8d5b014e9e","seq":3,"position":31,"entry_id":"01a20524-faea-7339-8029-20e381c674b0","entry_hash":"\\x4fcc5e05a38e76390414fde2f120ed4c657cd197499a559f1a4f30aa8ff2abc8","hash":"\\xfde74498bd99debc5949876dc0398c0fb8af6d8a03f971f36f6b7a70e60580e1","sealed_at":"2026-11-22T21:23:59.502852+00:00"},
{"project_key":"01a20524-f01a-7074-9caf-1d8d5b014e9e","seq":4,"position":44,"entry_id":"01a20525-048a-7a28-bedd-aa31e1b4b7e2","entry_hash":"\\xa19fa921b7d67f40d07d10c885ab6ab4e10349599afbe8cb39b587e12efac8d2","hash":"\\xc710f20e94220abe93057f11956b53a8d3509d95790212f5eeaf3e7a4456de07","sealed_at":"2026-11-22T21:24:02.420993+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":6,"position":45,"entry_id":"01a20525-065c-76ac-9957-f54a49cd74ad","entry_hash":"\\x906dbc638581ae1c657610be1a71676b516e931263e9d090bc77630ceb9a6a4f","hash":"\\x888c7189b50af915796a2a5e23bb7bfa209bcfbe05d90c4af438e3ffb4a4603f","sealed_at":"2026-11-22T21:24:02.749602+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":7,"position":46,"entry_id":"01a20525-0738-76e5-8375-717127b151f1","entry_hash":"\\x860dd4a4f7baaed17527f1d8e7a35e51431a798f1363a89f365230c967186795","hash":"\\xc30d4553a06c2fedfc188740762b1e2c2499eac7dc2aa990f7629c03a3997595","sealed_at":"2026-11-22T21:24:02.749687+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":8,"position":49,"entry_id":"01a20525-093c-7f82-b219-6f1f59a0faa3","entry_hash":"\\x0f8848445d42e7e5ee7be47d5338ebc5ddac17149ef02c00b55050769bb3079e","hash":"\\x2cec1eb9f7ce631151d3ca2c4c866087a3fd9f1e9e7d4dbfe06ff2509e230a3e","sealed_at":"2026-11-22T21:24:03.359534+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":9,"position":51,"entry_id":"01a20525-0a46-7d5c-aef3-ac08c02fd4b3","entry_hash":"\\x4e43e6ed145b9e07c4a050a5379d4bb3e19d166ee8c1e17e9a1a53166cf6cdd9","hash":"\\xee6591f11353f8d1a80b46e64883e002d4dbc323bc13f24073e2117a78590af1","sealed_at":"2026-11-22T21:24:03.654346+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":10,"position":52,"entry_id":"01a20525-0ad0-7cb9-9a58-3988aa761d84","entry_hash":"\\x4dd28222a7041165c99f514685126b4f8b999b0ce7d08ab845dc1cb6ce6c62d5","hash":"\\x76303a24324bbda0fab60a125cb1de7646c7d5d158ad625a1f496612c6799ebe","sealed_at":"2026-11-22T21:24:03.654408+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":11,"position":53,"entry_id":"01a20525-0b56-7c28-8c24-15d549bcdf81","entry_hash":"\\x8ce34e9a95eb2d1855665d29d87400eeb6231c382c941120f8ca3ad6d800fccb","hash":"\\x5c987626d3cbd7443829cb278f41e5ba0d4c26e4d5d8a41e2e4c7de5422657d8","sealed_at":"2026-11-22T21:24:03.930237+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":12,"position":54,"entry_id":"01a20525-0c08-71fa-9565-b433eed63495","entry_hash":"\\xbdec880029c1c12e0b6e0991c318e75236a89ae26975c9d4132f6bc4d6c06a35","hash":"\\x1f283b6df29c119c0d8dbeec83af1c8885de7aaa9d628c8ee116b0e7d7248dee","sealed_at":"2026-11-22T21:24:03.930486+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":18,"position":60,"entry_id":"01a20525-148f-7f1b-ab0e-02f0a0a1c545","entry_hash":"\\x03dbb24bd8da95c1a50ebe1801d37fecb84184b0cb9b8f7ef71a8f97009709ec","hash":"\\x13a736062fcfca54af20482e02f0699b7e34c5ede16f2b195bcf081c25052566","sealed_at":"2026-11-22T21:24:06.616873+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":22,"position":64,"entry_id":"01a20525-44ff-7794-9e29-5c292d1bf588","entry_hash":"\\xa0c0dd15bac0ead556577c61afb4eee1bd920ceefa95a5ac988b77b7f8acf41d","hash":"\\x3c4dafaa748e2ca453e6429888b193798acac81111f9b2c271ba4e6a2124d091","sealed_at":"2026-11-22T21:24:18.840972+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":23,"position":66,"entry_id":"01a20525-492c-7d8c-9645-459f8ee2d543","entry_hash":"\\x8f239a4f067d484c2c47ac535f8cfe248b4de1feffad72d1bdf062482547e6d4","hash":"\\xbdf0c907010a0e1b31ad04e5399c1ca3178e5967d8e4119dcdd56ab1b47b32f4","sealed_at":"2026-11-22T21:24:19.494519+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":13,"position":55,"entry_id":"01a20525-0c60-74ce-9961-4c15556a37f8","entry_hash":"\\xd03bf14aaf108afa4abc288fdd62e6ab45e76f832a1cd25e6ca44025197055d4","hash":"\\xe3f94ba515da3e7598982aa552bd82048cf8a0c9e7b5c4d7983bed9f0928c4a8","sealed_at":"2026-11-22T21:24:04.342439+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":14,"position":56,"entry_id":"01a20525-0cca-7cec-b097-c995bdc49258","entry_hash":"\\xa90ea3d36a339ccc0f9f5fd62b74f7607f7324b945a37ea91f51aadb9eb81ac9","hash":"\\x6f646a76fe252718225ca1eed4514383bb9906c5343d2993988a1776e2013096","sealed_at":"2026-11-22T21:24:04.76262+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":15,"position":57,"entry_id":"01a20525-0f70-7342-9ef4-7901d483bc5d","entry_hash":"\\xa134a0dc235050885a96f611d6c1c33bbbf7608cf3a193472633b4727ccdaf6f","hash":"\\xd21dc94212b395060d0e2328cee0036b17f467a9630116a805ff593497c0fef9","sealed_at":"2026-11-22T21:24:05.246351+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":16,"position":58,"entry_id":"01a20525-117f-7798-90c5-2d5be4299144","entry_hash":"\\xbf8b3f805d1db72a5241d403d4b3189330e1660ca50de20229c34907efabf523","hash":"\\x8ff0a12c7d838e81398d9ab6b6b568cdb2633b6512bda0d89a20e6f985a08870","sealed_at":"2026-11-22T21:24:05.770456+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":17,"position":59,"entry_id":"01a20525-1329-7e45-9faf-c9cd28fa08da","entry_hash":"\\x1239800780005f40098690088da0de184a0bca3fd678145c817c954a8127e91f","hash":"\\xe3f81a466a19770ddd540f399a610b5e29acaca8ed217578c205d7635147b8aa","sealed_at":"2026-11-22T21:24:06.064798+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":24,"position":67,"entry_id":"01a20525-52fb-7691-85ed-f1ea4ae4c9b2","entry_hash":"\\x3507fff91a87d233102e7bff287ddc933050b8dc9c4eefa226c10a795b39473e","hash":"\\x295ec2ce090f724ddf77d42783fdfbddec3c5b4bf1a2d6aab398aa9f830df874","sealed_at":"2026-11-22T21:24:22.225137+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":25,"position":68,"entry_id":"01a20525-5437-706c-afcc-fb54d8e3dc7e","entry_hash":"\\x5e02f0a913dc74dd8f4e11d8733c7c4fe03de023345d7eacf8a90b84e1354aed","hash":"\\xcc6997e587764bf14c5f51366d9d77486a15904e623c3b63798a0e46d34e2f25","sealed_at":"2026-11-22T21:24:22.508183+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":19,"position":61,"entry_id":"01a20525-1652-7618-b52b-b818cd85432f","entry_hash":"\\x3c743366b29bc7255899c44d1c563d17ca00c5abd73ffb12434c245b46d1004d","hash":"\\xecf3133820fb5b267f5c8a3bdb28dca0e367d32e52b03c838e83889c2174c433","sealed_at":"2026-11-22T21:24:06.878267+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":20,"position":62,"entry_id":"01a20525-181f-7ea8-afd0-36cabfa1e288","entry_hash":"\\x9aee475db350e90e51eee4a063425008e6f455dad96f3848fd34e3df95d424e1","hash":"\\x5c532043483e35b638b8f230595b41e2e10361cfb6bc331735b19f16332b2aff","sealed_at":"2026-11-22T21:24:07.321022+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":21,"position":63,"entry_id":"01a20525-32ec-7afd-95ab-9606c2346aa8","entry_hash":"\\x20cdae6da4dcac534b564860dbf845850d316b11c8751cdffdad83c8924f785f","hash":"\\x46470b042c14562cb01b8e637161348d08a9db57de9744f03c36c3b8dde97942","sealed_at":"2026-11-22T21:24:13.92324+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":26,"position":69,"entry_id":"01a20525-5607-73d0-821d-fd6b7382463c","entry_hash":"\\xe1edc402b5245b1318a1e02358b6ffd9123623f6fdc53494399a1cd91ccdfbac","hash":"\\x3f352638ac0e8df925bd49821554353cf9fbbcf879cb6fe37b63ae9c75275718","sealed_at":"2026-11-22T21:24:22.946963+00:00"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":27,"position":70,"entry_id":"01a20525-5671-7ae0-bbe4-272a68eef1c8","entry_hash":"\\xbe8f1442448a740e58e308b186607975c0ab99ea8a9f43e4a8968d95b877ef1b","hash":"\\x1a5308126b0415ad8ae890c8a1ac7a4a5eda3c2f42e1d1bb283e7ec128b09528","sealed_at":"2026-11-22T21:24:22.947068+00:00"}
]$rows$);
insert into audit_checkpoints (project_key, seq, hash, at, key_id, signature) overriding system value select project_key, seq, hash, at, key_id, signature from json_populate_recordset(null::audit_checkpoints, $rows$[
{"project_key":"01a20524-f01a-7074-9caf-1d8d5b014e9e","seq":3,"hash":"\\xfde74498bd99debc5949876dc0398c0fb8af6d8a03f971f36f6b7a70e60580e1","at":"2026-11-22T21:24:00.164+00:00","key_id":"2a176972dbe1ce0e","signature":"\\x4340f2bac43d33792eb0823879182f98417e6abfead6d66a9bafe1feedb51561b7a6fe19e4c7fd3cce548f0a947723e38aa9db10ea73a153f82d374a10ce7406"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":5,"hash":"\\x243a8ddd610afe5c49036636c728deef7aaf044da574b2648d3aa17e3f3f225a","at":"2026-11-22T21:24:00.164+00:00","key_id":"2a176972dbe1ce0e","signature":"\\xfc3d2e6352bff9a117dd92bd6e2ed7ffeb7b17bc007f5bc5bf066050cb28a4bd3ca566c28ad31829778399937f19e866a87ed84a7717da7e987016348db22504"},
{"project_key":"01a20524-f01a-7074-9caf-1d8d5b014e9e","seq":4,"hash":"\\xc710f20e94220abe93057f11956b53a8d3509d95790212f5eeaf3e7a4456de07","at":"2026-11-22T21:24:30.298+00:00","key_id":"2a176972dbe1ce0e","signature":"\\x8f08203ec43904a273eb0717fdadeaf5b63e9eec41bcd939ff798196431f549f64e2f57940598190bc3e5002e7939daecd78f76d3aad888640851a6ce7bec90b"},
{"project_key":"00000000-0000-0000-0000-000000000000","seq":27,"hash":"\\x1a5308126b0415ad8ae890c8a1ac7a4a5eda3c2f42e1d1bb283e7ec128b09528","at":"2026-11-22T21:24:30.298+00:00","key_id":"2a176972dbe1ce0e","signature":"\\x4fac3593d92c063c71bd66ba244840647592602ede1308e713125b3850c5e2009656cd9be32b3dc052e7fac4c59f8225df3946e3f55addc97afd685a1c88ea0b"}
]$rows$);
insert into audit_keys (key_id, public_key, created_at) overriding system value select key_id, public_key, created_at from json_populate_recordset(null::audit_keys, $rows$[
{"key_id":"2a176972dbe1ce0e","public_key":"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEArDdUXAjHWMh/94VvfeyLhN7nJaAsXAwsDRsu81h3oAc=\n-----END PUBLIC KEY-----\n","created_at":"2026-11-22T21:23:29.98+00:00"}
]$rows$);
insert into audit_log (id, at, actor_kind, actor_id, actor_name, actor_role, project_id, action, resource_type, resource_id, resource_name, outcome, status, error_code, method, path, client_ip, user_agent, request_id, changes) overriding system value select id, at, actor_kind, actor_id, actor_name, actor_role, project_id, action, resource_type, resource_id, resource_name, outcome, status, error_code, method, path, client_ip, user_agent, request_id, changes from json_populate_recordset(null::audit_log, $rows$[
{"id":"01a20524-911c-74f6-89cd-3906c753faff","at":"2026-11-22T21:23:32.252+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-9119-7dfd-bfcd-4442ee07c171","changes":{"by":["password"]}},
{"id":"01a20524-eacb-777b-b5ac-c364c4fc2cf9","at":"2026-11-22T21:23:55.211+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-eaca-7e73-916f-390e053daff0","changes":{"by":["password"]}},
{"id":"01a20524-ec79-7686-b938-330c05441e02","at":"2026-11-22T21:23:55.641+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"user.create","resource_type":"user","resource_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","resource_name":"ann","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/users","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-ec72-760e-b04c-eb402fbe0c21","changes":{"email":"ann@example.org","active":true,"is_owner":false,"username":"ann","memberships":[{"role":"editor","project":"01a20524-85c3-7cff-99a3-bc87d4f44ee4"}]}},
{"id":"01a20524-ede2-75f5-956f-90a207ed26b6","at":"2026-11-22T21:23:56.002+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"user.create","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/users","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-edd8-7539-861c-0849fde6c12b","changes":{"email":null,"active":true,"is_owner":false,"username":"victor","memberships":[{"role":"viewer","project":"01a20524-85c3-7cff-99a3-bc87d4f44ee4"}]}},
{"id":"01a20524-ef02-757e-b4bb-5865c17722a8","at":"2026-11-22T21:23:56.29+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"user.create","resource_type":"user","resource_id":"01a20524-ef02-78c4-98b8-42c4e5a42e79","resource_name":"gone","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/users","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-eeee-7d8b-8db9-9b4c00f52f4f","changes":{"email":null,"active":false,"is_owner":false,"username":"gone","memberships":[]}},
{"id":"01a20524-f01a-7dfa-8605-6a4d5547e1ca","at":"2026-11-22T21:23:56.57+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","action":"project.create","resource_type":"project","resource_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","resource_name":"shop","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/projects","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-f000-7a02-ac2a-90eb5def4c7c","changes":{"name":"shop","description":"A second one — ünïcode"}},
{"id":"01a20524-f064-7af5-9db8-a1984f326948","at":"2026-11-22T21:23:56.644+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","actor_role":"owner","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","action":"membership.update","resource_type":"membership","resource_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","resource_name":"ann","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/users/01a20524-ec79-7a43-8b2a-8e1ca1fe378d/memberships/01a20524-f01a-7074-9caf-1d8d5b014e9e","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-f04d-7be5-916c-a91aeb9a3ae9","changes":{"role":[null,"admin"]}},
{"id":"01a20525-0ad0-7cb9-9a58-3988aa761d84","at":"2026-11-22T21:24:03.408+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"setting.update","resource_type":"setting","resource_name":"smtp","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/documents/smtp","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0acf-72aa-a7ef-288986cea94a","changes":{"values":[{"path":"host","after":"mail.example.com","before":"","change":"changed"},{"path":"username","after":"u","before":"","change":"changed"},{"path":"sender","after":"a@example.com","before":null,"change":"changed"}],"secrets":{"password":"set"}}},
{"id":"01a20525-065c-76ac-9957-f54a49cd74ad","at":"2026-11-22T21:24:02.268+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"setting.update","resource_type":"setting","resource_name":"ldap","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/documents/ldap","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-065a-786f-a61c-7ef1fb403be9","changes":{"values":[{"path":"servers[0]","after":{"url":"ldap://127.0.0.1:1389","start_tls":false},"change":"added"},{"path":"bind_dn","after":"cn=svc,dc=example,dc=org","before":"","change":"changed"},{"path":"base_dn","after":"dc=example,dc=org","before":"","change":"changed"}],"secrets":{"bind_password":"set"}}},
{"id":"01a20525-0c08-71fa-9565-b433eed63495","at":"2026-11-22T21:24:03.72+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"setting.update","resource_type":"setting","resource_name":"sign_in","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/documents/sign_in","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0c03-7ae6-8baa-98608caf7e57","changes":{"values":[{"path":"session_days","after":12,"before":30,"change":"changed"}],"secrets":{}}},
{"id":"01a20525-0c60-74ce-9961-4c15556a37f8","at":"2026-11-22T21:24:03.808+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"threat_feed.upload","resource_type":"threat_feed","resource_name":"known","outcome":"done","status":200,"method":"POST","path":"/api/v3/setting/threat-intel/upload","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0c4e-7efc-a55a-10913a96ac23","changes":{"sha256":"12efdda82c74e1737b84890b687544d21eb220c9186c41153f6d2beb16b118c4","entry_count":[0,2]}},
{"id":"01a20525-0f70-7342-9ef4-7901d483bc5d","at":"2026-11-22T21:24:04.592+00:00","actor_kind":"user","actor_id":"01a20524-ede2-778a-b733-237eaaebf21f","actor_name":"victor","action":"profile.password","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"done","status":204,"method":"PUT","path":"/api/v3/profile/password","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0f67-7cf1-a681-c5da8c54c7df"},
{"id":"01a20525-148f-7f1b-ab0e-02f0a0a1c545","at":"2026-11-22T21:24:05.903+00:00","actor_kind":"user","actor_id":"01a20524-ede2-778a-b733-237eaaebf21f","actor_name":"victor","action":"factor.on","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"done","status":204,"method":"POST","path":"/api/v3/profile/otp/verify","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-1483-75e6-908e-ff477751bbc4"},
{"id":"01a20524-faea-7339-8029-20e381c674b0","at":"2026-11-22T21:23:59.338+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","actor_role":"owner","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","action":"document.create","resource_type":"bootstrap","resource_id":"01a20524-faea-73b5-b21a-3137d392f5ba","resource_name":"b","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/bootstrap","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20524-fae2-73b1-a9b5-294438567fbb","changes":{"diff":[{"path":"","after":{"type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20525-093c-7f82-b219-6f1f59a0faa3","at":"2026-11-22T21:24:03.004+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"setting.update","resource_type":"setting","resource_name":"syslog","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/documents/syslog","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-093c-7be4-bee5-62e494be74f0","changes":{"values":[{"path":"enabled","after":true,"before":false,"change":"changed"},{"path":"protocol","after":"udp","before":"tcp","change":"changed"},{"path":"host","after":"127.0.0.1","before":"","change":"changed"},{"path":"port","after":5514,"before":514,"change":"changed"}],"secrets":{}}},
{"id":"01a20525-117f-7798-90c5-2d5be4299144","at":"2026-11-22T21:24:05.119+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-1171-7d5c-9227-7d6e82a03200","changes":{"by":["password"]}},
{"id":"01a20525-1329-7e45-9faf-c9cd28fa08da","at":"2026-11-22T21:24:05.545+00:00","actor_kind":"user","actor_id":"01a20524-ede2-778a-b733-237eaaebf21f","actor_name":"victor","action":"factor.enrol","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"done","status":200,"method":"POST","path":"/api/v3/profile/otp/enable","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-1318-710d-8f39-4a27814e2b02"},
{"id":"01a20525-5437-706c-afcc-fb54d8e3dc7e","at":"2026-11-22T21:24:22.199+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"denied","status":401,"error_code":"auth.factor_required","method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-5386-7a11-b528-b6376f7fff41"},
{"id":"01a20525-048a-7a28-bedd-aa31e1b4b7e2","at":"2026-11-22T21:24:01.802+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","actor_role":"owner","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","action":"factor.enforce","resource_type":"setting","resource_name":"otp","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/otp-config","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0447-7684-863c-515af0fb5a96","changes":{"values":[],"secrets":{}}},
{"id":"01a20525-0738-76e5-8375-717127b151f1","at":"2026-11-22T21:24:02.488+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"setting.update","resource_type":"setting","resource_name":"oidc/corp","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/documents/oidc/corp","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0737-749b-9251-c232acfdd55e","changes":{"values":[{"path":"enabled","after":false,"change":"added"},{"path":"title","after":"Corp","change":"added"},{"path":"issuer","after":"https://id.example.com","change":"added"},{"path":"client_id","after":"c","change":"added"},{"path":"client_auth","after":"basic","change":"added"},{"path":"scopes","after":["profile","email"],"change":"added"},{"path":"name_claim","after":"preferred_username","change":"added"},{"path":"groups_claim","after":"groups","change":"added"},{"path":"create_users","after":true,"change":"added"},{"path":"mapping","after":{"rules":[],"allow_owner":false},"change":"added"},{"path":"trusted_acr","after":[],"change":"added"},{"path":"trusted_amr","after":[],"change":"added"},{"path":"timeout_ms","after":5000,"change":"added"}],"secrets":{"client_secret":"set"}}},
{"id":"01a20525-0b56-7c28-8c24-15d549bcdf81","at":"2026-11-22T21:24:03.542+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"setting.update","resource_type":"setting","resource_name":"general","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/documents/general","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0b56-7ecb-807d-6e6669c11cd6","changes":{"values":[{"path":"public_url","after":"https://flotilla.example.com","before":null,"change":"changed"}],"secrets":{}}},
{"id":"01a20525-0a46-7d5c-aef3-ac08c02fd4b3","at":"2026-11-22T21:24:03.27+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"setting.update","resource_type":"setting","resource_name":"audit","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/documents/audit","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0a1d-7b3d-b041-42feb0dca9fb","changes":{"values":[{"path":"retention_days","after":100,"before":365,"change":"changed"}],"secrets":{}}},
{"id":"01a20525-0cca-7cec-b097-c995bdc49258","at":"2026-11-22T21:24:03.914+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-0cc9-7b14-a579-d03c30bb003d","changes":{"by":["password"]}},
{"id":"01a20525-492c-7d8c-9645-459f8ee2d543","at":"2026-11-22T21:24:19.372+00:00","actor_kind":"user","actor_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","actor_name":"admin","action":"audit.export","resource_type":"audit","outcome":"done","status":200,"method":"GET","path":"/api/v3/audit/export","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-492b-7232-b660-9ec7768b210b","changes":{"filter":{},"format":"ndjson"}},
{"id":"01a20525-1652-7618-b52b-b818cd85432f","at":"2026-11-22T21:24:06.354+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","resource_name":"ann","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-1652-755e-972c-e0190e0a1223","changes":{"by":["password"]}},
{"id":"01a20525-181f-7ea8-afd0-36cabfa1e288","at":"2026-11-22T21:24:06.815+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","resource_name":"ann","outcome":"done","status":200,"method":"POST","path":"/auth/browser/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-181e-71e3-b5f4-9d497eaceb8c","changes":{"by":["password"]}},
{"id":"01a20525-32ec-7afd-95ab-9606c2346aa8","at":"2026-11-22T21:24:13.676+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-32eb-7120-93f6-17c5e7f5dc94","changes":{"by":["password"]}},
{"id":"01a20525-44ff-7794-9e29-5c292d1bf588","at":"2026-11-22T21:24:18.303+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-44fe-7ba1-8ed0-9806e4a1dfc9","changes":{"by":["password"]}},
{"id":"01a20525-52fb-7691-85ed-f1ea4ae4c9b2","at":"2026-11-22T21:24:21.883+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","resource_name":"ann","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-52fa-76b9-807a-7d8b3c908c68","changes":{"by":["password"]}},
{"id":"01a20525-5607-73d0-821d-fd6b7382463c","at":"2026-11-22T21:24:22.663+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","resource_name":"victor","outcome":"denied","status":401,"error_code":"auth.factor_required","method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-5532-78e4-a902-6f4f097eea95"},
{"id":"01a20525-5671-7ae0-bbe4-272a68eef1c8","at":"2026-11-22T21:24:22.769+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20524-ede2-778a-b733-237eaaebf21f","outcome":"denied","status":401,"error_code":"auth.factor_wrong","method":"POST","path":"/auth/factor","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20525-561c-7992-b003-23a9f8dfbed0"}
]$rows$);
insert into backup_codes (user_id, hash, used_at) overriding system value select user_id, hash, used_at from json_populate_recordset(null::backup_codes, $rows$[
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\xc382d95820be053ff21881ae13e114fd6a70a4b0155ad4d5a82305d2cff1253c"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\xa622881e37f3888510ec13a1a08dc786cd2869e4cd849f2750783fe3c27a94ba"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\xa597abb8f84a0d10e8f58b685f638530879c14ce6a379da4b7f858ad314d635b"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\x85e6a86435e68315c9d069bfa69497f2c7700ed2f196c64856fd00970656d43f"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\xbedd4f1b17b8606bd1d75e3867b6880f320ba6e3321d5190ee7bc0a282f356ae"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\x8b100703e30a88c038c8bf6103f9e49492c15fc6ea9d7bb84af120ab4ca191f5"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\xdca5b2b624c7475e7d35e73ec3ff61cdd1f975db9d4c019fead9181e653b6ee6"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\xef85cc2d53507855bf965d895a2ddca8b2feef03cbdf01eb33f65d0edd13ee69"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\xb58e094ec2bfbb20677fe1b1fb6f82c2dd7d5ab7a2ee4c83d628ddd335a9c234"},
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","hash":"\\x0e4a029b3f1d8c1c65b7cf94e3b1ed8fb759b7840aa392f4740f38de0448315f"}
]$rows$);
insert into backups (id, project_id, origin, status, description, secret_free, protection, file, bytes, sha256, header, sections, created_at, created_by, verified_at) overriding system value select id, project_id, origin, status, description, secret_free, protection, file, bytes, sha256, header, sections, created_at, created_by, verified_at from json_populate_recordset(null::backups, $rows$[
{"id":"01a20525-02eb-7f5a-bf36-1299321b1714","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","origin":"made","status":"ready","description":"before","secret_free":false,"protection":"installation","file":"01a20525-02eb-7f5a-bf36-1299321b1714.flotbk","bytes":5906,"sha256":"b403a624e0f4f56ec6498d1e192a45d08b7b6e955f16592b31de3e6653b7a979","header":{"id":"01a20525-02eb-7f5a-bf36-1299321b1714","kind":"project","format":1,"project":{"id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"default"},"sections":["projects","documents","policies","services"],"created_at":"2026-11-22T21:24:01.387Z","encryption":{"kind":"installation","salt":"cbfjy3woRTg6H3oehLfsHQ==","check":"qT7IBHBOCsFmJ0CJFC/qPQ=="},"migrations":["0001-foundation","0003-documents","0004-fleet","0005-enrolment","0006-live-events","0007-metrics","0008-command-kinds","0009-told-by-statement","0010-shield-events","0011-shield-event-search","0012-shield-event-drops","0013-row-security","0014-sessions","0015-sign-ins","0016-permissions","0017-audit","0018-jobs","0019-settings","0020-permissions","0021-audit-forwarding","0022-directories","0023-first-password","0024-backups","0025-keys","0026-controllers","0027-threat-intel","0028-audit-search","0029-job-indexes"],"public_key":"MCowBQYDK2VwAyEACIaW0p88gY/IyYU0Jdai9Mmxz+BALs+r59NtKOFkoyM=","app_version":"0.1.0","secret_free":false},"sections":[{"name":"projects","rows":1,"bytes":210,"sha256":"b6df6ed130eb6028b4e09d29ff906f514279315f2e139b353dd995487ae07de8"},{"name":"documents","rows":15,"bytes":9696,"sha256":"23fbb8b28265318df2cd489c8d46b5250bfa32e9eb4395f2d78aea90bea79cea"},{"name":"policies","rows":4,"bytes":3850,"sha256":"8807d1ad466fb8c998c55b7c99c91d91729eeff1523892e38fd9363b65693e0a"},{"name":"services","rows":2,"bytes":769,"sha256":"8433d230cf0e6d081215bf79591a920dd82b428f546b94ed1e021ddcaaf02dcf"}],"created_at":"2026-11-22T21:24:01.387+00:00","created_by":"admin","verified_at":"2026-11-22T21:24:02.931+00:00"}
]$rows$);
insert into certificate_authority (singleton, certificate, sealed_key, created_at, expires_at) overriding system value select singleton, certificate, sealed_key, created_at, expires_at from json_populate_recordset(null::certificate_authority, $rows$[
{"singleton":true,"certificate":"\\x3082017a30820121a00302010202105d8195cefe52d1b6d20c6aca994d4db4300a06082a8648ce3d040302301c311a301806035504031311466c6f74696c6c61203166353466623331301e170d3236313132323231313832395a170d3336313131393231323332395a301c311a301806035504031311466c6f74696c6c612031663534666233313059301306072a8648ce3d020106082a8648ce3d030107034200049c079a8a6d60afa26dc4acf6960289464dfb0fd86a659feda8db8bb79e24e8e3c70d712696ad7df08bf7b53a08a76f9668fbb2fc1101d601c81ec5263037b850a345304330120603551d130101ff040830060101ff020100300e0603551d0f0101ff040403020106301d0603551d0e04160414d43d9aff7efe2e272d280ff39b757520ce0e3e33300a06082a8648ce3d040302034700304402203356dfe9da3b8c1ba5ecc4ad170e42772bcbb1d51a7d2479cc111d5ef0b25d1e0220312335ba6e6cf7d6cb9dcd33a2e9c5f97c686c6736b99d5bf2e4d7903bc7fa58","sealed_key":"\\x02000000014e5aaf56c1e9e8e5e355d8cbe314b4b7b7dbe26c6d642d014643345ec469028cc74435025fe82645f89f5cc4e575504d440b041d5d3b0d6ea7ef6c497baefefa94240ead12395cafaca6a2e8db03c3da238713a953f93080db873f66a0d688e6049ccb93fb8d10489d8666b6694637606834c27582ef20fae8618dc22ada9765d60a23411e1f72cf74db133dabd7836aefd229de8d2682246504173c7c4b9b9bc20b2bd73a70","created_at":"2026-11-22T21:23:29.719+00:00","expires_at":"2036-11-19T21:23:29.719+00:00"}
]$rows$);
insert into client_certificates (serial, client_id, project_id, key_digest, issued_at, expires_at, revoked_at, revoke_reason) overriding system value select serial, client_id, project_id, key_digest, issued_at, expires_at, revoked_at, revoke_reason from json_populate_recordset(null::client_certificates, $rows$[
{"serial":"59f8d940de67270ac93102f4921eed3a","client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","key_digest":"\\xad9643126a1564f2b357ae0ae0dcda68a1ff5f45020797f9cc2198ea9387514f","issued_at":"2026-11-22T21:23:40.164+00:00","expires_at":"2026-11-23T21:23:40+00:00"}
]$rows$);
insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, bgp, cores, memory_bytes, runtime_dir, data_dir, connected_to, connection_epoch, connect_time, connect_reason, disconnect_time, disconnect_reason, last_seen, desired_revision, created_at, updated_at) overriding system value select id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, bgp, cores, memory_bytes, runtime_dir, data_dir, connected_to, connection_epoch, connect_time, connect_reason, disconnect_time, disconnect_reason, last_seen, desired_revision, created_at, updated_at from json_populate_recordset(null::clients, $rows$[
{"id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"this-machine","hostname":"vm","os":"linux","arch":"linux-amd64","kernel":"6.18.44-fc-v669","agent_version":"0.1.0","provider":"other","metadata":{},"bgp":false,"cores":2,"memory_bytes":25276502016,"runtime_dir":"/run/flotilla-dadcf672","data_dir":"/var/lib/flotilla/agent","connected_to":"01a20524-8519-7be8-aedf-8a0b5fee8b54","connection_epoch":1,"connect_time":"2026-11-22T21:23:40.374+00:00","connect_reason":"stream_opened","last_seen":"2026-11-22T21:24:30.523+00:00","desired_revision":9,"created_at":"2026-11-22T21:23:40.164+00:00","updated_at":"2026-11-22T21:23:40.374+00:00"}
]$rows$);
insert into commands (id, project_id, client_id, client_name, service_id, type, sub_type, operation, fence, generation, payload, status, error_code, error_message, result, step, timeout_ms, created_by, created_at, sent_at, deadline_at, finished_at, kind) overriding system value select id, project_id, client_id, client_name, service_id, type, sub_type, operation, fence, generation, payload, status, error_code, error_message, result, step, timeout_ms, created_by, created_at, sent_at, deadline_at, finished_at, kind from json_populate_recordset(null::commands, $rows$[
{"id":"01a20524-bec3-72f1-ab61-de02c8419b89","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","client_name":"this-machine","service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","type":"DEPLOY","sub_type":"","operation":"","fence":5,"generation":3,"payload":{"service":"demo","generation":3},"status":"done","result":{"status":{"error":"","phase":"running","since":"2026-11-22T21:23:47.607Z","removed":false,"restarts":0,"envoy_pid":23203,"generation":3,"service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","envoy_version":"1.39.3"}},"step":"running","timeout_ms":1800000,"created_by":"flotilla-up","created_at":"2026-11-22T21:23:43.939+00:00","sent_at":"2026-11-22T21:23:44.434+00:00","deadline_at":"2026-11-22T21:53:44.434+00:00","finished_at":"2026-11-22T21:23:54.362+00:00","kind":"desired"},
{"id":"01a20524-ff26-7d79-9541-94db7e906f36","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","client_name":"this-machine","service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","type":"SERVICE","sub_type":"SUB_STATUS","operation":"","fence":12,"payload":{"service":"demo"},"status":"done","result":{"units":[{"pid":23203,"kind":"envoy","name":"envoy-1","role":"serving","version":"1.39.3"},{"pid":23240,"kind":"shield","name":"shield-2","role":"serving","version":""}],"status":{"error":"","phase":"running","since":"2026-11-22T21:23:47.607Z","removed":false,"restarts":0,"envoy_pid":23203,"generation":3,"service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","envoy_version":"1.39.3"}},"timeout_ms":30000,"created_by":"admin","created_at":"2026-11-22T21:24:00.422+00:00","sent_at":"2026-11-22T21:24:00.718+00:00","deadline_at":"2026-11-22T21:24:30.422+00:00","finished_at":"2026-11-22T21:24:00.78+00:00","kind":"query"}
]$rows$);
insert into data_key_wraps (key_id, master_id, wrapped) overriding system value select key_id, master_id, wrapped from json_populate_recordset(null::data_key_wraps, $rows$[
{"key_id":1,"master_id":"01a20524-84cd-7d63-9ac9-cccfffbdc3d5","wrapped":"\\x016aaca42b435628ae84a0eeb98d61517897f0fbcbff955b95144a12b687103546c0948c552da9b187158ccdcb12af06517d9ad704f6632b93ccd5af47"}
]$rows$);
insert into data_keys (id, created_at, seals_from) overriding system value select id, created_at, seals_from from json_populate_recordset(null::data_keys, $rows$[
{"id":1,"created_at":"2026-11-22T21:23:29.099796+00:00","seals_from":"2026-11-22T21:23:29.099796+00:00"}
]$rows$);
insert into document_names (document_id, project_id, version, collection, name) overriding system value select document_id, project_id, version, collection, name from json_populate_recordset(null::document_names, $rows$[
{"document_id":"01a20524-b208-7c3c-a699-c86bde32460f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"bootstrap","name":"demo-bootstrap"},
{"document_id":"01a20524-b208-7339-8f65-7303ca64739f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"clusters","name":"demo-upstream"},
{"document_id":"01a20524-b208-78dc-9b3e-17c8559f1bf9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"routes","name":"demo-routes"},
{"document_id":"01a20524-b208-7690-8049-6e3828209b5d","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"listeners","name":"demo-listener"},
{"document_id":"01a20524-f204-724a-9cba-3db2b4faef75","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"secrets","name":"shop-cert"},
{"document_id":"01a20524-f28e-7175-ac64-1e36ee60cc32","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"endpoints","name":"eds-one"},
{"document_id":"01a20524-f302-7232-ad23-8cf3b64cd0c0","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"clusters","name":"eds-one"},
{"document_id":"01a20524-f400-7d29-82d4-02af97ce8bdb","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"routes","name":"more-routes"},
{"document_id":"01a20524-f492-7139-85c1-c06cfa3c516e","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"virtual_hosts","name":"more-routes/shop.example.com"},
{"document_id":"01a20524-f50f-7117-87c6-606920c98f36","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"extensions","name":"ext-one"},
{"document_id":"01a20524-f58d-7145-b620-1d84518c3b13","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"filters","name":"flt-one"},
{"document_id":"01a20524-f632-7f42-9f84-37d2b4abe756","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"filters","name":"router"},
{"document_id":"01a20524-f6cc-7f73-b148-7bad7c3366b9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"listeners","name":"tls-listener"},
{"document_id":"01a20524-f375-716c-9c5c-e92749ab73ba","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"clusters","name":"plain"},
{"document_id":"01a20524-f7db-768b-b09a-63fc8502b35f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.36.4","collection":"clusters","name":"old-one"},
{"document_id":"01a20524-faea-73b5-b21a-3137d392f5ba","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","version":"1.39.3","collection":"bootstrap","name":"b"}
]$rows$);
insert into document_references (from_id, from_collection, from_name, project_id, version, to_collection, to_name, kind, path) overriding system value select from_id, from_collection, from_name, project_id, version, to_collection, to_name, kind, path from json_populate_recordset(null::document_references, $rows$[
{"from_id":"01a20524-b208-78dc-9b3e-17c8559f1bf9","from_collection":"routes","from_name":"demo-routes","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"clusters","to_name":"demo-upstream","kind":"name","path":"resource.virtual_hosts[0].routes[0].route.cluster"},
{"from_id":"01a20524-b208-7690-8049-6e3828209b5d","from_collection":"listeners","from_name":"demo-listener","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"routes","to_name":"demo-routes","kind":"name","path":"resource.filter_chains[0].filters[0].typed_config.rds.route_config_name"},
{"from_id":"01a20524-f302-7232-ad23-8cf3b64cd0c0","from_collection":"clusters","from_name":"eds-one","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"endpoints","to_name":"eds-one","kind":"name","path":"resource.eds_cluster_config"},
{"from_id":"01a20524-f492-7139-85c1-c06cfa3c516e","from_collection":"virtual_hosts","from_name":"more-routes/shop.example.com","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"clusters","to_name":"demo-upstream","kind":"name","path":"resource.routes[0].route.cluster"},
{"from_id":"01a20524-f492-7139-85c1-c06cfa3c516e","from_collection":"virtual_hosts","from_name":"more-routes/shop.example.com","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"routes","to_name":"more-routes","kind":"member","path":"resource.name"},
{"from_id":"01a20524-f6cc-7f73-b148-7bad7c3366b9","from_collection":"listeners","from_name":"tls-listener","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"secrets","to_name":"shop-cert","kind":"name","path":"resource.filter_chains[0].transport_socket.typed_config.common_tls_context.tls_certificate_sds_secret_configs[0].name"},
{"from_id":"01a20524-f6cc-7f73-b148-7bad7c3366b9","from_collection":"listeners","from_name":"tls-listener","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"routes","to_name":"demo-routes","kind":"name","path":"resource.filter_chains[0].filters[0].typed_config.rds.route_config_name"},
{"from_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","from_collection":"services","from_name":"demo","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"bootstrap","to_name":"demo-bootstrap","kind":"service","path":"bootstrap"},
{"from_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","from_collection":"services","from_name":"demo","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"listeners","to_name":"demo-listener","kind":"service","path":"listeners[0]"},
{"from_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","from_collection":"services","from_name":"demo","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"listeners","to_name":"tls-listener","kind":"service","path":"listeners[1]"},
{"from_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","from_collection":"services","from_name":"demo","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"","to_collection":"policies","to_name":"demo-policy","kind":"service","path":"policies[0]"},
{"from_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","from_collection":"services","from_name":"demo","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"","to_collection":"policies","to_name":"rich","kind":"service","path":"policies[1]"},
{"from_id":"01a20524-fd5d-7c66-99ca-ab3148a4f469","from_collection":"services","from_name":"idle","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","to_collection":"bootstrap","to_name":"demo-bootstrap","kind":"service","path":"bootstrap"}
]$rows$);
insert into document_revisions (document_id, revision, type, description, labels, resource, sealed, private, created_at, created_by) overriding system value select document_id, revision, type, description, labels, resource, sealed, private, created_at, created_by from json_populate_recordset(null::document_revisions, $rows$[
{"document_id":"01a20524-b208-7c3c-a699-c86bde32460f","revision":1,"type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:23:40.68+00:00","created_by":"flotilla-up"},
{"document_id":"01a20524-b208-7339-8f65-7303ca64739f","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"demo-upstream","type":"STATIC","connect_timeout":"2s","load_assignment":{"cluster_name":"demo-upstream","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":42803}}}}]}]}},"private":[],"created_at":"2026-11-22T21:23:40.68+00:00","created_by":"flotilla-up"},
{"document_id":"01a20524-b208-78dc-9b3e-17c8559f1bf9","revision":1,"type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"demo-routes","virtual_hosts":[{"name":"all","domains":["*"],"routes":[{"name":"everything","match":{"prefix":"/"},"route":{"cluster":"demo-upstream","timeout":"15s"}}]}]},"private":[],"created_at":"2026-11-22T21:23:40.68+00:00","created_by":"flotilla-up"},
{"document_id":"01a20524-b208-7690-8049-6e3828209b5d","revision":1,"type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"demo-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18332}},"filter_chains":[{"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"demo","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"created_at":"2026-11-22T21:23:40.68+00:00","created_by":"flotilla-up"},
{"document_id":"01a20524-f204-724a-9cba-3db2b4faef75","revision":1,"type":"envoy.extensions.transport_sockets.tls.v3.Secret","description":"of the shop","labels":{"team":"shop"},"resource":{"name":"shop-cert","tls_certificate":{"certificate_chain":{"inline_string":"-----BEGIN CERTIFICATE-----\nMIIBijCCATGgAwIBAgIUH5JIXX9cir9UNp5y5rzYMXq6QvIwCgYIKoZIzj0EAwIw\nGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAeFw0yNjExMjIyMTA1MjJaFw0y\nNzEyMjcyMTA1MjJaMBsxGTAXBgNVBAMMEHNob3AuZXhhbXBsZS5jb20wWTATBgcq\nhkjOPQIBBggqhkjOPQMBBwNCAARj0dZgd+faToLFHKhPLMNOF/XyUQK9aa5q6RvW\nOESzLe7K9wsetnBdZHzG6WQ5F2+KPl0PhXdfcPqLko6jWwnNo1MwUTAdBgNVHQ4E\nFgQU0RQc3j1dWi91gMss1c9J+jrtrtowHwYDVR0jBBgwFoAU0RQc3j1dWi91gMss\n1c9J+jrtrtowDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAn6DQW\no8xTiIdhKx5394ghBwA8pWbnLoMKV+c9VSYoAQIgQM1xNp8Uz83eog5gtjb+gPP/\nJoxAeCyZHSIBtsJODJA=\n-----END CERTIFICATE-----\n"}}},"sealed":"\\x020000000141a8b6d7bbc42d014ccea37afe5ba7fda6fd313bf077ef9e5ae1e9a69e208650de1acb86906963e5ca38da02139b2d47adc22d94cb1dc942ac20040527e58be0b5b4ad087dadd85594691bd561de348aa4e55f04e3e071d98a4e86c5fd6592c800408673823620c1b9b86ebe4aa266ec203790762234db8e47c16266cd43f1f1e1a19e53207fc3de4de8214af9e439baf48894bb7d24afc55897dbd4ff7bf8dbc12e14f9653e602a00dd73e8c8c55b3b6be4af25359161c328d114f773ba85217eb74d8182bd38f26b59560b1ff6ffaefc2152315aaa934e65c47178b5fc51a724516417d905c6420ad03153a27949852e261541a96f328e9834f65d78eb3e35337c9085254bba33ba3392079bee726fd268025bd8587f9737bc41923434feef666c80975a07216ed270257760db0a1a8320bc3ddb41a95c02d146c2a8b91dce826d946b2590018dd17ed52ce5c4d63fe3818d862a72a3","private":[{"path":"tls_certificate.private_key","updated_at":"2026-11-22T21:23:57.060Z"}],"created_at":"2026-11-22T21:23:57.06+00:00","created_by":"admin"},
{"document_id":"01a20524-f28e-7175-ac64-1e36ee60cc32","revision":1,"type":"envoy.config.endpoint.v3.ClusterLoadAssignment","labels":{},"resource":{"cluster_name":"eds-one","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"192.0.2.1","port_value":80}}}}]}]},"private":[],"created_at":"2026-11-22T21:23:57.198+00:00","created_by":"admin"},
{"document_id":"01a20524-f302-7232-ad23-8cf3b64cd0c0","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"eds-one","type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},"connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:23:57.314+00:00","created_by":"admin"},
{"document_id":"01a20524-f375-716c-9c5c-e92749ab73ba","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"plain","type":"STATIC","connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:23:57.429+00:00","created_by":"admin"},
{"document_id":"01a20524-f400-7d29-82d4-02af97ce8bdb","revision":1,"type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"more-routes","vhds":{"config_source":{"ads":{}}}},"private":[],"created_at":"2026-11-22T21:23:57.568+00:00","created_by":"admin"},
{"document_id":"01a20524-f492-7139-85c1-c06cfa3c516e","revision":1,"type":"envoy.config.route.v3.VirtualHost","labels":{},"resource":{"name":"more-routes/shop.example.com","domains":["shop.example.com"],"routes":[{"match":{"prefix":"/"},"route":{"cluster":"demo-upstream"}}]},"private":[],"created_at":"2026-11-22T21:23:57.714+00:00","created_by":"admin"},
{"document_id":"01a20524-f50f-7117-87c6-606920c98f36","revision":1,"type":"envoy.extensions.filters.http.buffer.v3.Buffer","labels":{},"resource":{"max_request_bytes":1000},"private":[],"created_at":"2026-11-22T21:23:57.839+00:00","created_by":"admin"},
{"document_id":"01a20524-f58d-7145-b620-1d84518c3b13","revision":1,"type":"envoy.extensions.filters.http.cors.v3.Cors","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:23:57.965+00:00","created_by":"admin"},
{"document_id":"01a20524-f632-7f42-9f84-37d2b4abe756","revision":1,"type":"envoy.extensions.filters.http.router.v3.Router","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:23:58.13+00:00","created_by":"admin"},
{"document_id":"01a20524-f6cc-7f73-b148-7bad7c3366b9","revision":1,"type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"tls-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18334}},"filter_chains":[{"transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext","common_tls_context":{"tls_certificate_sds_secret_configs":[{"name":"shop-cert"}]}}},"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"tls","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"created_at":"2026-11-22T21:23:58.284+00:00","created_by":"admin"},
{"document_id":"01a20524-f375-716c-9c5c-e92749ab73ba","revision":2,"type":"envoy.config.cluster.v3.Cluster","description":"changed once","labels":{"a":"b"},"resource":{"name":"plain","type":"STATIC","connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:23:58.453+00:00","created_by":"admin"},
{"document_id":"01a20524-f7db-768b-b09a-63fc8502b35f","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"old-one","type":"STATIC","connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:23:58.555+00:00","created_by":"admin"},
{"document_id":"01a20524-faea-73b5-b21a-3137d392f5ba","revision":1,"type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:23:59.338+00:00","created_by":"admin"}
]$rows$);
insert into documents (id, project_id, version, collection, name, type, description, labels, resource, sealed, private, revision, created_at, updated_at, updated_by) overriding system value select id, project_id, version, collection, name, type, description, labels, resource, sealed, private, revision, created_at, updated_at, updated_by from json_populate_recordset(null::documents, $rows$[
{"id":"01a20524-b208-7c3c-a699-c86bde32460f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"bootstrap","name":"demo-bootstrap","type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:23:40.68+00:00","updated_at":"2026-11-22T21:23:40.68+00:00","updated_by":"flotilla-up"},
{"id":"01a20524-b208-7339-8f65-7303ca64739f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"clusters","name":"demo-upstream","type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"demo-upstream","type":"STATIC","connect_timeout":"2s","load_assignment":{"cluster_name":"demo-upstream","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":42803}}}}]}]}},"private":[],"revision":1,"created_at":"2026-11-22T21:23:40.68+00:00","updated_at":"2026-11-22T21:23:40.68+00:00","updated_by":"flotilla-up"},
{"id":"01a20524-b208-78dc-9b3e-17c8559f1bf9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"routes","name":"demo-routes","type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"demo-routes","virtual_hosts":[{"name":"all","domains":["*"],"routes":[{"name":"everything","match":{"prefix":"/"},"route":{"cluster":"demo-upstream","timeout":"15s"}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:23:40.68+00:00","updated_at":"2026-11-22T21:23:40.68+00:00","updated_by":"flotilla-up"},
{"id":"01a20524-b208-7690-8049-6e3828209b5d","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"listeners","name":"demo-listener","type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"demo-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18332}},"filter_chains":[{"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"demo","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:23:40.68+00:00","updated_at":"2026-11-22T21:23:40.68+00:00","updated_by":"flotilla-up"},
{"id":"01a20524-f204-724a-9cba-3db2b4faef75","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"secrets","name":"shop-cert","type":"envoy.extensions.transport_sockets.tls.v3.Secret","description":"of the shop","labels":{"team":"shop"},"resource":{"name":"shop-cert","tls_certificate":{"certificate_chain":{"inline_string":"-----BEGIN CERTIFICATE-----\nMIIBijCCATGgAwIBAgIUH5JIXX9cir9UNp5y5rzYMXq6QvIwCgYIKoZIzj0EAwIw\nGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAeFw0yNjExMjIyMTA1MjJaFw0y\nNzEyMjcyMTA1MjJaMBsxGTAXBgNVBAMMEHNob3AuZXhhbXBsZS5jb20wWTATBgcq\nhkjOPQIBBggqhkjOPQMBBwNCAARj0dZgd+faToLFHKhPLMNOF/XyUQK9aa5q6RvW\nOESzLe7K9wsetnBdZHzG6WQ5F2+KPl0PhXdfcPqLko6jWwnNo1MwUTAdBgNVHQ4E\nFgQU0RQc3j1dWi91gMss1c9J+jrtrtowHwYDVR0jBBgwFoAU0RQc3j1dWi91gMss\n1c9J+jrtrtowDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAn6DQW\no8xTiIdhKx5394ghBwA8pWbnLoMKV+c9VSYoAQIgQM1xNp8Uz83eog5gtjb+gPP/\nJoxAeCyZHSIBtsJODJA=\n-----END CERTIFICATE-----\n"}}},"sealed":"\\x020000000141a8b6d7bbc42d014ccea37afe5ba7fda6fd313bf077ef9e5ae1e9a69e208650de1acb86906963e5ca38da02139b2d47adc22d94cb1dc942ac20040527e58be0b5b4ad087dadd85594691bd561de348aa4e55f04e3e071d98a4e86c5fd6592c800408673823620c1b9b86ebe4aa266ec203790762234db8e47c16266cd43f1f1e1a19e53207fc3de4de8214af9e439baf48894bb7d24afc55897dbd4ff7bf8dbc12e14f9653e602a00dd73e8c8c55b3b6be4af25359161c328d114f773ba85217eb74d8182bd38f26b59560b1ff6ffaefc2152315aaa934e65c47178b5fc51a724516417d905c6420ad03153a27949852e261541a96f328e9834f65d78eb3e35337c9085254bba33ba3392079bee726fd268025bd8587f9737bc41923434feef666c80975a07216ed270257760db0a1a8320bc3ddb41a95c02d146c2a8b91dce826d946b2590018dd17ed52ce5c4d63fe3818d862a72a3","private":[{"path":"tls_certificate.private_key","updated_at":"2026-11-22T21:23:57.060Z"}],"revision":1,"created_at":"2026-11-22T21:23:57.06+00:00","updated_at":"2026-11-22T21:23:57.06+00:00","updated_by":"admin"},
{"id":"01a20524-f28e-7175-ac64-1e36ee60cc32","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"endpoints","name":"eds-one","type":"envoy.config.endpoint.v3.ClusterLoadAssignment","labels":{},"resource":{"cluster_name":"eds-one","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"192.0.2.1","port_value":80}}}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:23:57.198+00:00","updated_at":"2026-11-22T21:23:57.198+00:00","updated_by":"admin"},
{"id":"01a20524-f302-7232-ad23-8cf3b64cd0c0","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"clusters","name":"eds-one","type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"eds-one","type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},"connect_timeout":"1s"},"private":[],"revision":1,"created_at":"2026-11-22T21:23:57.314+00:00","updated_at":"2026-11-22T21:23:57.314+00:00","updated_by":"admin"},
{"id":"01a20524-f400-7d29-82d4-02af97ce8bdb","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"routes","name":"more-routes","type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"more-routes","vhds":{"config_source":{"ads":{}}}},"private":[],"revision":1,"created_at":"2026-11-22T21:23:57.568+00:00","updated_at":"2026-11-22T21:23:57.568+00:00","updated_by":"admin"},
{"id":"01a20524-f492-7139-85c1-c06cfa3c516e","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"virtual_hosts","name":"more-routes/shop.example.com","type":"envoy.config.route.v3.VirtualHost","labels":{},"resource":{"name":"more-routes/shop.example.com","domains":["shop.example.com"],"routes":[{"match":{"prefix":"/"},"route":{"cluster":"demo-upstream"}}]},"private":[],"revision":1,"created_at":"2026-11-22T21:23:57.714+00:00","updated_at":"2026-11-22T21:23:57.714+00:00","updated_by":"admin"},
{"id":"01a20524-f50f-7117-87c6-606920c98f36","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"extensions","name":"ext-one","type":"envoy.extensions.filters.http.buffer.v3.Buffer","labels":{},"resource":{"max_request_bytes":1000},"private":[],"revision":1,"created_at":"2026-11-22T21:23:57.839+00:00","updated_at":"2026-11-22T21:23:57.839+00:00","updated_by":"admin"},
{"id":"01a20524-f58d-7145-b620-1d84518c3b13","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"filters","name":"flt-one","type":"envoy.extensions.filters.http.cors.v3.Cors","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:23:57.965+00:00","updated_at":"2026-11-22T21:23:57.965+00:00","updated_by":"admin"},
{"id":"01a20524-f632-7f42-9f84-37d2b4abe756","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"filters","name":"router","type":"envoy.extensions.filters.http.router.v3.Router","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:23:58.13+00:00","updated_at":"2026-11-22T21:23:58.13+00:00","updated_by":"admin"},
{"id":"01a20524-f6cc-7f73-b148-7bad7c3366b9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"listeners","name":"tls-listener","type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"tls-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18334}},"filter_chains":[{"transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext","common_tls_context":{"tls_certificate_sds_secret_configs":[{"name":"shop-cert"}]}}},"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"tls","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:23:58.284+00:00","updated_at":"2026-11-22T21:23:58.284+00:00","updated_by":"admin"},
{"id":"01a20524-f375-716c-9c5c-e92749ab73ba","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","collection":"clusters","name":"plain","type":"envoy.config.cluster.v3.Cluster","description":"changed once","labels":{"a":"b"},"resource":{"name":"plain","type":"STATIC","connect_timeout":"1s"},"private":[],"revision":2,"created_at":"2026-11-22T21:23:57.429+00:00","updated_at":"2026-11-22T21:23:58.453+00:00","updated_by":"admin"},
{"id":"01a20524-f7db-768b-b09a-63fc8502b35f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.36.4","collection":"clusters","name":"old-one","type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"old-one","type":"STATIC","connect_timeout":"1s"},"private":[],"revision":1,"created_at":"2026-11-22T21:23:58.555+00:00","updated_at":"2026-11-22T21:23:58.555+00:00","updated_by":"admin"},
{"id":"01a20524-faea-73b5-b21a-3137d392f5ba","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","version":"1.39.3","collection":"bootstrap","name":"b","type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:23:59.338+00:00","updated_at":"2026-11-22T21:23:59.338+00:00","updated_by":"admin"}
]$rows$);
insert into enrolment_tokens (id, project_id, note, created_by, created_at, expires_at, used_at, used_by_client, used_key_digest) overriding system value select id, project_id, note, created_by, created_at, expires_at, used_at, used_by_client, used_key_digest from json_populate_recordset(null::enrolment_tokens, $rows$[
{"id":"01a20524-94dd-7b33-8a56-19b25f2279c1","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","note":"flotilla up on vm","created_by":"flotilla-up","created_at":"2026-11-22T21:23:33.213+00:00","expires_at":"2026-11-22T22:23:33.213+00:00","used_at":"2026-11-22T21:23:40.164+00:00","used_by_client":"01a20524-b004-7fc6-b3d6-ac561f2d395f","used_key_digest":"\\xad9643126a1564f2b357ae0ae0dcda68a1ff5f45020797f9cc2198ea9387514f"},
{"id":"01a20524-f197-787b-be05-cff8c6ef997f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","note":"rack 4","created_by":"admin","created_at":"2026-11-22T21:23:56.951+00:00","expires_at":"2026-11-22T22:23:56.951+00:00"}
]$rows$);
insert into group_members (project_id, group_id, user_id, added_at) overriding system value select project_id, group_id, user_id, added_at from json_populate_recordset(null::group_members, $rows$[
{"project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","group_id":"01a20525-00cb-7deb-bbf7-17c6aff151d9","user_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","added_at":"2026-11-22T21:24:00.995+00:00"}
]$rows$);
insert into groups (id, project_id, name, description, created_at, updated_at, revision) overriding system value select id, project_id, name, description, created_at, updated_at, revision from json_populate_recordset(null::groups, $rows$[
{"id":"01a20525-00cb-7deb-bbf7-17c6aff151d9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"on-call","description":"night","created_at":"2026-11-22T21:24:00.843+00:00","updated_at":"2026-11-22T21:24:00.843+00:00","revision":1}
]$rows$);
insert into installation (name, value, updated_at) overriding system value select name, value, updated_at from json_populate_recordset(null::installation, $rows$[
{"name":"secret/jwt","value":{"sealed":"AgAAAAFZadrvBpO2X5sC9qn1CbeXIuiQB1/eDTeS0bToffn1SSpOfI9vwvytCrgNvvhbCzIw2TP0mclKkbAU99MRZ1/r9soaACxboyucYefVioquW+9JkIFJN4Y8cn90Kw=="},"updated_at":"2026-11-22T21:23:29.2+00:00"},
{"name":"secret/backup_codes","value":{"sealed":"AgAAAAEzLenCel4QPXhXSr7jKzW0ufBesSspTVIW9zWg7LV8CMcQQcTlW9Hw5fQF1+547y447bf81yVJ0me5f4I="},"updated_at":"2026-11-22T21:23:29.322+00:00"},
{"name":"first_owner","value":{"created":true},"updated_at":"2026-11-22T21:23:29.347+00:00"},
{"name":"secret/backup_signing","value":{"sealed":"AgAAAAEdrzsN3wqQ8kkhZL77uz0iJ8q9fajWIWkSYgZIE0zmkspu6KDr2CtfY3nhtfVf8RGKv9i1qkUnI12sffQVIXKrANpjrksOwKxKRZCT"},"updated_at":"2026-11-22T21:23:30.256+00:00"},
{"name":"secret/backup_encryption","value":{"sealed":"AgAAAAFm4iWwjei3NSFIfQLpjdXzZHm6UDSIHZU5mmHVFibQB/VvnRrxzlMKjzsgoe5fENjCv9vOmzg22+tysyo="},"updated_at":"2026-11-22T21:23:30.287+00:00"}
]$rows$);
insert into job_schedules (id, project_id, name, type, params, params_sealed, cron, time_zone, enabled, actor, next_run_at, last_job_id, created_at) overriding system value select id, project_id, name, type, params, params_sealed, cron, time_zone, enabled, actor, next_run_at, last_job_id, created_at from json_populate_recordset(null::job_schedules, $rows$[
{"id":"01a20524-88d4-7da9-81b2-119a104f7d3e","name":"tidy","type":"system.tidy","params":{},"cron":"*/10 * * * *","time_zone":"UTC","enabled":true,"actor":{"id":null,"kind":"system","name":"system"},"next_run_at":"2126-01-01T00:00:00+00:00","created_at":"2026-11-22T21:23:30.212054+00:00"},
{"id":"01a20524-8936-7859-9f99-e8a8c68711b0","name":"audit retention","type":"audit.prune","params":{},"cron":"20 3 * * *","time_zone":"UTC","enabled":true,"actor":{"id":null,"kind":"system","name":"system"},"next_run_at":"2126-01-01T00:00:00+00:00","created_at":"2026-11-22T21:23:30.232961+00:00"},
{"id":"01a20525-0293-761b-b09e-0141a853d91e","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"nightly","type":"backup.scheduled","params":{"keep":3,"secret_free":false},"cron":"0 3 * * *","time_zone":"Europe/Berlin","enabled":true,"actor":{"id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","kind":"user","name":"admin"},"next_run_at":"2126-01-01T00:00:00+00:00","created_at":"2026-11-22T21:24:01.332675+00:00"}
]$rows$);
insert into job_steps (job_id, step, name, status, attempt, repeated, started_at, ended_at, result) overriding system value select job_id, step, name, status, attempt, repeated, started_at, ended_at, result from json_populate_recordset(null::job_steps, $rows$[
{"job_id":"01a20525-031a-7ee4-8d96-5278d359ebc0","step":0,"name":"write","status":"done","attempt":1,"repeated":false,"started_at":"2026-11-22T21:24:01.637064+00:00","ended_at":"2026-11-22T21:24:02.957055+00:00"}
]$rows$);
insert into jobs (id, number, project_id, type, params, params_sealed, lock_key, is_small, status, priority, run_at, attempt, attempts_max, step, steps_total, progress, fence, leased_by, leased_until, cancel_requested_at, parent_id, children_total, children_open, children_failed, retry_of, actor, event_seq, created_at, started_at, ended_at, error, results) overriding system value select id, number, project_id, type, params, params_sealed, lock_key, is_small, status, priority, run_at, attempt, attempts_max, step, steps_total, progress, fence, leased_by, leased_until, cancel_requested_at, parent_id, children_total, children_open, children_failed, retry_of, actor, event_seq, created_at, started_at, ended_at, error, results from json_populate_recordset(null::jobs, $rows$[
{"id":"01a20525-031a-7ee4-8d96-5278d359ebc0","number":1,"project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","type":"backup.export","params":{"backup":"01a20525-02eb-7f5a-bf36-1299321b1714"},"lock_key":"backup","is_small":false,"status":"done","priority":0,"run_at":"2026-11-22T21:24:01.446472+00:00","attempt":1,"attempts_max":5,"step":0,"steps_total":1,"progress":{"done":4,"total":4,"failed":0},"fence":1,"children_total":0,"children_open":0,"children_failed":0,"actor":{"id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","kind":"user","name":"admin"},"event_seq":8,"created_at":"2026-11-22T21:24:01.446472+00:00","started_at":"2026-11-22T21:24:01.530222+00:00","ended_at":"2026-11-22T21:24:02.973366+00:00"}
]$rows$);
insert into kysely_migration (name, "timestamp") overriding system value select name, "timestamp" from json_populate_recordset(null::kysely_migration, $rows$[
{"name":"0001-foundation","timestamp":"2026-11-22T21:23:27.427Z"},
{"name":"0003-documents","timestamp":"2026-11-22T21:23:27.552Z"},
{"name":"0004-fleet","timestamp":"2026-11-22T21:23:27.752Z"},
{"name":"0005-enrolment","timestamp":"2026-11-22T21:23:27.787Z"},
{"name":"0006-live-events","timestamp":"2026-11-22T21:23:27.808Z"},
{"name":"0007-metrics","timestamp":"2026-11-22T21:23:27.859Z"},
{"name":"0008-command-kinds","timestamp":"2026-11-22T21:23:27.890Z"},
{"name":"0009-told-by-statement","timestamp":"2026-11-22T21:23:27.906Z"},
{"name":"0010-shield-events","timestamp":"2026-11-22T21:23:27.931Z"},
{"name":"0011-shield-event-search","timestamp":"2026-11-22T21:23:27.956Z"},
{"name":"0012-shield-event-drops","timestamp":"2026-11-22T21:23:27.960Z"},
{"name":"0013-row-security","timestamp":"2026-11-22T21:23:28.190Z"},
{"name":"0014-sessions","timestamp":"2026-11-22T21:23:28.254Z"},
{"name":"0015-sign-ins","timestamp":"2026-11-22T21:23:28.323Z"},
{"name":"0016-permissions","timestamp":"2026-11-22T21:23:28.417Z"},
{"name":"0017-audit","timestamp":"2026-11-22T21:23:28.560Z"},
{"name":"0018-jobs","timestamp":"2026-11-22T21:23:28.635Z"},
{"name":"0019-settings","timestamp":"2026-11-22T21:23:28.666Z"},
{"name":"0020-permissions","timestamp":"2026-11-22T21:23:28.741Z"},
{"name":"0021-audit-forwarding","timestamp":"2026-11-22T21:23:28.764Z"},
{"name":"0022-directories","timestamp":"2026-11-22T21:23:28.810Z"},
{"name":"0023-first-password","timestamp":"2026-11-22T21:23:28.821Z"},
{"name":"0024-backups","timestamp":"2026-11-22T21:23:28.837Z"},
{"name":"0025-keys","timestamp":"2026-11-22T21:23:28.915Z"},
{"name":"0026-controllers","timestamp":"2026-11-22T21:23:28.934Z"},
{"name":"0027-threat-intel","timestamp":"2026-11-22T21:23:28.957Z"},
{"name":"0028-audit-search","timestamp":"2026-11-22T21:23:28.978Z"},
{"name":"0029-job-indexes","timestamp":"2026-11-22T21:23:28.986Z"}
]$rows$);
insert into master_keys (id, derivation, created_at, expires_at, sealed_key, hand_over_until) overriding system value select id, derivation, created_at, expires_at, sealed_key, hand_over_until from json_populate_recordset(null::master_keys, $rows$[
{"id":"01a20524-84cd-7d63-9ac9-cccfffbdc3d5","created_at":"2026-11-22T21:23:29.106016+00:00"}
]$rows$);
insert into memberships (project_id, user_id, role, created_at, given_by) overriding system value select project_id, user_id, role, created_at, given_by from json_populate_recordset(null::memberships, $rows$[
{"project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","user_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","role":"editor","created_at":"2026-11-22T21:23:55.641+00:00"},
{"project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","user_id":"01a20524-ede2-778a-b733-237eaaebf21f","role":"viewer","created_at":"2026-11-22T21:23:56.002+00:00"},
{"project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","user_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","role":"admin","created_at":"2026-11-22T21:23:56.644+00:00"}
]$rows$);
insert into otp_enrolments (user_id, sealed_secret, confirmed_at, last_step, created_at) overriding system value select user_id, sealed_secret, confirmed_at, last_step, created_at from json_populate_recordset(null::otp_enrolments, $rows$[
{"user_id":"01a20524-ede2-778a-b733-237eaaebf21f","sealed_secret":"\\x0200000001e720278cd35c0df171a14534da2701ba62a478a55e88dd610e8511522fab1f6171ae7229d4d26567737f7e6e45d36eee11fbb6d7da747e37a3d9d916","confirmed_at":"2026-11-22T21:24:05.903+00:00","last_step":59846088,"created_at":"2026-11-22T21:24:05.545+00:00"}
]$rows$);
insert into permissions (id, project_id, resource_kind, resource_id, user_id, group_id, level, granted_by, granted_at) overriding system value select id, project_id, resource_kind, resource_id, user_id, group_id, level, granted_by, granted_at from json_populate_recordset(null::permissions, $rows$[
{"id":"01a20525-01d4-7571-bda7-915d930fe7c9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","resource_kind":"service","resource_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","group_id":"01a20525-00cb-7deb-bbf7-17c6aff151d9","level":"change","granted_by":"admin","granted_at":"2026-11-22T21:24:01.108+00:00"}
]$rows$);
insert into policies (id, project_id, name, description, text, files, digest, revision, created_at, updated_at, updated_by) overriding system value select id, project_id, name, description, text, files, digest, revision, created_at, updated_at, updated_by from json_populate_recordset(null::policies, $rows$[
{"id":"01a20524-bad3-713f-a462-4effec900404","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"demo-policy","text":"# The policy of the demo service. Change it and save: it is live within a second.\napiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: demo-policy\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"*\"]\n      routes:\n        - match: { path_prefix: /api/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"92de0aef38d06819fccae78c564099b3674573a98d904e10fd4a7228be85dbdf\"\n                    subject: demo-user\n        - match: { path_prefix: /limited/ }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 0.2\n                burst: 3\n","files":[],"digest":"634b34ab8be3938c10c107263422d2e2f6bda6e75a63aaa6c2864bff1cee2409","revision":1,"created_at":"2026-11-22T21:23:42.931+00:00","updated_at":"2026-11-22T21:23:42.931+00:00","updated_by":"flotilla-up"},
{"id":"01a20524-fb68-7716-9e9c-895bd9fc383e","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"rich","description":"rich","text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: rich\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"shop.example.com\"]\n      routes:\n        - match: { path_prefix: /k/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"76c344a40820e5f3274f691ff57b7de89351dc9832798ee25b7325502c4be081\"\n                    subject: customer\n        - match: { path_prefix: /h/ }\n          policy:\n            engines:\n              jwt:\n                issuer: https://id.example.com\n                audience: shop\n                hmac_secret_file: keys/hmac\n                algorithms: [HS256]\n","files":[{"path":"keys/hmac","bytes":48,"updated_at":"2026-11-22T21:23:59.464Z","sealed_base64":"AgAAAAG0s4nXvuZa7mP3VYyE0+B74E5pmgZ+QXpVbyXYUamAhuQitS6qoJfUVtm8Tx/KCONZ93g0koGK1ohN7tM9/z9Aedx1MyEqPt2u03xa"}],"digest":"65fbbf7ba25b19ed91900e6d63a169ab51b3c74a639c834d32f14c1f59f98646","revision":1,"created_at":"2026-11-22T21:23:59.464+00:00","updated_at":"2026-11-22T21:23:59.464+00:00","updated_by":"admin"},
{"id":"01a20524-fba8-73fb-80ad-c5615a29235c","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"limits","text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: limits\nspec:\n  defaults:\n    mode: detect\n    fail_mode: fail_open\n  domains:\n    - hosts: [\"limits.example.com\"]\n      routes:\n        - match: { path_prefix: / }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 5\n                burst: 10\n","files":[],"digest":"22445c642aefb8f187dd9cb77a4a47e40435ad0cd89cf26cb3019f4a921c8daa","revision":1,"created_at":"2026-11-22T21:23:59.528+00:00","updated_at":"2026-11-22T21:23:59.528+00:00","updated_by":"admin"},
{"id":"01a20524-fc02-73fe-8239-e92d8d02ac8e","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"gql","text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: gql\nspec:\n  defaults:\n    mode: detect\n    fail_mode: fail_open\n    inspect_request_body: true\n    max_request_body_bytes: 65536\n  domains:\n    - hosts: [\"gql.example.com\"]\n      routes:\n        - match: { path_prefix: / }\n          policy:\n            engines:\n              graphql:\n                paths: [/graphql]\n                max_depth: 10\n","files":[],"digest":"37d19d7587f9d8e096a384b603bb222abe03504ef40feb521de99312ef5b35d2","revision":1,"created_at":"2026-11-22T21:23:59.618+00:00","updated_at":"2026-11-22T21:23:59.618+00:00","updated_by":"admin"}
]$rows$);
insert into policy_revisions (policy_id, revision, description, text, files, digest, created_at, created_by) overriding system value select policy_id, revision, description, text, files, digest, created_at, created_by from json_populate_recordset(null::policy_revisions, $rows$[
{"policy_id":"01a20524-bad3-713f-a462-4effec900404","revision":1,"text":"# The policy of the demo service. Change it and save: it is live within a second.\napiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: demo-policy\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"*\"]\n      routes:\n        - match: { path_prefix: /api/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"92de0aef38d06819fccae78c564099b3674573a98d904e10fd4a7228be85dbdf\"\n                    subject: demo-user\n        - match: { path_prefix: /limited/ }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 0.2\n                burst: 3\n","files":[],"digest":"634b34ab8be3938c10c107263422d2e2f6bda6e75a63aaa6c2864bff1cee2409","created_at":"2026-11-22T21:23:42.931+00:00","created_by":"flotilla-up"},
{"policy_id":"01a20524-fb68-7716-9e9c-895bd9fc383e","revision":1,"description":"rich","text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: rich\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"shop.example.com\"]\n      routes:\n        - match: { path_prefix: /k/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"76c344a40820e5f3274f691ff57b7de89351dc9832798ee25b7325502c4be081\"\n                    subject: customer\n        - match: { path_prefix: /h/ }\n          policy:\n            engines:\n              jwt:\n                issuer: https://id.example.com\n                audience: shop\n                hmac_secret_file: keys/hmac\n                algorithms: [HS256]\n","files":[{"path":"keys/hmac","bytes":48,"updated_at":"2026-11-22T21:23:59.464Z","sealed_base64":"AgAAAAG0s4nXvuZa7mP3VYyE0+B74E5pmgZ+QXpVbyXYUamAhuQitS6qoJfUVtm8Tx/KCONZ93g0koGK1ohN7tM9/z9Aedx1MyEqPt2u03xa"}],"digest":"65fbbf7ba25b19ed91900e6d63a169ab51b3c74a639c834d32f14c1f59f98646","created_at":"2026-11-22T21:23:59.464+00:00","created_by":"admin"},
{"policy_id":"01a20524-fba8-73fb-80ad-c5615a29235c","revision":1,"text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: limits\nspec:\n  defaults:\n    mode: detect\n    fail_mode: fail_open\n  domains:\n    - hosts: [\"limits.example.com\"]\n      routes:\n        - match: { path_prefix: / }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 5\n                burst: 10\n","files":[],"digest":"22445c642aefb8f187dd9cb77a4a47e40435ad0cd89cf26cb3019f4a921c8daa","created_at":"2026-11-22T21:23:59.528+00:00","created_by":"admin"},
{"policy_id":"01a20524-fc02-73fe-8239-e92d8d02ac8e","revision":1,"text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: gql\nspec:\n  defaults:\n    mode: detect\n    fail_mode: fail_open\n    inspect_request_body: true\n    max_request_body_bytes: 65536\n  domains:\n    - hosts: [\"gql.example.com\"]\n      routes:\n        - match: { path_prefix: / }\n          policy:\n            engines:\n              graphql:\n                paths: [/graphql]\n                max_depth: 10\n","files":[],"digest":"37d19d7587f9d8e096a384b603bb222abe03504ef40feb521de99312ef5b35d2","created_at":"2026-11-22T21:23:59.618+00:00","created_by":"admin"}
]$rows$);
insert into projects (id, name, description, created_at, updated_at, revision, resource_access) overriding system value select id, name, description, created_at, updated_at, revision, resource_access from json_populate_recordset(null::projects, $rows$[
{"id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"default","created_at":"2026-11-22T21:23:29.347+00:00","updated_at":"2026-11-22T21:23:29.347+00:00","revision":1,"resource_access":"open"},
{"id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","name":"shop","description":"A second one — ünïcode","created_at":"2026-11-22T21:23:56.57+00:00","updated_at":"2026-11-22T21:23:56.57+00:00","revision":1,"resource_access":"open"}
]$rows$);
insert into service_revisions (service_id, revision, at, by_name, document) overriding system value select service_id, revision, at, by_name, document from json_populate_recordset(null::service_revisions, $rows$[
{"service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","revision":1,"at":"2026-11-22T21:23:43.49+00:00","by_name":"flotilla-up","document":{"name":"demo","shield":{"threads":1,"xff_trusted_hops":0},"clients":[{"addresses":["127.0.0.1"],"client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f"}],"project":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","policies":["demo-policy"],"bootstrap":"demo-bootstrap","listeners":["demo-listener"]}},
{"service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","revision":2,"at":"2026-11-22T21:23:59.797+00:00","by_name":"admin","document":{"name":"demo","shield":{"threads":1,"xff_trusted_hops":0},"clients":[{"addresses":["127.0.0.1"],"client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f"}],"project":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","policies":["demo-policy","rich"],"bootstrap":"demo-bootstrap","listeners":["demo-listener","tls-listener"]}},
{"service_id":"01a20524-fd5d-7c66-99ca-ab3148a4f469","revision":1,"at":"2026-11-22T21:23:59.965+00:00","by_name":"admin","document":{"name":"idle","shield":{"threads":1,"xff_trusted_hops":0},"clients":[{"addresses":["127.0.0.9"],"client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f"}],"project":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","version":"1.39.3","policies":[],"bootstrap":"demo-bootstrap","listeners":[]}}
]$rows$);
insert into service_targets (service_id, client_id, "position", addresses, deployed, run_state, generation, envoy_version, content_digest, content_generation, sealed_content) overriding system value select service_id, client_id, "position", addresses, deployed, run_state, generation, envoy_version, content_digest, content_generation, sealed_content from json_populate_recordset(null::service_targets, $rows$[
{"service_id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","position":0,"addresses":["127.0.0.1"],"deployed":true,"run_state":"running","generation":8,"content_digest":"7937f2612f577ece3955fdd4e256910435b7645d9ae16ff02d81bdfa3003c745","content_generation":8,"sealed_content":"\\x020000000141461cc57d6af5f8b564b89b720bfe67e56d1e8ba5553dff6b3faacc8ff31cc2a7ab2ea53fcc058f4b04de75a4265a51bc269f30b38e515b7470604d49a4ef52ec9af0b87f238de08abe7d6b816c303df188293c70e175fef4427e33d99eeab02289ff057f3517f1ff0eae4f58143431be8fe41a092f0c79fa8b7274e1ad51d5998071621a18d9b454952ff958c007b085b30866666ad211458c70bf893874a40f82b364b6f8f33475f55f096a8be44a6a163d488fb79e1013fc598ae70989219c7d9d01ccb8cb668ed5ee5136230dc591fa4aeb1a1d6908f70eedd29ef1da6d83244d03008b6c6b1d3b1ee9ab1d814ef3237f80f168b81ec68b103ed2ed6c043a63f5676f4e8a5a380e21a93e236d73beb9a9dde0602d822c002dbad12d1a80a5422929aea44e78634335560a8c7946bb9984f4f79d0123f2b6aad848542d810cdb19fbcf8bebbca0cf2f4d389031120403c4f7fe94e101fd795c5a5d9c313fc2d5dc41b941e085ff991ab0d54d9add2bde278436260f1e14f5233c5f2e26be5a8d28f803187673da137473c39e5d1a0521125a3f532944f55344c4f677bd26dd04cb2cdd3603d5386a083e37a6f29b677d904be8bc7e087ca9d6084ffcc7eb045247ec5068ec61e5a64279e9ca05f01381d8007a58d8bd57611611dca7413731b4984474943953ad5825fa1fb0785e16c2c8baf7ee85150b51f56b331a5be26fb3d02ef94dca7af1d40a3ad2a25dc0d39d97856345bd9a83accf1768eea316509ec7044df65cb63802b6e4f6823a2484bcbf6a34619044c524e003fe9d67d2dd785eeda28091982a42e43938436e8b38e8ae5f4d8658208ce5c9460087d4fa6a7abb90bb5645d24da6e45a517c97e3807b315f485cb2b2e9f488c6ed7c0ea8b09759a4dceaf8259c7a99bb80705236c8c17456b7431b33799b6c0a9d65cb0ab2b865f48213520c0408572486933fd10e8e3d9f6fd28d9849d4d35ca9096ca8cc715b8c92964ffabbf823887b02e5f1e3a7fe44a384dbcb5dabf513a61294406d8503332c5bf0dd84bd9c52f1d0a74d48af701f1518dc66e3b205636b13b52ac4b5eefe5d7779d0f103f99da64770adaf20b126dfa8381d823f3c7ea7cc31ed477c25d9d04d41d7c32261c3b93a9f16df40a71358275c7b8395eaaad161c90a622684e866edb3010237793b647b3ba27cf73924048344a61af9deb40ffe1c78ddba0dd520e8a6b9b2ca633fa49a5ff6d98fcc3637dee4f87fca978670fb5aab3c440b797d43b45bc414b910e2bfdbec444c3222b4978f1b5ba0c148b36add84f184ef2ff48149bb72f2984ca1fcf2d9692ebe6a9d8d455a8b8865848996568d5753edba77980d6db25125fc5c6e4aa9f90d80301207a1222cecfde20410168e32a8c22868ac88f4ec49a9137c25500197c5b51c9d3b72b26644e48efa05746f799be3d1ce46269f84087977844899adf0a3ba44fbcb8c3704bd49187c2df89d27bb0c080c4d4ac6613ecd2c56cc7c0c72853d123094cbcce4c35f853ac2efaad61080bf7dbe8e056badfea11ef00359a47ca982c745d446b5bf70a7b9355da732446bdecc3d503fd4a46201b193bd0c9049954403a13cac9e5c69cd5d07b505d17cc08d836a1c001f54e053ba9660bd3b5fdc1938e84f42cc77c3a6834520d87b5a4c336cc92214da851f6e9507324d1a419b9474bd4fe2a75dddbe2e509ccb001cc26bd77d3101de704e599a9a72bc1f4841d4fb970ef7fe7e7f4410875b937e2612cd76b548ebc2fe082179a221e5425a18661ded96ed26319ea83ae5e4f55c324d90dc2d164501a4aa8f2670ac194733851d441002746d94f4a127aca2849b62fd8edfec723a41ad35e8f3a5ce2096a45fb48f11385ecd58cce2c793f61acd455ebfbf3c685ddb8844f0e7e70da63d89024f2c4083a5ce0ff511f95b3c191e8ef666822770333aafcb23edb2af46b1e369add515549666047de9b26b3b02a8e80fbdc75a17b3ef4964d04a530eaa8f2cc7c3b8b1ead09c47f9de8792f4c3739ac6962a6ed3c404d39a38ffee9c9a61df133b57344d69460fafd030de28ff1d01432efb1d31e4867ae9051b8fcaad83c1b889021f656d3c3a51155bc6234b78c5a30cb46bdc06484b741cbff564932aa629cc589fdf435cd856dce04d8669c86de4ddc6735986f24764f9d3970e649e42773e0ae3e86e5d131894b2fb7354dd7567baa7991012a6ca57a2582b7bb309a73bdd6f66fcc5cdf6e144cc5432a19d371b1ed32dfb608c28f13d4d801d4406b94df2d935160fdd7a78621cb3364498b987683dc55ec01d109f6dc0c33cef75b6a0f9b5645bd33a151dcff82869a50479f2434bff63e658f749366aedb53f02e623cb992435ef084d3f197b89c760c8d2366dcd183d9874a77ff3abbda9c001bab059761d3fdfd59f114534544561dd118ccccf99bace67e9ad7eadad7107a5e75dddc31197a88f085cb603148c014a01ba71da2fd8be64a413cd34627dc71831ce51d96443cee7bf60652a4c750db20c6015121a05dfa9097000ab8aa36ff8cc5584ced3bc0620187b0369e5456d6d9157b6d29c8a3cb58cab93c2a03586ae8c122cf1c1b90e43261408973744bdb58409ebbc74dec77bdacbfb6483062d1d3c23ed40ef8afa4b4f89ff802488a1e056bfb1997b6bcbac2bb08768de1aacdaa55a73e13a1d6eba492f5ef619af6e565888c5e28905d4fa05b9bc42ab8cc13d917a71fb25fc39fd4fb5d11d3f500a0d8a166e787567e9b96d31bfe5928d1563898749c4e1c5a56c8ec54187b7f005f3d24ed3ef245178ec2dbc660a0d3290d45a30fab3be0c347397543a833d1026b60bde7be04e97480289343908a1149173e99a381e32eebe4ae57078246ae169cc95d49df4ed8341817726eb57c3332aef48beff644e81ed8a2350e344cb193f1d7c1c2add038a622b0b27ce444c8fabe62c3f2312c4156ffceac54fd0a15aef587044880526f395abc71d54f46663efd5dde9244481f68d5ec31cc23fd9f72987f6acbc517a7c6c25ff24515046e4174b06ecb54f704d760a18b379d9a154c5f1b099585b3a80f42394c5a8411ac98d1faa3e3d0c802a0ecb69c5e1de42b995f6afe3724cb4c1d8837ab85dab9f1a3d0ef24cda72bd5fa51728aaf50ad32efaa5121804cd0741a7d02984f0625a940ac23e1e1b2f768be858e699251a9490ef58a655a4df7a567d84823fc325a79d755565632eda6feca13d1e09a2c4f84cff87b5dccd9844ef0d66ebface3b70e05a4ed22579fc9eca574bd8af892dcdbfcd8d3942f337579f4bb5ae227529d645496b50e8140ecf77e80d7a0d54caf7772a2570d4a5067ce288cc3aa156235af7dc216ec648752bfae06b54e67d46cd0ab82eaa8bade7c53089197098490ad31b28d4a9647cd85827b9bb375d6dc487e74616abc7fc71ec7206f24c7d62a4be66c708f0259aff8c450ae54f90ec8585f3ac60e23922942d8751d0d73f5c5a214732c3dfc5d8c7730bb4f67cc8acab2b6bb1ac3ea688b4849235a34df7a38b0be664ba8315e81ea741dfa068a51c2f918103a2cce7d7e82188a8a6a12fddcc0bafcda313d42fd3510b5f24486969e6e00eea7892d828790c3201a2919c842bd8bfdb62f96a2d9f9b074b06b88d28725af26fe04700ea3c4a0b8d7c018aee30891b89589f9abe06c385c90b10f363834f2e044e6c9bf5ea81e1eae1f8101b3bed7154f0868a437b66c0652e3058b05346fb33618acdd68d38820147c9f76e3b5b46e60c4ee618ecb3b2c7c2656273030b2c3486113c4819b0e91a28d4459d3bee8f5ea89dcfa080fefb29273dffe8ece3108597a6b4dbc46a0a91f4fdf9eeae151644c364d82c5a090cc58b6debd5e34231a5dd5c2dbd1f52b816bb88f880555a"},
{"service_id":"01a20524-fd5d-7c66-99ca-ab3148a4f469","client_id":"01a20524-b004-7fc6-b3d6-ac561f2d395f","position":0,"addresses":["127.0.0.9"],"deployed":false,"run_state":"running","generation":11}
]$rows$);
insert into service_tokens (id, project_id, kind, name, created_at, created_by) overriding system value select id, project_id, kind, name, created_at, created_by from json_populate_recordset(null::service_tokens, $rows$[
{"id":"01a20525-0416-7ec4-bd10-72780ea37e3a","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","kind":"discovery","name":"","created_at":"2026-11-22T21:24:01.686+00:00","created_by":"admin"}
]$rows$);
insert into services (id, project_id, name, version, bootstrap, listeners, policies, shield_threads, shield_xff_trusted_hops, created_at, updated_at, updated_by, revision) overriding system value select id, project_id, name, version, bootstrap, listeners, policies, shield_threads, shield_xff_trusted_hops, created_at, updated_at, updated_by, revision from json_populate_recordset(null::services, $rows$[
{"id":"01a20524-bd02-7dd4-8fc7-c044975d1d6b","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"demo","version":"1.39.3","bootstrap":"demo-bootstrap","listeners":["demo-listener","tls-listener"],"policies":["demo-policy","rich"],"shield_threads":1,"shield_xff_trusted_hops":0,"created_at":"2026-11-22T21:23:43.49+00:00","updated_at":"2026-11-22T21:23:59.797+00:00","updated_by":"admin","revision":2},
{"id":"01a20524-fd5d-7c66-99ca-ab3148a4f469","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","name":"idle","version":"1.39.3","bootstrap":"demo-bootstrap","listeners":[],"policies":[],"shield_threads":1,"shield_xff_trusted_hops":0,"created_at":"2026-11-22T21:23:59.965+00:00","updated_at":"2026-11-22T21:23:59.965+00:00","updated_by":"admin","revision":1}
]$rows$);
insert into sessions (id, user_id, created_at, expires_at, ended_at, end_reason, ip, user_agent, kind, device, factors, last_used_at, last_ip, refresh_hash, refresh_sealed, primary_kind) overriding system value select id, user_id, created_at, expires_at, ended_at, end_reason, ip, user_agent, kind, device, factors, last_used_at, last_ip, refresh_hash, refresh_sealed, primary_kind from json_populate_recordset(null::sessions, $rows$[
{"id":"01a20525-52fb-75ea-8b81-586d8b208237","user_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","created_at":"2026-11-22T21:24:21.883+00:00","expires_at":"2026-12-04T21:24:21.883+00:00","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:21.883+00:00","last_ip":"127.0.0.1","refresh_hash":"\\xeeb27d087980a4f668f2d5d44c711e254ffd7595cd6f958beecc1b9f6c62f077","primary_kind":"password"},
{"id":"01a20524-911c-7b00-83aa-c1c4540d654c","user_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","created_at":"2026-11-22T21:23:32.252+00:00","expires_at":"2026-12-22T21:23:32.252+00:00","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:23:32.942+00:00","last_ip":"127.0.0.1","refresh_hash":"\\x6a36c7bf2491210822263c956914a6eec4982ff4dcaa7114573126973c8805ad","primary_kind":"password"},
{"id":"01a20524-eacb-7c23-aa24-7b85a4e0b63e","user_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","created_at":"2026-11-22T21:23:55.211+00:00","expires_at":"2026-12-22T21:23:55.211+00:00","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:03.807+00:00","last_ip":"127.0.0.1","refresh_hash":"\\x94bca37a970f5321fd8a63732375ee7e96236d59977c8c2b4428dc30ea32aa32","primary_kind":"password"},
{"id":"01a20525-117f-7471-abcc-10795b3f02cd","user_id":"01a20524-ede2-778a-b733-237eaaebf21f","created_at":"2026-11-22T21:24:05.119+00:00","expires_at":"2026-12-04T21:24:05.119+00:00","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:05.902+00:00","last_ip":"127.0.0.1","refresh_hash":"\\xe8dc666d096966812f571fe2c160f154c3ac9655742b4209166af98229673490","primary_kind":"password"},
{"id":"01a20525-0cca-7b25-ab3a-0edc0c7b8279","user_id":"01a20524-ede2-778a-b733-237eaaebf21f","created_at":"2026-11-22T21:24:03.914+00:00","expires_at":"2026-12-04T21:24:03.914+00:00","ended_at":"2026-11-22T21:24:05.903+00:00","end_reason":"factor_on","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:04.591+00:00","last_ip":"127.0.0.1","refresh_hash":"\\x8e0eaf56b2a8b2cf6e7069c1bb0999e220310249b8d471aff76730bfb5bca409","primary_kind":"password"},
{"id":"01a20525-1652-730e-85d7-79e16f68cb77","user_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","created_at":"2026-11-22T21:24:06.354+00:00","expires_at":"2026-12-04T21:24:06.354+00:00","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:22.279+00:00","last_ip":"127.0.0.1","refresh_hash":"\\xbc145c609a24004dd9aee1a9fd8ccbd6d4cfc2df03a90d76d307b0d8a6f66cf3","primary_kind":"password"},
{"id":"01a20525-181f-7483-a6c1-8b105badd8c7","user_id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","created_at":"2026-11-22T21:24:06.815+00:00","expires_at":"2026-12-04T21:24:06.815+00:00","ip":"127.0.0.1","user_agent":"node","kind":"browser","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:22.421+00:00","last_ip":"127.0.0.1","refresh_hash":"\\xfaf030604b11158d2fdabd6cdb61583698326e7be2ebd5db39da578141cfee39","primary_kind":"password"},
{"id":"01a20525-32ec-730f-ba9b-23bf68974171","user_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","created_at":"2026-11-22T21:24:13.676+00:00","expires_at":"2026-12-04T21:24:13.676+00:00","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:17.759+00:00","last_ip":"127.0.0.1","refresh_hash":"\\xca9aad1f7d7071cb34b5a9812512c5633b3b04435223fd24aea3df4ae60cc72c","primary_kind":"password"},
{"id":"01a20525-44ff-7a19-a036-596d582da9a8","user_id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","created_at":"2026-11-22T21:24:18.303+00:00","expires_at":"2026-12-04T21:24:18.303+00:00","ip":"127.0.0.1","user_agent":"node","kind":"bearer","device":"node","factors":[],"last_used_at":"2026-11-22T21:24:21.863+00:00","last_ip":"127.0.0.1","refresh_hash":"\\x906ee6ff8250ba0ca577ee1c8f5bc9f5ddbc21a7bf9e8ee235dad2483054b25c","primary_kind":"password"}
]$rows$);
insert into setting_revisions (setting_id, project_id, revision, value, secrets, updated_at, updated_by) overriding system value select setting_id, project_id, revision, value, secrets, updated_at, updated_by from json_populate_recordset(null::setting_revisions, $rows$[
{"setting_id":"01a20525-048a-700f-bd17-77a458306ff6","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","revision":1,"value":{"otp_enforced":false},"secrets":{},"updated_at":"2026-11-22T21:24:01.802+00:00","updated_by":"admin"},
{"setting_id":"01a20525-065c-710d-9418-a6367d79d3fa","revision":1,"value":{"ca":null,"title":"Directory","groups":{"from":"none","filter":"(objectClass=groupOfNames)","nested":"no","base_dn":"","member_attribute":"member"},"base_dn":"dc=example,dc=org","bind_dn":"cn=svc,dc=example,dc=org","enabled":false,"mapping":{"rules":[],"allow_owner":false},"servers":[{"url":"ldap://127.0.0.1:1389","start_tls":false}],"timeout_ms":3000,"user_filter":"(&(objectClass=person)(uid={username}))","create_users":true,"id_attribute":"entryUUID","name_attribute":"uid","email_attribute":"mail"},"secrets":{"bind_password":"2026-11-22T21:24:02.268Z"},"updated_at":"2026-11-22T21:24:02.268+00:00","updated_by":"admin"},
{"setting_id":"01a20525-0738-7356-86bd-d958730de1e3","revision":1,"value":{"title":"Corp","issuer":"https://id.example.com","scopes":["profile","email"],"enabled":false,"mapping":{"rules":[],"allow_owner":false},"client_id":"c","name_claim":"preferred_username","timeout_ms":5000,"client_auth":"basic","trusted_acr":[],"trusted_amr":[],"create_users":true,"groups_claim":"groups"},"secrets":{"client_secret":"2026-11-22T21:24:02.488Z"},"updated_at":"2026-11-22T21:24:02.488+00:00","updated_by":"admin"},
{"setting_id":"01a20525-0854-75d7-a698-2c242cb2171f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","revision":1,"value":{"model":"m","endpoint":"https://ai.example.com"},"secrets":{"api_key":"2026-11-22T21:24:02.772Z"},"updated_at":"2026-11-22T21:24:02.772+00:00","updated_by":"admin"},
{"setting_id":"01a20525-093c-704f-bd56-8bfcfed88407","revision":1,"value":{"tag":"flotilla","host":"127.0.0.1","port":5514,"ca_cert":null,"enabled":false,"facility":"local0","protocol":"udp","client_cert":null,"write_timeout_ms":10000,"connect_timeout_ms":5000},"secrets":{},"updated_at":"2026-11-22T21:24:03.004+00:00","updated_by":"admin"},
{"setting_id":"01a20525-09a0-7e16-9231-70328be7e5aa","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","revision":1,"value":{"auth":{"auth_url":"https://cloud.example.com","application_credential_id":"x"},"provider":"openstack","auth_type":"v3applicationcredential","interface":"public","region_name":"r","identity_api_version":"3"},"secrets":{"auth.application_credential_secret":"2026-11-22T21:24:03.104Z"},"updated_at":"2026-11-22T21:24:03.104+00:00","updated_by":"admin"},
{"setting_id":"01a20525-0a46-7163-89cf-4b246e8fdb29","revision":1,"value":{"retention_days":100},"secrets":{},"updated_at":"2026-11-22T21:24:03.27+00:00","updated_by":"admin"},
{"setting_id":"01a20525-0ad0-70d7-819b-283da271d511","revision":1,"value":{"host":"mail.example.com","port":587,"sender":"a@example.com","enabled":false,"username":"u","encryption":"starttls"},"secrets":{"password":"2026-11-22T21:24:03.408Z"},"updated_at":"2026-11-22T21:24:03.408+00:00","updated_by":"admin"},
{"setting_id":"01a20525-0b56-74bd-8187-dc2341defdd8","revision":1,"value":{"name":"Flotilla","public_url":"https://flotilla.example.com"},"secrets":{},"updated_at":"2026-11-22T21:24:03.542+00:00","updated_by":"admin"},
{"setting_id":"01a20525-0c08-7e91-90ea-9494c0ab17b6","revision":1,"value":{"otp_enforced":false,"session_days":12,"free_attempts":5,"longest_wait_s":900,"browser_idle_days":7,"password_min_length":12},"secrets":{},"updated_at":"2026-11-22T21:24:03.72+00:00","updated_by":"admin"}
]$rows$);
insert into settings (id, project_id, key, name, value, secrets, sealed, revision, updated_at, updated_by) overriding system value select id, project_id, key, name, value, secrets, sealed, revision, updated_at, updated_by from json_populate_recordset(null::settings, $rows$[
{"id":"01a20525-048a-700f-bd17-77a458306ff6","project_id":"01a20524-f01a-7074-9caf-1d8d5b014e9e","key":"otp","name":"","value":{"otp_enforced":false},"secrets":{},"revision":1,"updated_at":"2026-11-22T21:24:01.802+00:00","updated_by":"admin"},
{"id":"01a20525-065c-710d-9418-a6367d79d3fa","key":"ldap","name":"","value":{"ca":null,"title":"Directory","groups":{"from":"none","filter":"(objectClass=groupOfNames)","nested":"no","base_dn":"","member_attribute":"member"},"base_dn":"dc=example,dc=org","bind_dn":"cn=svc,dc=example,dc=org","enabled":false,"mapping":{"rules":[],"allow_owner":false},"servers":[{"url":"ldap://127.0.0.1:1389","start_tls":false}],"timeout_ms":3000,"user_filter":"(&(objectClass=person)(uid={username}))","create_users":true,"id_attribute":"entryUUID","name_attribute":"uid","email_attribute":"mail"},"secrets":{"bind_password":"2026-11-22T21:24:02.268Z"},"sealed":"\\x0200000001aa5b37f252e5ebb0f63e811f3a12abd53f468f1da62671c707bf02820283c62bc0821ad0b5036a3a8b3495fd9718dd73c7cc4924f5520ae82d25fe76e3","revision":1,"updated_at":"2026-11-22T21:24:02.268+00:00","updated_by":"admin"},
{"id":"01a20525-0738-7356-86bd-d958730de1e3","key":"oidc","name":"corp","value":{"title":"Corp","issuer":"https://id.example.com","scopes":["profile","email"],"enabled":false,"mapping":{"rules":[],"allow_owner":false},"client_id":"c","name_claim":"preferred_username","timeout_ms":5000,"client_auth":"basic","trusted_acr":[],"trusted_amr":[],"create_users":true,"groups_claim":"groups"},"secrets":{"client_secret":"2026-11-22T21:24:02.488Z"},"sealed":"\\x0200000001ccd9b97860718991727e6663ec9f1eea487db3b13a2a4df47bea94457a004dbd2a93e4ca13527cedd621c48df93b27fb3640271ce2e8de7cb07dd4ad52","revision":1,"updated_at":"2026-11-22T21:24:02.488+00:00","updated_by":"admin"},
{"id":"01a20525-0854-75d7-a698-2c242cb2171f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","key":"ai","name":"","value":{"model":"m","endpoint":"https://ai.example.com"},"secrets":{"api_key":"2026-11-22T21:24:02.772Z"},"sealed":"\\x0200000001f9cd773bb768df267bacc1180fbe50a457562e01bae91702e863e566a9c912f72a43b58252b045b8c2721c8aa3e747cf3329ff","revision":1,"updated_at":"2026-11-22T21:24:02.772+00:00","updated_by":"admin"},
{"id":"01a20525-093c-704f-bd56-8bfcfed88407","key":"syslog","name":"","value":{"tag":"flotilla","host":"127.0.0.1","port":5514,"ca_cert":null,"enabled":false,"facility":"local0","protocol":"udp","client_cert":null,"write_timeout_ms":10000,"connect_timeout_ms":5000},"secrets":{},"revision":1,"updated_at":"2026-11-22T21:24:03.004+00:00","updated_by":"admin"},
{"id":"01a20525-09a0-7e16-9231-70328be7e5aa","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","key":"cloud","name":"os","value":{"auth":{"auth_url":"https://cloud.example.com","application_credential_id":"x"},"provider":"openstack","auth_type":"v3applicationcredential","interface":"public","region_name":"r","identity_api_version":"3"},"secrets":{"auth.application_credential_secret":"2026-11-22T21:24:03.104Z"},"sealed":"\\x02000000011652a36e0405e419f10e7feda22f4a7e5ab979a8ed7b50851bb66bc098f15e96fc05873ff684b86e6f79243ab0f39bbb0d976d402bd1dba74220bd8dca99bdd71c95007eddaa33487d692c754d4d66af12","revision":1,"updated_at":"2026-11-22T21:24:03.104+00:00","updated_by":"admin"},
{"id":"01a20525-0a46-7163-89cf-4b246e8fdb29","key":"audit","name":"","value":{"retention_days":100},"secrets":{},"revision":1,"updated_at":"2026-11-22T21:24:03.27+00:00","updated_by":"admin"},
{"id":"01a20525-0ad0-70d7-819b-283da271d511","key":"smtp","name":"","value":{"host":"mail.example.com","port":587,"sender":"a@example.com","enabled":false,"username":"u","encryption":"starttls"},"secrets":{"password":"2026-11-22T21:24:03.408Z"},"sealed":"\\x02000000018ac9b84e4d425fc14cb80d263d59f192e470a03e95e946fb20ac5c3cb3516fc6d091b2ffa529e4289ad0075bbd6bc6b53d8ee57e5591ccca","revision":1,"updated_at":"2026-11-22T21:24:03.408+00:00","updated_by":"admin"},
{"id":"01a20525-0b56-74bd-8187-dc2341defdd8","key":"general","name":"","value":{"name":"Flotilla","public_url":"https://flotilla.example.com"},"secrets":{},"revision":1,"updated_at":"2026-11-22T21:24:03.542+00:00","updated_by":"admin"},
{"id":"01a20525-0c08-7e91-90ea-9494c0ab17b6","key":"sign_in","name":"","value":{"otp_enforced":false,"session_days":12,"free_attempts":5,"longest_wait_s":900,"browser_idle_days":7,"password_min_length":12},"secrets":{},"revision":1,"updated_at":"2026-11-22T21:24:03.72+00:00","updated_by":"admin"}
]$rows$);
insert into sign_in_attempts (key, failures, last_at, blocked_until, account) overriding system value select key, failures, last_at, blocked_until, account from json_populate_recordset(null::sign_in_attempts, $rows$[
{"key":"smqA1aoGTjZPHitGch6iqHVE0RWtag0IoVsQnXKYiuQ","failures":0,"last_at":"2026-11-22T21:23:32.252+00:00","blocked_until":"1970-01-01T00:00:00+00:00","account":"smqA1aoGTjZPHitGch6iqHVE0RWtag0IoVsQnXKYiuQ"},
{"key":"QMK9P2fTjGXmALSB1caw57N0Lk10-_zXiefeTyaxWX0","failures":0,"last_at":"2026-11-22T21:24:03.914+00:00","blocked_until":"1970-01-01T00:00:00+00:00","account":"QMK9P2fTjGXmALSB1caw57N0Lk10-_zXiefeTyaxWX0"},
{"key":"-etNc_0kdwYBgfg75YkUlDsfxpklY8AfBJJhHjbbJ7I","failures":0,"last_at":"2026-11-22T21:24:06.354+00:00","blocked_until":"1970-01-01T00:00:00+00:00","account":"-etNc_0kdwYBgfg75YkUlDsfxpklY8AfBJJhHjbbJ7I"},
{"key":"BH9mGOsYhaRvm4oGIvI8PWOAcrbReXPlUCFtHt95Ql8","failures":1,"last_at":"2026-11-22T21:24:22.685+00:00","blocked_until":"1970-01-01T00:00:00+00:00","account":"No-PBBKcq3AO1L2hhU3-TI8Ehm3WpBmcRzRoMY3SPis"},
{"key":"No-PBBKcq3AO1L2hhU3-TI8Ehm3WpBmcRzRoMY3SPis","failures":1,"last_at":"2026-11-22T21:24:22.685+00:00","blocked_until":"1970-01-01T00:00:00+00:00","account":"No-PBBKcq3AO1L2hhU3-TI8Ehm3WpBmcRzRoMY3SPis"},
{"key":"DzNp0mBVRSswuITBovGzPI5fvxBkqY19RxL30U24NQo","failures":1,"last_at":"2026-11-22T21:24:22.685+00:00","blocked_until":"1970-01-01T00:00:00+00:00"}
]$rows$);
insert into signing_keys (kid, sealed_secret, created_at, verifies_until) overriding system value select kid, sealed_secret, created_at, verifies_until from json_populate_recordset(null::signing_keys, $rows$[
{"kid":"mmkQ-fPn00DV","sealed_secret":"\\x020000000141f38151a78d7a879fd5638d9db6a62d327f4e7aa9d3167bf2c4e4b0d62cddde46f8845c52c34c00fe9e57f148fc21e7c1f67094936a8d1ec9d6dde4","created_at":"2026-11-22T21:23:32.72+00:00"}
]$rows$);
insert into threat_entries (feed, network) overriding system value select feed, network from json_populate_recordset(null::threat_entries, $rows$[
{"feed":"known","network":"203.0.113.7/32"},
{"feed":"known","network":"198.51.100.0/24"}
]$rows$);
insert into threat_feeds (name, enabled, entry_count, sha256, uploaded_at, uploaded_by) overriding system value select name, enabled, entry_count, sha256, uploaded_at, uploaded_by from json_populate_recordset(null::threat_feeds, $rows$[
{"name":"known","enabled":true,"entry_count":2,"sha256":"12efdda82c74e1737b84890b687544d21eb220c9186c41153f6d2beb16b118c4","uploaded_at":"2026-11-22T21:24:03.808+00:00","uploaded_by":"admin"}
]$rows$);
delete from threat_intel;
insert into threat_intel (id, revision, updated_at, updated_by) overriding system value select id, revision, updated_at, updated_by from json_populate_recordset(null::threat_intel, $rows$[
{"id":true,"revision":1,"updated_at":"2026-11-22T21:24:03.808+00:00","updated_by":"admin"}
]$rows$);
insert into token_secrets (id, hash, token_kind, token_id, project_id, issued_to, prefix, created_at, expires_at) overriding system value select id, hash, token_kind, token_id, project_id, issued_to, prefix, created_at, expires_at from json_populate_recordset(null::token_secrets, $rows$[
{"id":"01a20524-93f5-7bb5-8124-0abf4aa669db","hash":"\\x60e1a57d1981cfcd4c00d9dec1e9026d12fd2f5fd8b61f214d38ad344515d832","token_kind":"api","token_id":"01a20524-93f5-7763-814c-ee8446b3e428","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","issued_to":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","prefix":"flt_duuWuO","created_at":"2026-11-22T21:23:32.981+00:00"},
{"id":"01a20524-94dd-7133-8c67-cf2f968bda4b","hash":"\\x7a569ea2469d7945d99231a58e362d0097076063f14f718dd9c6630c6f02dc57","token_kind":"enrolment","token_id":"01a20524-94dd-7b33-8a56-19b25f2279c1","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","prefix":"flte_fU-Zf3","created_at":"2026-11-22T21:23:33.213+00:00"},
{"id":"01a20524-f0c6-7556-ab23-6d6cab5b72c7","hash":"\\xee1d84b462a03e82cb666bfec06e2713b5b78f08e9492fd86d3e5549308883ee","token_kind":"api","token_id":"01a20524-f0c6-7f1b-a288-e2127c5573d9","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","issued_to":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","prefix":"flt_PbQulF","created_at":"2026-11-22T21:23:56.742+00:00"},
{"id":"01a20524-f134-7d32-b5d3-6b926eaef59d","hash":"\\x969702cf91d75ce93c04f001204f7947d685313b7189d1dae9fb8dae3444e1be","token_kind":"api","token_id":"01a20524-f134-748c-ba5e-5c95bedbfc87","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","issued_to":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","prefix":"flt_3-uBfc","created_at":"2026-11-22T21:23:56.852+00:00"},
{"id":"01a20524-f197-7d3c-bf29-245c462229a2","hash":"\\x024f68d6063350a3aee823ab629228e280f273c7a3f1da672ae68eaea5d36c5a","token_kind":"enrolment","token_id":"01a20524-f197-787b-be05-cff8c6ef997f","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","prefix":"flte_au6sQB","created_at":"2026-11-22T21:23:56.951+00:00"},
{"id":"01a20525-0416-7f95-b669-8ab165fc125a","hash":"\\xe9483b2bd69b7abc18322f34bd190c344bfdea0afed70da59fef8a745416b124","token_kind":"discovery","token_id":"01a20525-0416-7ec4-bd10-72780ea37e3a","project_id":"01a20524-85c3-7cff-99a3-bc87d4f44ee4","issued_to":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","prefix":"fltd_KQtnvy","created_at":"2026-11-22T21:24:01.686+00:00"}
]$rows$);
insert into users (id, username, email, is_owner, active, password_hash, password_changed_at, created_at, updated_at, revision, must_change_password) overriding system value select id, username, email, is_owner, active, password_hash, password_changed_at, created_at, updated_at, revision, must_change_password from json_populate_recordset(null::users, $rows$[
{"id":"01a20524-85c3-7b9c-b7f4-c50185f5c5ef","username":"admin","is_owner":true,"active":true,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$4t8qx5wbH8vJnY5oVIx/ig$3o18LM5Mv95THK8nNtt2cXLCQeNHSfacwE05kK35/S4","password_changed_at":"2026-11-22T21:23:29.347+00:00","created_at":"2026-11-22T21:23:29.347+00:00","updated_at":"2026-11-22T21:23:29.347+00:00","revision":1,"must_change_password":false},
{"id":"01a20524-ec79-7a43-8b2a-8e1ca1fe378d","username":"ann","email":"ann@example.org","is_owner":false,"active":true,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$AbDnWpXdEr1UUQD8aryvhw$B32pnDaB/X95SqzZ/Jck7XAvl/1XMMbAHFXA+cgeq0I","password_changed_at":"2026-11-22T21:23:55.641+00:00","created_at":"2026-11-22T21:23:55.641+00:00","updated_at":"2026-11-22T21:23:55.641+00:00","revision":1,"must_change_password":true},
{"id":"01a20524-ef02-78c4-98b8-42c4e5a42e79","username":"gone","is_owner":false,"active":false,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$Y0nZYQr6MsPKpxv8Bim0mA$j6kEMosZwKGVGIE8m9REJSG3dY5a6uzTmb0cY4MGH3k","password_changed_at":"2026-11-22T21:23:56.29+00:00","created_at":"2026-11-22T21:23:56.29+00:00","updated_at":"2026-11-22T21:23:56.29+00:00","revision":1,"must_change_password":true},
{"id":"01a20524-ede2-778a-b733-237eaaebf21f","username":"victor","is_owner":false,"active":true,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$ytwcXTW/CudBvy9qq6F0ig$0wU792JMvDWIufIrFQJkm0xk4043O4MM9ftVGkUE87Q","password_changed_at":"2026-11-22T21:24:04.592+00:00","created_at":"2026-11-22T21:23:56.002+00:00","updated_at":"2026-11-22T21:24:04.592+00:00","revision":2,"must_change_password":false}
]$rows$);
select setval('outbox_seq_seq', 165);
select setval('fleet_generation', 33);
select setval('audit_chain_position_seq', 99);
select setval('job_fences', 33);
select setval('jobs_number_seq', 33);
select setval('controller_epochs', 33);
select setval('lease_fences', 33);
set session_replication_role = default;
