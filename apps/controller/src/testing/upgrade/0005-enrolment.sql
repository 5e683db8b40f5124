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
-- Files that the document names: [{path, content_base64}].
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
set session_replication_role = replica;
insert into admin_ports (client_id, port, service_id) overriding system value select client_id, port, service_id from json_populate_recordset(null::admin_ports, $rows$[
{"client_id":"01a20514-f564-712d-8e94-312341205b2d","port":33100,"service_id":"01a20514-fba0-7239-b144-2bea7203e301"},
{"client_id":"01a20514-f564-712d-8e94-312341205b2d","port":33101,"service_id":"01a20515-20f8-788d-ba74-8ed18d169ab8"}
]$rows$);
insert into api_tokens (id, project_id, name, role, prefix, token_hash, created_by, created_at, expires_at, last_used_at) overriding system value select id, project_id, name, role, prefix, token_hash, created_by, created_at, expires_at, last_used_at from json_populate_recordset(null::api_tokens, $rows$[
{"id":"01a20514-e2c3-7d7b-9acf-3563230e6e77","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"flotilla-up","role":"owner","prefix":"flt_EJqoKW","token_hash":"\\x6d525653a0c07d761dcd04e964131cab6edb1db9ab288d10a9e5121a843f3659","created_by":"01a20514-deee-7e4b-82bd-5c99e8004f18","created_at":"2026-11-22T21:06:24.579+00:00","last_used_at":"2026-11-22T21:06:24.658+00:00"},
{"id":"01a20515-194c-73e0-aa21-ce1b9289f7a4","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"deploy-bot","role":"editor","prefix":"flt_iTcMvv","token_hash":"\\x324007f535e8482a770f1909b9bde2274dc5c0694b90552f9e26f2328afc0b65","created_by":"01a20514-deee-7e4b-82bd-5c99e8004f18","created_at":"2026-11-22T21:06:38.54+00:00","last_used_at":"2026-11-22T21:07:48.311+00:00"},
{"id":"01a20515-19ac-7cbf-896d-6a6fc08d52d7","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"short","role":"viewer","prefix":"flt_HbKITP","token_hash":"\\x9a5af8be770285a02a0f4fbd8a175573ccb4872de7a5a655d06d3a7852b1bd03","created_by":"01a20514-deee-7e4b-82bd-5c99e8004f18","created_at":"2026-11-22T21:06:38.636+00:00","expires_at":"2027-06-01T00:00:00+00:00","last_used_at":"2026-11-22T21:07:48.318+00:00"}
]$rows$);
insert into audit_log (id, at, actor_kind, actor_id, actor_name, actor_role, project_id, action, resource_type, resource_id, resource_name, outcome, status, error_code, method, path, client_ip, user_agent, request_id, changes) overriding system value select id, at, actor_kind, actor_id, actor_name, actor_role, project_id, action, resource_type, resource_id, resource_name, outcome, status, error_code, method, path, client_ip, user_agent, request_id, changes from json_populate_recordset(null::audit_log, $rows$[
{"id":"01a20514-e1eb-77cf-959d-719e89e5d183","at":"2026-11-22T21:06:24.363+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20514-e1db-7a02-975d-526919063093"},
{"id":"01a20514-e2c3-7a52-8c67-1a87a402650b","at":"2026-11-22T21:06:24.579+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"api_token.create","resource_type":"api_token","resource_id":"01a20514-e2c3-7d7b-9acf-3563230e6e77","resource_name":"flotilla-up","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/tokens","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20514-e2be-7545-82b3-484ab23aed1f","changes":{"role":"owner","prefix":"flt_EJqoKW","expires_at":null}},
{"id":"01a20514-e362-7edc-aeee-055e5fbcd4ab","at":"2026-11-22T21:06:24.738+00:00","actor_kind":"token","actor_id":"01a20514-e2c3-7d7b-9acf-3563230e6e77","actor_name":"flotilla-up","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"enrolment_token.create","resource_type":"enrolment_token","resource_id":"01a20514-e362-7c97-b8d5-079208207f08","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/enrolment-tokens","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20514-e30f-7fa6-b750-83ea1e5611a4","changes":{"note":"flotilla up on vm","expires_at":"2026-11-22T22:06:24.738Z"}},
{"id":"01a20514-f564-76b8-9935-b96a22b04aaf","at":"2026-11-22T21:06:29.348+00:00","actor_kind":"client","actor_id":"01a20514-f564-712d-8e94-312341205b2d","actor_name":"01a20514-f564-712d-8e94-312341205b2d","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"client.enrol","resource_type":"client","resource_id":"01a20514-f564-712d-8e94-312341205b2d","resource_name":"this-machine","outcome":"done","status":200,"method":"GRPC","path":"/flotilla.fleet.v1.EnrolmentService/Enrol","client_ip":"127.0.0.1","user_agent":"grpc-node-js/1.14.7","request_id":"01a20514-f564-7be5-8f5c-e5c6d27d3a9c","changes":{"token_id":"01a20514-e362-7c97-b8d5-079208207f08"}},
{"id":"01a20514-f689-7718-a444-c349a76ddcab","at":"2026-11-22T21:06:29.641+00:00","actor_kind":"token","actor_id":"01a20514-e2c3-7d7b-9acf-3563230e6e77","actor_name":"flotilla-up","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.apply","resource_type":"documents","outcome":"done","status":200,"method":"POST","path":"/api/v3/xds/apply","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20514-f66e-7f10-bf90-b2f9e0a9a927","changes":{"documents":[{"name":"demo-bootstrap","outcome":"created","version":"1.39.3","revision":1,"collection":"bootstrap"},{"name":"demo-upstream","outcome":"created","version":"1.39.3","revision":1,"collection":"clusters"},{"name":"demo-routes","outcome":"created","version":"1.39.3","revision":1,"collection":"routes"},{"name":"demo-listener","outcome":"created","version":"1.39.3","revision":1,"collection":"listeners"}]}},
{"id":"01a20514-fa75-7808-8c74-1c9273d91288","at":"2026-11-22T21:06:30.645+00:00","actor_kind":"token","actor_id":"01a20514-e2c3-7d7b-9acf-3563230e6e77","actor_name":"flotilla-up","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"policy.create","resource_type":"policy","resource_id":"01a20514-fa75-73e9-961a-654ee5322e0f","resource_name":"demo-policy","outcome":"done","status":201,"method":"POST","path":"/api/v3/shield/policies","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20514-fa72-7351-8775-154ca4178de1","changes":{"digest":{"after":"634b34ab8be3938c10c107263422d2e2f6bda6e75a63aaa6c2864bff1cee2409","before":null},"revision":1}},
{"id":"01a20514-fba0-7dad-a895-8841c5b9afcb","at":"2026-11-22T21:06:30.944+00:00","actor_kind":"token","actor_id":"01a20514-e2c3-7d7b-9acf-3563230e6e77","actor_name":"flotilla-up","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"service.create","resource_type":"service","resource_id":"01a20514-fba0-7239-b144-2bea7203e301","resource_name":"demo","outcome":"done","status":201,"method":"POST","path":"/api/op/services","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20514-fb98-747e-b905-81983955bdfd","changes":{"clients":1,"version":"1.39.3","revision":1}},
{"id":"01a20514-fc18-7ef7-80cb-587de7e46b16","at":"2026-11-22T21:06:31.064+00:00","actor_kind":"token","actor_id":"01a20514-e2c3-7d7b-9acf-3563230e6e77","actor_name":"flotilla-up","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"command.dispatch","resource_type":"service","resource_id":"01a20514-fba0-7239-b144-2bea7203e301","resource_name":"demo","outcome":"done","status":200,"method":"POST","path":"/api/op/clients","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20514-fc13-7aeb-b86b-1af2129e2f82","changes":{"clients":[{"outcome":"running","client_id":"01a20514-f564-712d-8e94-312341205b2d"}],"command":"DEPLOY"}},
{"id":"01a20515-11fa-79d3-ad88-7678ef266615","at":"2026-11-22T21:06:36.666+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-11fa-7661-9ec8-72554131c48e"},
{"id":"01a20515-1614-7d73-8618-600ede6f9d5a","at":"2026-11-22T21:06:37.716+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","action":"user.create","resource_type":"user","resource_id":"01a20515-1614-7023-8553-5526bfdf3bbd","resource_name":"ann","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/users","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1610-7f5f-8807-edbc2b2e1540","changes":{"email":"ann@example.org","active":true,"is_owner":false,"username":"ann","memberships":[{"role":"editor","project":"01a20514-deee-7b51-9c99-fc6b124597bf"}]}},
{"id":"01a20515-177a-7529-9fa1-6e24f423abde","at":"2026-11-22T21:06:38.074+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","action":"user.create","resource_type":"user","resource_id":"01a20515-177a-752d-b893-dec7cce3c4b5","resource_name":"victor","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/users","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1777-74ca-ad47-b3a95589ee1b","changes":{"email":null,"active":true,"is_owner":false,"username":"victor","memberships":[{"role":"viewer","project":"01a20514-deee-7b51-9c99-fc6b124597bf"}]}},
{"id":"01a20515-1837-7152-8986-e8e9f9ae6f32","at":"2026-11-22T21:06:38.263+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","action":"user.create","resource_type":"user","resource_id":"01a20515-1837-720e-81ab-388f58e920ae","resource_name":"gone","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/users","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1832-789e-9233-9b5a191f07c2","changes":{"email":null,"active":false,"is_owner":false,"username":"gone","memberships":[]}},
{"id":"01a20515-18c4-7d41-9cb9-32028efee597","at":"2026-11-22T21:06:38.404+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","project_id":"01a20515-18c4-7595-b254-224ac6392dcc","action":"project.create","resource_type":"project","resource_id":"01a20515-18c4-7595-b254-224ac6392dcc","resource_name":"shop","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/projects","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-18be-736e-a782-22785396c7e5","changes":{"name":"shop","description":"A second one — ünïcode"}},
{"id":"01a20515-1905-7ae4-a68a-e6df49c82a16","at":"2026-11-22T21:06:38.469+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20515-18c4-7595-b254-224ac6392dcc","action":"membership.update","resource_type":"membership","resource_id":"01a20515-1614-7023-8553-5526bfdf3bbd","resource_name":"ann","outcome":"done","status":200,"method":"PUT","path":"/api/v3/setting/users/01a20515-1614-7023-8553-5526bfdf3bbd/memberships/01a20515-18c4-7595-b254-224ac6392dcc","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-18ec-743d-b4cd-872877d77ea1","changes":{"role":[null,"admin"]}},
{"id":"01a20515-194c-71e8-bc6e-cd59e0db926c","at":"2026-11-22T21:06:38.54+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"api_token.create","resource_type":"api_token","resource_id":"01a20515-194c-73e0-aa21-ce1b9289f7a4","resource_name":"deploy-bot","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/tokens","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1949-75e6-b9e4-a2f78b254af0","changes":{"role":"editor","prefix":"flt_iTcMvv","expires_at":null}},
{"id":"01a20515-19ac-7b57-a197-ac207cce7c99","at":"2026-11-22T21:06:38.636+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"api_token.create","resource_type":"api_token","resource_id":"01a20515-19ac-7cbf-896d-6a6fc08d52d7","resource_name":"short","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/tokens","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1990-7ef0-a277-ca885f6acd3a","changes":{"role":"viewer","prefix":"flt_HbKITP","expires_at":"2027-06-01T00:00:00.000Z"}},
{"id":"01a20515-19d9-72dc-b76e-2ad043bdf3c4","at":"2026-11-22T21:06:38.681+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"enrolment_token.create","resource_type":"enrolment_token","resource_id":"01a20515-19d9-788a-be02-bcf2cbaf8bf8","outcome":"done","status":201,"method":"POST","path":"/api/v3/setting/enrolment-tokens","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-19d5-79f8-b615-8cc16c71bd3b","changes":{"note":"rack 4","expires_at":"2026-11-22T22:06:38.681Z"}},
{"id":"01a20515-1a18-7853-ba77-940535986f42","at":"2026-11-22T21:06:38.744+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"secrets","resource_id":"01a20515-1a18-70cd-9731-dc2c607513ec","resource_name":"shop-cert","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/secrets","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1a0f-7656-a0e5-34e8dc6c236d","changes":{"diff":[{"path":"","after":"[811 characters of JSON]","change":"added"},{"path":"resource.tls_certificate.private_key","change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1a48-7f09-9bed-b0895ac60067","at":"2026-11-22T21:06:38.792+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"endpoints","resource_id":"01a20515-1a48-7044-9c32-a6080ebe865c","resource_name":"eds-one","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/endpoints","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1a42-7468-9d75-e6fe54092115","changes":{"diff":[{"path":"","after":{"type":"envoy.config.endpoint.v3.ClusterLoadAssignment","labels":{},"resource":{"endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"192.0.2.1","port_value":80}}}}]}],"cluster_name":"eds-one"},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1a74-773d-a165-b996be13f237","at":"2026-11-22T21:06:38.836+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"clusters","resource_id":"01a20515-1a74-72d2-b082-59e11eaf30fc","resource_name":"eds-one","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/clusters","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1a6b-7dc5-b038-a79867463ebe","changes":{"diff":[{"path":"","after":{"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"eds-one","type":"EDS","connect_timeout":"1s","eds_cluster_config":{"eds_config":{"ads":{}}}},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1a9b-73a4-bcd7-b11e56248f8c","at":"2026-11-22T21:06:38.875+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"clusters","resource_id":"01a20515-1a9b-75e8-9fde-ebd3f21cec68","resource_name":"plain","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/clusters","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1a97-7070-8e3f-20988e2bc75d","changes":{"diff":[{"path":"","after":{"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"plain","type":"STATIC","connect_timeout":"1s"},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1ace-72e4-8ff5-7caf399036c3","at":"2026-11-22T21:06:38.926+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"routes","resource_id":"01a20515-1ace-75eb-9a92-bbed8b5c91e1","resource_name":"more-routes","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/routes","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1ac1-735e-8cb2-d3c3ac93cd39","changes":{"diff":[{"path":"","after":{"type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"more-routes","vhds":{"config_source":{"ads":{}}}},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1b07-745f-b685-e20ee463a0ac","at":"2026-11-22T21:06:38.983+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"virtual_hosts","resource_id":"01a20515-1b07-7432-821c-5b6053ae4ba0","resource_name":"more-routes/shop.example.com","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/virtual_hosts","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1b00-75fb-8d93-3d06669ba6ac","changes":{"diff":[{"path":"","after":{"type":"envoy.config.route.v3.VirtualHost","labels":{},"resource":{"name":"more-routes/shop.example.com","routes":[{"match":{"prefix":"/"},"route":{"cluster":"demo-upstream"}}],"domains":["shop.example.com"]},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1b3a-7427-80de-d5ad28a42265","at":"2026-11-22T21:06:39.034+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"extensions","resource_id":"01a20515-1b3a-7c6f-a655-5fb53054079a","resource_name":"ext-one","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/extensions","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1b32-7846-b234-ce5d5112f5a0","changes":{"diff":[{"path":"","after":{"type":"envoy.extensions.filters.http.buffer.v3.Buffer","labels":{},"resource":{"max_request_bytes":1000},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1b78-784d-bcc8-50811848f3fb","at":"2026-11-22T21:06:39.096+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"filters","resource_id":"01a20515-1b78-70ba-b54a-29c207635a2e","resource_name":"flt-one","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/filters","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1b6a-7e31-b59e-4fec53562cf4","changes":{"diff":[{"path":"","after":{"type":"envoy.extensions.filters.http.cors.v3.Cors","labels":{},"resource":{},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1bad-7250-a7bd-017a4307bb64","at":"2026-11-22T21:06:39.149+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"filters","resource_id":"01a20515-1bad-7ea5-a437-d82c91a09da7","resource_name":"router","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/filters","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1ba3-75a9-a93d-6e6a73a25bc0","changes":{"diff":[{"path":"","after":{"type":"envoy.extensions.filters.http.router.v3.Router","labels":{},"resource":{},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1c45-7aee-8c12-9a0a17387227","at":"2026-11-22T21:06:39.301+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.patch","resource_type":"clusters","resource_id":"01a20515-1a9b-75e8-9fde-ebd3f21cec68","resource_name":"plain","outcome":"done","status":200,"method":"PATCH","path":"/api/v3/xds/clusters/plain","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1c42-7e8a-86e9-cd8b4e0a921d","changes":{"diff":[{"path":"description","after":"changed once","before":null,"change":"changed"},{"path":"labels.a","after":"b","change":"added"}],"version":"1.39.3","revision":2}},
{"id":"01a20515-1c80-7976-bb1d-fd5667ad357d","at":"2026-11-22T21:06:39.36+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"clusters","resource_id":"01a20515-1c80-7928-991b-dd53ae21ae60","resource_name":"old-one","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/clusters","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1c7b-72b8-96a2-cd7ef1dacb12","changes":{"diff":[{"path":"","after":{"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"old-one","type":"STATIC","connect_timeout":"1s"},"description":null},"change":"added"}],"version":"1.36.4","revision":1}},
{"id":"01a20515-1df1-7358-a6f2-90ed519a4049","at":"2026-11-22T21:06:39.729+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20515-18c4-7595-b254-224ac6392dcc","action":"document.create","resource_type":"bootstrap","resource_id":"01a20515-1df1-7c23-8ff5-63aa27a4cddc","resource_name":"b","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/bootstrap","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1deb-7a88-810c-8563a55e779b","changes":{"diff":[{"path":"","after":{"type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"description":null},"change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1beb-7b03-8d48-fafad0173b8d","at":"2026-11-22T21:06:39.211+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"document.create","resource_type":"listeners","resource_id":"01a20515-1beb-7e1c-af61-920831e4a907","resource_name":"tls-listener","outcome":"done","status":201,"method":"POST","path":"/api/v3/xds/listeners","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1be0-7596-9d9e-42ce6bddb465","changes":{"diff":[{"path":"","after":"[916 characters of JSON]","change":"added"}],"version":"1.39.3","revision":1}},
{"id":"01a20515-1e7d-76fc-9cbc-ae0e5bae3215","at":"2026-11-22T21:06:39.869+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"policy.create","resource_type":"policy","resource_id":"01a20515-1e7d-7c96-a56c-aad951b64666","resource_name":"rich","outcome":"done","status":201,"method":"POST","path":"/api/v3/shield/policies","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1e59-70e3-a32d-a81631a82e24","changes":{"digest":{"after":"9b872ad275f4b74ea35008d1ffd5b0201bb082d91b3bc1d9983f09ce289876fd","before":null},"revision":1}},
{"id":"01a20515-1ebf-7372-b958-2409bff581c0","at":"2026-11-22T21:06:39.935+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"policy.create","resource_type":"policy","resource_id":"01a20515-1ebf-74b4-ab75-bfe61fa3d1bf","resource_name":"limits","outcome":"done","status":201,"method":"POST","path":"/api/v3/shield/policies","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1eb7-7157-babe-6ca06210cf3f","changes":{"digest":{"after":"22445c642aefb8f187dd9cb77a4a47e40435ad0cd89cf26cb3019f4a921c8daa","before":null},"revision":1}},
{"id":"01a20515-1fec-78aa-9713-1f45715c0a0b","at":"2026-11-22T21:06:40.236+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"service.update","resource_type":"service","resource_id":"01a20514-fba0-7239-b144-2bea7203e301","resource_name":"demo","outcome":"done","status":200,"method":"PATCH","path":"/api/op/services/01a20514-fba0-7239-b144-2bea7203e301","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-1fe2-7182-8217-163c74ced44e","changes":{"clients":1,"version":"1.39.3","revision":2}},
{"id":"01a20515-20f8-752d-b7da-ef1111ca3920","at":"2026-11-22T21:06:40.504+00:00","actor_kind":"user","actor_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","actor_name":"admin","actor_role":"owner","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","action":"service.create","resource_type":"service","resource_id":"01a20515-20f8-788d-ba74-8ed18d169ab8","resource_name":"idle","outcome":"done","status":201,"method":"POST","path":"/api/op/services","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-209e-7a5e-909d-ed8fe5b94677","changes":{"clients":1,"version":"1.39.3","revision":1}},
{"id":"01a20515-234a-7d56-9aa3-e943809347e5","at":"2026-11-22T21:06:41.098+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20515-177a-752d-b893-dec7cce3c4b5","resource_name":"victor","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-2349-7e55-bc50-1902d299f11a"},
{"id":"01a20515-2579-725a-80ff-4104a6fa524d","at":"2026-11-22T21:06:41.657+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20515-1614-7023-8553-5526bfdf3bbd","resource_name":"ann","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20515-2577-7c2d-9953-d8beaf4910aa"},
{"id":"01a20516-1c4f-7e57-ba9b-322d0dabd562","at":"2026-11-22T21:07:44.847+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20516-1c4f-7b18-b2d4-a742ce8ed430"},
{"id":"01a20516-2616-7a6a-9096-9a73dc6ceea2","at":"2026-11-22T21:07:47.35+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","resource_name":"admin","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20516-2615-7182-8443-39b71f60d8d2"},
{"id":"01a20516-28e9-7e5d-ba09-da2ba79bfc36","at":"2026-11-22T21:07:48.073+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20515-1614-7023-8553-5526bfdf3bbd","resource_name":"ann","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20516-28e9-7d1d-8489-f41cabcef38a"},
{"id":"01a20516-296a-7d1e-ad39-a3b0e3d8a262","at":"2026-11-22T21:07:48.202+00:00","actor_kind":"anonymous","action":"session.login","resource_type":"user","resource_id":"01a20515-177a-752d-b893-dec7cce3c4b5","resource_name":"victor","outcome":"done","status":200,"method":"POST","path":"/auth/login","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20516-2969-76c6-b1b2-94ae6d31359b"},
{"id":"01a20516-29f2-7219-b8b5-e2b49ee8889b","at":"2026-11-22T21:07:48.338+00:00","actor_kind":"anonymous","action":"refresh","outcome":"denied","status":401,"error_code":"auth.missing","method":"POST","path":"/refresh","client_ip":"127.0.0.1","user_agent":"node","request_id":"01a20516-29f2-7209-a1ff-2a384e547252"}
]$rows$);
insert into certificate_authority (singleton, certificate, sealed_key, created_at, expires_at) overriding system value select singleton, certificate, sealed_key, created_at, expires_at from json_populate_recordset(null::certificate_authority, $rows$[
{"singleton":true,"certificate":"\\x3082017b30820121a00302010202106bf4b55ec61106cb5627f30407f6c7b6300a06082a8648ce3d040302301c311a301806035504031311466c6f74696c6c61203133326336396633301e170d3236313132323231303132335a170d3336313131393231303632335a301c311a301806035504031311466c6f74696c6c612031333263363966333059301306072a8648ce3d020106082a8648ce3d03010703420004190e89ffbc0c314a7ac54b7c2fc136bbbe28ab580339e9e19ce9fca025455a3018b2d4bff735f2f222fd685dbd0e8b3b29d86d46730dd14101b331d454f370f6a345304330120603551d130101ff040830060101ff020100300e0603551d0f0101ff040403020106301d0603551d0e0416041440b860443c66ecb5e80ac3ed8b8a0e0933064ff7300a06082a8648ce3d040302034800304502206707860ce029559523469e3315d0cdd62360557cce5a3e442189f3095faab4a5022100a67e70c5b3fc010f186104e6cd3e3665fc1669a9b05389ef24c3e2d5f3e0903a","sealed_key":"\\x01ebbb3cb24c9131d2c268d73d4b0a78f830753388b819ee24ffa7668ee03c761ec4c4d25596aaeaa6d9da4d2e64fa89e3504e2d25695b97c5032a3803434e30cc800dfc1cb307f9314646a71c1819487e5525623e7b384d83a654a535736dfa2ffe4a05ad1f637b4e37e0e79217909ca40ff61d6b90d51192b424bfca21fa1d8abda9ebf9022a12379801cce785ff7479628d3f3a6ed9fbdc2475185b2f0886fc78e42cad917a","created_at":"2026-11-22T21:06:23.773+00:00","expires_at":"2036-11-19T21:06:23.773+00:00"}
]$rows$);
insert into client_certificates (serial, client_id, project_id, key_digest, issued_at, expires_at, revoked_at, revoke_reason) overriding system value select serial, client_id, project_id, key_digest, issued_at, expires_at, revoked_at, revoke_reason from json_populate_recordset(null::client_certificates, $rows$[
{"serial":"69d9e9f39451b367b032e0e11e6461eb","client_id":"01a20514-f564-712d-8e94-312341205b2d","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","key_digest":"\\x9104508ffcdeca9525197f37f4ded9f72e4f7cf7265aeb1c04bb57373b4baeef","issued_at":"2026-11-22T21:06:29.348+00:00","expires_at":"2026-11-23T21:06:29+00:00"}
]$rows$);
insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, bgp, cores, memory_bytes, runtime_dir, data_dir, connected_to, connection_epoch, connect_time, connect_reason, disconnect_time, disconnect_reason, last_seen, desired_revision, created_at, updated_at) overriding system value select id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, bgp, cores, memory_bytes, runtime_dir, data_dir, connected_to, connection_epoch, connect_time, connect_reason, disconnect_time, disconnect_reason, last_seen, desired_revision, created_at, updated_at from json_populate_recordset(null::clients, $rows$[
{"id":"01a20514-f564-712d-8e94-312341205b2d","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"this-machine","hostname":"vm","os":"linux","arch":"linux-amd64","kernel":"6.18.44-fc-v669","agent_version":"0.1.0","provider":"other","metadata":{},"bgp":false,"cores":2,"memory_bytes":25276502016,"runtime_dir":"/run/flotilla-875b1562","data_dir":"/var/lib/flotilla/agent","connection_epoch":1,"connect_time":"2026-11-22T21:06:29.528+00:00","connect_reason":"stream_opened","disconnect_time":"2026-11-22T21:08:23.781+00:00","disconnect_reason":"agent left","last_seen":"2026-11-22T21:08:23.781+00:00","desired_revision":10,"created_at":"2026-11-22T21:06:29.348+00:00","updated_at":"2026-11-22T21:06:29.528+00:00"}
]$rows$);
insert into commands (id, project_id, client_id, client_name, service_id, type, sub_type, operation, fence, generation, payload, status, error_code, error_message, result, step, timeout_ms, created_by, created_at, sent_at, deadline_at, finished_at) overriding system value select id, project_id, client_id, client_name, service_id, type, sub_type, operation, fence, generation, payload, status, error_code, error_message, result, step, timeout_ms, created_by, created_at, sent_at, deadline_at, finished_at from json_populate_recordset(null::commands, $rows$[
{"id":"01a20514-fc18-75d9-86a9-5ca90efed25a","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","client_id":"01a20514-f564-712d-8e94-312341205b2d","client_name":"this-machine","service_id":"01a20514-fba0-7239-b144-2bea7203e301","type":"DEPLOY","sub_type":"","operation":"","fence":5,"generation":3,"payload":{"service":"demo","generation":3},"status":"done","result":{"status":{"error":"","phase":"running","since":"2026-11-22T21:06:33.251Z","removed":false,"restarts":0,"envoy_pid":18954,"generation":3,"service_id":"01a20514-fba0-7239-b144-2bea7203e301","envoy_version":"1.39.3"}},"step":"running","timeout_ms":1800000,"created_by":"flotilla-up","created_at":"2026-11-22T21:06:31.064+00:00","sent_at":"2026-11-22T21:06:31.605+00:00","deadline_at":"2026-11-22T21:36:31.605+00:00","finished_at":"2026-11-22T21:06:35.209+00:00"},
{"id":"01a20515-21ec-7316-866f-49e00de19183","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","client_id":"01a20514-f564-712d-8e94-312341205b2d","client_name":"this-machine","service_id":"01a20514-fba0-7239-b144-2bea7203e301","type":"SERVICE","sub_type":"SUB_STATUS","operation":"","fence":12,"payload":{"service":"demo"},"status":"done","result":{"units":[{"pid":18954,"kind":"envoy","name":"envoy-1","role":"serving","version":"1.39.3"},{"pid":18999,"kind":"shield","name":"shield-2","role":"serving","version":""}],"status":{"error":"","phase":"running","since":"2026-11-22T21:06:33.251Z","removed":false,"restarts":0,"envoy_pid":18954,"generation":3,"service_id":"01a20514-fba0-7239-b144-2bea7203e301","envoy_version":"1.39.3"}},"timeout_ms":30000,"created_by":"admin","created_at":"2026-11-22T21:06:40.748+00:00","sent_at":"2026-11-22T21:06:40.85+00:00","deadline_at":"2026-11-22T21:07:10.748+00:00","finished_at":"2026-11-22T21:06:40.878+00:00"}
]$rows$);
insert into document_names (document_id, project_id, version, collection, name) overriding system value select document_id, project_id, version, collection, name from json_populate_recordset(null::document_names, $rows$[
{"document_id":"01a20514-f689-7696-bc0a-381402ae8ccf","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"bootstrap","name":"demo-bootstrap"},
{"document_id":"01a20514-f689-7e7b-9147-95ab691b673b","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"clusters","name":"demo-upstream"},
{"document_id":"01a20514-f689-7632-9bf7-05851633a12c","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"routes","name":"demo-routes"},
{"document_id":"01a20514-f689-79d5-b301-583dbb2d4b55","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"listeners","name":"demo-listener"},
{"document_id":"01a20515-1a18-70cd-9731-dc2c607513ec","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"secrets","name":"shop-cert"},
{"document_id":"01a20515-1a48-7044-9c32-a6080ebe865c","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"endpoints","name":"eds-one"},
{"document_id":"01a20515-1a74-72d2-b082-59e11eaf30fc","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"clusters","name":"eds-one"},
{"document_id":"01a20515-1ace-75eb-9a92-bbed8b5c91e1","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"routes","name":"more-routes"},
{"document_id":"01a20515-1b07-7432-821c-5b6053ae4ba0","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"virtual_hosts","name":"more-routes/shop.example.com"},
{"document_id":"01a20515-1b3a-7c6f-a655-5fb53054079a","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"extensions","name":"ext-one"},
{"document_id":"01a20515-1b78-70ba-b54a-29c207635a2e","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"filters","name":"flt-one"},
{"document_id":"01a20515-1bad-7ea5-a437-d82c91a09da7","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"filters","name":"router"},
{"document_id":"01a20515-1beb-7e1c-af61-920831e4a907","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"listeners","name":"tls-listener"},
{"document_id":"01a20515-1a9b-75e8-9fde-ebd3f21cec68","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"clusters","name":"plain"},
{"document_id":"01a20515-1c80-7928-991b-dd53ae21ae60","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.36.4","collection":"clusters","name":"old-one"},
{"document_id":"01a20515-1df1-7c23-8ff5-63aa27a4cddc","project_id":"01a20515-18c4-7595-b254-224ac6392dcc","version":"1.39.3","collection":"bootstrap","name":"b"}
]$rows$);
insert into document_references (from_id, from_collection, from_name, project_id, version, to_collection, to_name, kind, path) overriding system value select from_id, from_collection, from_name, project_id, version, to_collection, to_name, kind, path from json_populate_recordset(null::document_references, $rows$[
{"from_id":"01a20514-f689-7632-9bf7-05851633a12c","from_collection":"routes","from_name":"demo-routes","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"clusters","to_name":"demo-upstream","kind":"name","path":"resource.virtual_hosts[0].routes[0].route.cluster"},
{"from_id":"01a20514-f689-79d5-b301-583dbb2d4b55","from_collection":"listeners","from_name":"demo-listener","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"routes","to_name":"demo-routes","kind":"name","path":"resource.filter_chains[0].filters[0].typed_config.rds.route_config_name"},
{"from_id":"01a20515-1a74-72d2-b082-59e11eaf30fc","from_collection":"clusters","from_name":"eds-one","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"endpoints","to_name":"eds-one","kind":"name","path":"resource.eds_cluster_config"},
{"from_id":"01a20515-1b07-7432-821c-5b6053ae4ba0","from_collection":"virtual_hosts","from_name":"more-routes/shop.example.com","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"clusters","to_name":"demo-upstream","kind":"name","path":"resource.routes[0].route.cluster"},
{"from_id":"01a20515-1b07-7432-821c-5b6053ae4ba0","from_collection":"virtual_hosts","from_name":"more-routes/shop.example.com","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"routes","to_name":"more-routes","kind":"member","path":"resource.name"},
{"from_id":"01a20515-1beb-7e1c-af61-920831e4a907","from_collection":"listeners","from_name":"tls-listener","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"secrets","to_name":"shop-cert","kind":"name","path":"resource.filter_chains[0].transport_socket.typed_config.common_tls_context.tls_certificate_sds_secret_configs[0].name"},
{"from_id":"01a20515-1beb-7e1c-af61-920831e4a907","from_collection":"listeners","from_name":"tls-listener","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"routes","to_name":"demo-routes","kind":"name","path":"resource.filter_chains[0].filters[0].typed_config.rds.route_config_name"},
{"from_id":"01a20514-fba0-7239-b144-2bea7203e301","from_collection":"services","from_name":"demo","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"bootstrap","to_name":"demo-bootstrap","kind":"service","path":"bootstrap"},
{"from_id":"01a20514-fba0-7239-b144-2bea7203e301","from_collection":"services","from_name":"demo","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"listeners","to_name":"demo-listener","kind":"service","path":"listeners[0]"},
{"from_id":"01a20514-fba0-7239-b144-2bea7203e301","from_collection":"services","from_name":"demo","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"listeners","to_name":"tls-listener","kind":"service","path":"listeners[1]"},
{"from_id":"01a20514-fba0-7239-b144-2bea7203e301","from_collection":"services","from_name":"demo","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"","to_collection":"policies","to_name":"demo-policy","kind":"service","path":"policies[0]"},
{"from_id":"01a20514-fba0-7239-b144-2bea7203e301","from_collection":"services","from_name":"demo","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"","to_collection":"policies","to_name":"rich","kind":"service","path":"policies[1]"},
{"from_id":"01a20515-20f8-788d-ba74-8ed18d169ab8","from_collection":"services","from_name":"idle","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","to_collection":"bootstrap","to_name":"demo-bootstrap","kind":"service","path":"bootstrap"}
]$rows$);
insert into document_revisions (document_id, revision, type, description, labels, resource, sealed, private, created_at, created_by) overriding system value select document_id, revision, type, description, labels, resource, sealed, private, created_at, created_by from json_populate_recordset(null::document_revisions, $rows$[
{"document_id":"01a20514-f689-7696-bc0a-381402ae8ccf","revision":1,"type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:06:29.641+00:00","created_by":"flotilla-up"},
{"document_id":"01a20514-f689-7e7b-9147-95ab691b673b","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"demo-upstream","type":"STATIC","connect_timeout":"2s","load_assignment":{"cluster_name":"demo-upstream","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":37583}}}}]}]}},"private":[],"created_at":"2026-11-22T21:06:29.641+00:00","created_by":"flotilla-up"},
{"document_id":"01a20514-f689-7632-9bf7-05851633a12c","revision":1,"type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"demo-routes","virtual_hosts":[{"name":"all","domains":["*"],"routes":[{"name":"everything","match":{"prefix":"/"},"route":{"cluster":"demo-upstream","timeout":"15s"}}]}]},"private":[],"created_at":"2026-11-22T21:06:29.641+00:00","created_by":"flotilla-up"},
{"document_id":"01a20514-f689-79d5-b301-583dbb2d4b55","revision":1,"type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"demo-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18312}},"filter_chains":[{"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"demo","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"created_at":"2026-11-22T21:06:29.641+00:00","created_by":"flotilla-up"},
{"document_id":"01a20515-1a18-70cd-9731-dc2c607513ec","revision":1,"type":"envoy.extensions.transport_sockets.tls.v3.Secret","description":"of the shop","labels":{"team":"shop"},"resource":{"name":"shop-cert","tls_certificate":{"certificate_chain":{"inline_string":"-----BEGIN CERTIFICATE-----\nMIIBijCCATGgAwIBAgIUH5JIXX9cir9UNp5y5rzYMXq6QvIwCgYIKoZIzj0EAwIw\nGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAeFw0yNjExMjIyMTA1MjJaFw0y\nNzEyMjcyMTA1MjJaMBsxGTAXBgNVBAMMEHNob3AuZXhhbXBsZS5jb20wWTATBgcq\nhkjOPQIBBggqhkjOPQMBBwNCAARj0dZgd+faToLFHKhPLMNOF/XyUQK9aa5q6RvW\nOESzLe7K9wsetnBdZHzG6WQ5F2+KPl0PhXdfcPqLko6jWwnNo1MwUTAdBgNVHQ4E\nFgQU0RQc3j1dWi91gMss1c9J+jrtrtowHwYDVR0jBBgwFoAU0RQc3j1dWi91gMss\n1c9J+jrtrtowDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAn6DQW\no8xTiIdhKx5394ghBwA8pWbnLoMKV+c9VSYoAQIgQM1xNp8Uz83eog5gtjb+gPP/\nJoxAeCyZHSIBtsJODJA=\n-----END CERTIFICATE-----\n"}}},"sealed":"\\x01ee2a50ccc7af802fd620462565318c02ada869f5c9bf36b1b3bd07966fbbfe1279f0ecdbaa2944d6f6636603a880efdfe819fa33d3a24e8648b36913b42a95179fd12aeed6b0dc0917478a7a64963a636aa4b90af91610f0b3ca2ceb71168a96a2c79fd674bc6d779e778cc4050b7b694fe2a19be96c517f5a115172798a05c335415dbffff95b3a1f4ac7defaeb2278e15a307e0fa3e7285f877b3c5cbd95524578c02ef1f7216c3051a53e56c697605d7a82133b0e74b614c971af1b22ece2503b1be6cc9599444c236bec6fd2807f4c6654f25c5ab8dba8d59e35455460589a8ecbce9d5e37030ecf1fce6a6ed1fd2d11c3bbbe7e0f87670cb7207f92bb0b40bfe9280c867930363f43c283e66bd1025cf284e0eb7e22900cd3bad0ba633b4ff8ef7d911e768a27208eec72562342bd7c9269a1522b451afe445456f57cb03ca2babdf33f79cf978e9272ed9f1234619c3c36885027","private":[{"path":"tls_certificate.private_key","updated_at":"2026-11-22T21:06:38.744Z"}],"created_at":"2026-11-22T21:06:38.744+00:00","created_by":"admin"},
{"document_id":"01a20515-1a48-7044-9c32-a6080ebe865c","revision":1,"type":"envoy.config.endpoint.v3.ClusterLoadAssignment","labels":{},"resource":{"cluster_name":"eds-one","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"192.0.2.1","port_value":80}}}}]}]},"private":[],"created_at":"2026-11-22T21:06:38.792+00:00","created_by":"admin"},
{"document_id":"01a20515-1a74-72d2-b082-59e11eaf30fc","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"eds-one","type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},"connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:06:38.836+00:00","created_by":"admin"},
{"document_id":"01a20515-1a9b-75e8-9fde-ebd3f21cec68","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"plain","type":"STATIC","connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:06:38.875+00:00","created_by":"admin"},
{"document_id":"01a20515-1ace-75eb-9a92-bbed8b5c91e1","revision":1,"type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"more-routes","vhds":{"config_source":{"ads":{}}}},"private":[],"created_at":"2026-11-22T21:06:38.926+00:00","created_by":"admin"},
{"document_id":"01a20515-1b07-7432-821c-5b6053ae4ba0","revision":1,"type":"envoy.config.route.v3.VirtualHost","labels":{},"resource":{"name":"more-routes/shop.example.com","domains":["shop.example.com"],"routes":[{"match":{"prefix":"/"},"route":{"cluster":"demo-upstream"}}]},"private":[],"created_at":"2026-11-22T21:06:38.983+00:00","created_by":"admin"},
{"document_id":"01a20515-1b3a-7c6f-a655-5fb53054079a","revision":1,"type":"envoy.extensions.filters.http.buffer.v3.Buffer","labels":{},"resource":{"max_request_bytes":1000},"private":[],"created_at":"2026-11-22T21:06:39.034+00:00","created_by":"admin"},
{"document_id":"01a20515-1b78-70ba-b54a-29c207635a2e","revision":1,"type":"envoy.extensions.filters.http.cors.v3.Cors","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:06:39.096+00:00","created_by":"admin"},
{"document_id":"01a20515-1bad-7ea5-a437-d82c91a09da7","revision":1,"type":"envoy.extensions.filters.http.router.v3.Router","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:06:39.149+00:00","created_by":"admin"},
{"document_id":"01a20515-1beb-7e1c-af61-920831e4a907","revision":1,"type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"tls-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18314}},"filter_chains":[{"transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext","common_tls_context":{"tls_certificate_sds_secret_configs":[{"name":"shop-cert"}]}}},"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"tls","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"created_at":"2026-11-22T21:06:39.211+00:00","created_by":"admin"},
{"document_id":"01a20515-1a9b-75e8-9fde-ebd3f21cec68","revision":2,"type":"envoy.config.cluster.v3.Cluster","description":"changed once","labels":{"a":"b"},"resource":{"name":"plain","type":"STATIC","connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:06:39.301+00:00","created_by":"admin"},
{"document_id":"01a20515-1c80-7928-991b-dd53ae21ae60","revision":1,"type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"old-one","type":"STATIC","connect_timeout":"1s"},"private":[],"created_at":"2026-11-22T21:06:39.36+00:00","created_by":"admin"},
{"document_id":"01a20515-1df1-7c23-8ff5-63aa27a4cddc","revision":1,"type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"created_at":"2026-11-22T21:06:39.729+00:00","created_by":"admin"}
]$rows$);
insert into documents (id, project_id, version, collection, name, type, description, labels, resource, sealed, private, revision, created_at, updated_at, updated_by) overriding system value select id, project_id, version, collection, name, type, description, labels, resource, sealed, private, revision, created_at, updated_at, updated_by from json_populate_recordset(null::documents, $rows$[
{"id":"01a20514-f689-7696-bc0a-381402ae8ccf","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"bootstrap","name":"demo-bootstrap","type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:06:29.641+00:00","updated_at":"2026-11-22T21:06:29.641+00:00","updated_by":"flotilla-up"},
{"id":"01a20514-f689-7e7b-9147-95ab691b673b","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"clusters","name":"demo-upstream","type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"demo-upstream","type":"STATIC","connect_timeout":"2s","load_assignment":{"cluster_name":"demo-upstream","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":37583}}}}]}]}},"private":[],"revision":1,"created_at":"2026-11-22T21:06:29.641+00:00","updated_at":"2026-11-22T21:06:29.641+00:00","updated_by":"flotilla-up"},
{"id":"01a20514-f689-7632-9bf7-05851633a12c","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"routes","name":"demo-routes","type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"demo-routes","virtual_hosts":[{"name":"all","domains":["*"],"routes":[{"name":"everything","match":{"prefix":"/"},"route":{"cluster":"demo-upstream","timeout":"15s"}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:06:29.641+00:00","updated_at":"2026-11-22T21:06:29.641+00:00","updated_by":"flotilla-up"},
{"id":"01a20514-f689-79d5-b301-583dbb2d4b55","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"listeners","name":"demo-listener","type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"demo-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18312}},"filter_chains":[{"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"demo","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:06:29.641+00:00","updated_at":"2026-11-22T21:06:29.641+00:00","updated_by":"flotilla-up"},
{"id":"01a20515-1a18-70cd-9731-dc2c607513ec","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"secrets","name":"shop-cert","type":"envoy.extensions.transport_sockets.tls.v3.Secret","description":"of the shop","labels":{"team":"shop"},"resource":{"name":"shop-cert","tls_certificate":{"certificate_chain":{"inline_string":"-----BEGIN CERTIFICATE-----\nMIIBijCCATGgAwIBAgIUH5JIXX9cir9UNp5y5rzYMXq6QvIwCgYIKoZIzj0EAwIw\nGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAeFw0yNjExMjIyMTA1MjJaFw0y\nNzEyMjcyMTA1MjJaMBsxGTAXBgNVBAMMEHNob3AuZXhhbXBsZS5jb20wWTATBgcq\nhkjOPQIBBggqhkjOPQMBBwNCAARj0dZgd+faToLFHKhPLMNOF/XyUQK9aa5q6RvW\nOESzLe7K9wsetnBdZHzG6WQ5F2+KPl0PhXdfcPqLko6jWwnNo1MwUTAdBgNVHQ4E\nFgQU0RQc3j1dWi91gMss1c9J+jrtrtowHwYDVR0jBBgwFoAU0RQc3j1dWi91gMss\n1c9J+jrtrtowDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAn6DQW\no8xTiIdhKx5394ghBwA8pWbnLoMKV+c9VSYoAQIgQM1xNp8Uz83eog5gtjb+gPP/\nJoxAeCyZHSIBtsJODJA=\n-----END CERTIFICATE-----\n"}}},"sealed":"\\x01ee2a50ccc7af802fd620462565318c02ada869f5c9bf36b1b3bd07966fbbfe1279f0ecdbaa2944d6f6636603a880efdfe819fa33d3a24e8648b36913b42a95179fd12aeed6b0dc0917478a7a64963a636aa4b90af91610f0b3ca2ceb71168a96a2c79fd674bc6d779e778cc4050b7b694fe2a19be96c517f5a115172798a05c335415dbffff95b3a1f4ac7defaeb2278e15a307e0fa3e7285f877b3c5cbd95524578c02ef1f7216c3051a53e56c697605d7a82133b0e74b614c971af1b22ece2503b1be6cc9599444c236bec6fd2807f4c6654f25c5ab8dba8d59e35455460589a8ecbce9d5e37030ecf1fce6a6ed1fd2d11c3bbbe7e0f87670cb7207f92bb0b40bfe9280c867930363f43c283e66bd1025cf284e0eb7e22900cd3bad0ba633b4ff8ef7d911e768a27208eec72562342bd7c9269a1522b451afe445456f57cb03ca2babdf33f79cf978e9272ed9f1234619c3c36885027","private":[{"path":"tls_certificate.private_key","updated_at":"2026-11-22T21:06:38.744Z"}],"revision":1,"created_at":"2026-11-22T21:06:38.744+00:00","updated_at":"2026-11-22T21:06:38.744+00:00","updated_by":"admin"},
{"id":"01a20515-1a48-7044-9c32-a6080ebe865c","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"endpoints","name":"eds-one","type":"envoy.config.endpoint.v3.ClusterLoadAssignment","labels":{},"resource":{"cluster_name":"eds-one","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"192.0.2.1","port_value":80}}}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:06:38.792+00:00","updated_at":"2026-11-22T21:06:38.792+00:00","updated_by":"admin"},
{"id":"01a20515-1a74-72d2-b082-59e11eaf30fc","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"clusters","name":"eds-one","type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"eds-one","type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},"connect_timeout":"1s"},"private":[],"revision":1,"created_at":"2026-11-22T21:06:38.836+00:00","updated_at":"2026-11-22T21:06:38.836+00:00","updated_by":"admin"},
{"id":"01a20515-1ace-75eb-9a92-bbed8b5c91e1","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"routes","name":"more-routes","type":"envoy.config.route.v3.RouteConfiguration","labels":{},"resource":{"name":"more-routes","vhds":{"config_source":{"ads":{}}}},"private":[],"revision":1,"created_at":"2026-11-22T21:06:38.926+00:00","updated_at":"2026-11-22T21:06:38.926+00:00","updated_by":"admin"},
{"id":"01a20515-1b07-7432-821c-5b6053ae4ba0","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"virtual_hosts","name":"more-routes/shop.example.com","type":"envoy.config.route.v3.VirtualHost","labels":{},"resource":{"name":"more-routes/shop.example.com","domains":["shop.example.com"],"routes":[{"match":{"prefix":"/"},"route":{"cluster":"demo-upstream"}}]},"private":[],"revision":1,"created_at":"2026-11-22T21:06:38.983+00:00","updated_at":"2026-11-22T21:06:38.983+00:00","updated_by":"admin"},
{"id":"01a20515-1b3a-7c6f-a655-5fb53054079a","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"extensions","name":"ext-one","type":"envoy.extensions.filters.http.buffer.v3.Buffer","labels":{},"resource":{"max_request_bytes":1000},"private":[],"revision":1,"created_at":"2026-11-22T21:06:39.034+00:00","updated_at":"2026-11-22T21:06:39.034+00:00","updated_by":"admin"},
{"id":"01a20515-1b78-70ba-b54a-29c207635a2e","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"filters","name":"flt-one","type":"envoy.extensions.filters.http.cors.v3.Cors","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:06:39.096+00:00","updated_at":"2026-11-22T21:06:39.096+00:00","updated_by":"admin"},
{"id":"01a20515-1bad-7ea5-a437-d82c91a09da7","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"filters","name":"router","type":"envoy.extensions.filters.http.router.v3.Router","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:06:39.149+00:00","updated_at":"2026-11-22T21:06:39.149+00:00","updated_by":"admin"},
{"id":"01a20515-1beb-7e1c-af61-920831e4a907","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"listeners","name":"tls-listener","type":"envoy.config.listener.v3.Listener","labels":{},"resource":{"name":"tls-listener","address":{"socket_address":{"address":"127.0.0.1","port_value":18314}},"filter_chains":[{"transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext","common_tls_context":{"tls_certificate_sds_secret_configs":[{"name":"shop-cert"}]}}},"filters":[{"name":"envoy.filters.network.http_connection_manager","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"tls","rds":{"route_config_name":"demo-routes","config_source":{"ads":{},"resource_api_version":"V3"}},"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]},"private":[],"revision":1,"created_at":"2026-11-22T21:06:39.211+00:00","updated_at":"2026-11-22T21:06:39.211+00:00","updated_by":"admin"},
{"id":"01a20515-1a9b-75e8-9fde-ebd3f21cec68","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","collection":"clusters","name":"plain","type":"envoy.config.cluster.v3.Cluster","description":"changed once","labels":{"a":"b"},"resource":{"name":"plain","type":"STATIC","connect_timeout":"1s"},"private":[],"revision":2,"created_at":"2026-11-22T21:06:38.875+00:00","updated_at":"2026-11-22T21:06:39.301+00:00","updated_by":"admin"},
{"id":"01a20515-1c80-7928-991b-dd53ae21ae60","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.36.4","collection":"clusters","name":"old-one","type":"envoy.config.cluster.v3.Cluster","labels":{},"resource":{"name":"old-one","type":"STATIC","connect_timeout":"1s"},"private":[],"revision":1,"created_at":"2026-11-22T21:06:39.36+00:00","updated_at":"2026-11-22T21:06:39.36+00:00","updated_by":"admin"},
{"id":"01a20515-1df1-7c23-8ff5-63aa27a4cddc","project_id":"01a20515-18c4-7595-b254-224ac6392dcc","version":"1.39.3","collection":"bootstrap","name":"b","type":"envoy.config.bootstrap.v3.Bootstrap","labels":{},"resource":{},"private":[],"revision":1,"created_at":"2026-11-22T21:06:39.729+00:00","updated_at":"2026-11-22T21:06:39.729+00:00","updated_by":"admin"}
]$rows$);
insert into enrolment_tokens (id, project_id, secret_hash, note, created_by, created_at, expires_at, used_at, used_by_client, used_key_digest) overriding system value select id, project_id, secret_hash, note, created_by, created_at, expires_at, used_at, used_by_client, used_key_digest from json_populate_recordset(null::enrolment_tokens, $rows$[
{"id":"01a20514-e362-7c97-b8d5-079208207f08","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","secret_hash":"\\x4655aea791f7669775294596251b77c0556476e4f2cdb4de2e9cd0f89c488908","note":"flotilla up on vm","created_by":"flotilla-up","created_at":"2026-11-22T21:06:24.738+00:00","expires_at":"2026-11-22T22:06:24.738+00:00","used_at":"2026-11-22T21:06:29.348+00:00","used_by_client":"01a20514-f564-712d-8e94-312341205b2d","used_key_digest":"\\x9104508ffcdeca9525197f37f4ded9f72e4f7cf7265aeb1c04bb57373b4baeef"},
{"id":"01a20515-19d9-788a-be02-bcf2cbaf8bf8","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","secret_hash":"\\xfa9899e149c7868466ef9a2a77274dbb96c4b5e059c4d56c8aa130c2fd2ec8e1","note":"rack 4","created_by":"admin","created_at":"2026-11-22T21:06:38.681+00:00","expires_at":"2026-11-22T22:06:38.681+00:00"}
]$rows$);
insert into installation (name, value, updated_at) overriding system value select name, value, updated_at from json_populate_recordset(null::installation, $rows$[
{"name":"data_key","value":{"sealed":"AVlCadaC6Qu8VbN8DPdkwJRSbcel3ocMzlvrX7G7ULHHzobXY7POIOun0atnGMVQlEAFa8lpKScjpHlcsg=="},"updated_at":"2026-11-22T21:06:23.578+00:00"},
{"name":"secret/jwt","value":{"sealed":"AbztltgTkjaQUCxAjCEO0tBHnx1Zr0xYSDFCBe5/K/b3jhSVeN9+7u867ofXN6E8zaiY+CcTBNzE/dXsFZB7Q2dFCbXBCRIQI4Wwz3kCJBNLsdaJE+JImstePnXE"},"updated_at":"2026-11-22T21:06:23.588+00:00"},
{"name":"first_owner","value":{"created":true},"updated_at":"2026-11-22T21:06:23.598+00:00"}
]$rows$);
insert into kysely_migration (name, "timestamp") overriding system value select name, "timestamp" from json_populate_recordset(null::kysely_migration, $rows$[
{"name":"0001-foundation","timestamp":"2026-11-22T21:06:23.455Z"},
{"name":"0003-documents","timestamp":"2026-11-22T21:06:23.486Z"},
{"name":"0004-fleet","timestamp":"2026-11-22T21:06:23.546Z"},
{"name":"0005-enrolment","timestamp":"2026-11-22T21:06:23.567Z"}
]$rows$);
insert into memberships (project_id, user_id, role, created_at) overriding system value select project_id, user_id, role, created_at from json_populate_recordset(null::memberships, $rows$[
{"project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","user_id":"01a20515-1614-7023-8553-5526bfdf3bbd","role":"editor","created_at":"2026-11-22T21:06:37.716+00:00"},
{"project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","user_id":"01a20515-177a-752d-b893-dec7cce3c4b5","role":"viewer","created_at":"2026-11-22T21:06:38.074+00:00"},
{"project_id":"01a20515-18c4-7595-b254-224ac6392dcc","user_id":"01a20515-1614-7023-8553-5526bfdf3bbd","role":"admin","created_at":"2026-11-22T21:06:38.469+00:00"}
]$rows$);
insert into policies (id, project_id, name, description, text, files, digest, revision, created_at, updated_at, updated_by) overriding system value select id, project_id, name, description, text, files, digest, revision, created_at, updated_at, updated_by from json_populate_recordset(null::policies, $rows$[
{"id":"01a20514-fa75-73e9-961a-654ee5322e0f","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"demo-policy","text":"# The policy of the demo service. Change it and save: it is live within a second.\napiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: demo-policy\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"*\"]\n      routes:\n        - match: { path_prefix: /api/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"92de0aef38d06819fccae78c564099b3674573a98d904e10fd4a7228be85dbdf\"\n                    subject: demo-user\n        - match: { path_prefix: /limited/ }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 0.2\n                burst: 3\n","files":[],"digest":"634b34ab8be3938c10c107263422d2e2f6bda6e75a63aaa6c2864bff1cee2409","revision":1,"created_at":"2026-11-22T21:06:30.645+00:00","updated_at":"2026-11-22T21:06:30.645+00:00","updated_by":"flotilla-up"},
{"id":"01a20515-1e7d-7c96-a56c-aad951b64666","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"rich","description":"rich","text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: rich\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"shop.example.com\"]\n      routes:\n        - match: { path_prefix: /k/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"76c344a40820e5f3274f691ff57b7de89351dc9832798ee25b7325502c4be081\"\n                    subject: customer\n","files":[],"digest":"9b872ad275f4b74ea35008d1ffd5b0201bb082d91b3bc1d9983f09ce289876fd","revision":1,"created_at":"2026-11-22T21:06:39.869+00:00","updated_at":"2026-11-22T21:06:39.869+00:00","updated_by":"admin"},
{"id":"01a20515-1ebf-74b4-ab75-bfe61fa3d1bf","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"limits","text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: limits\nspec:\n  defaults:\n    mode: detect\n    fail_mode: fail_open\n  domains:\n    - hosts: [\"limits.example.com\"]\n      routes:\n        - match: { path_prefix: / }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 5\n                burst: 10\n","files":[],"digest":"22445c642aefb8f187dd9cb77a4a47e40435ad0cd89cf26cb3019f4a921c8daa","revision":1,"created_at":"2026-11-22T21:06:39.935+00:00","updated_at":"2026-11-22T21:06:39.935+00:00","updated_by":"admin"}
]$rows$);
insert into policy_revisions (policy_id, revision, description, text, files, digest, created_at, created_by) overriding system value select policy_id, revision, description, text, files, digest, created_at, created_by from json_populate_recordset(null::policy_revisions, $rows$[
{"policy_id":"01a20514-fa75-73e9-961a-654ee5322e0f","revision":1,"text":"# The policy of the demo service. Change it and save: it is live within a second.\napiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: demo-policy\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"*\"]\n      routes:\n        - match: { path_prefix: /api/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"92de0aef38d06819fccae78c564099b3674573a98d904e10fd4a7228be85dbdf\"\n                    subject: demo-user\n        - match: { path_prefix: /limited/ }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 0.2\n                burst: 3\n","files":[],"digest":"634b34ab8be3938c10c107263422d2e2f6bda6e75a63aaa6c2864bff1cee2409","created_at":"2026-11-22T21:06:30.645+00:00","created_by":"flotilla-up"},
{"policy_id":"01a20515-1e7d-7c96-a56c-aad951b64666","revision":1,"description":"rich","text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: rich\nspec:\n  defaults:\n    mode: block\n    fail_mode: fail_close\n  domains:\n    - hosts: [\"shop.example.com\"]\n      routes:\n        - match: { path_prefix: /k/ }\n          policy:\n            engines:\n              api_key:\n                keys:\n                  - sha256: \"76c344a40820e5f3274f691ff57b7de89351dc9832798ee25b7325502c4be081\"\n                    subject: customer\n","files":[],"digest":"9b872ad275f4b74ea35008d1ffd5b0201bb082d91b3bc1d9983f09ce289876fd","created_at":"2026-11-22T21:06:39.869+00:00","created_by":"admin"},
{"policy_id":"01a20515-1ebf-74b4-ab75-bfe61fa3d1bf","revision":1,"text":"apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata:\n  name: limits\nspec:\n  defaults:\n    mode: detect\n    fail_mode: fail_open\n  domains:\n    - hosts: [\"limits.example.com\"]\n      routes:\n        - match: { path_prefix: / }\n          policy:\n            engines:\n              rate_limit:\n                requests_per_second: 5\n                burst: 10\n","files":[],"digest":"22445c642aefb8f187dd9cb77a4a47e40435ad0cd89cf26cb3019f4a921c8daa","created_at":"2026-11-22T21:06:39.935+00:00","created_by":"admin"}
]$rows$);
insert into projects (id, name, description, created_at, updated_at, revision) overriding system value select id, name, description, created_at, updated_at, revision from json_populate_recordset(null::projects, $rows$[
{"id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"default","created_at":"2026-11-22T21:06:23.598+00:00","updated_at":"2026-11-22T21:06:23.598+00:00","revision":1},
{"id":"01a20515-18c4-7595-b254-224ac6392dcc","name":"shop","description":"A second one — ünïcode","created_at":"2026-11-22T21:06:38.404+00:00","updated_at":"2026-11-22T21:06:38.404+00:00","revision":1}
]$rows$);
insert into service_revisions (service_id, revision, at, by_name, document) overriding system value select service_id, revision, at, by_name, document from json_populate_recordset(null::service_revisions, $rows$[
{"service_id":"01a20514-fba0-7239-b144-2bea7203e301","revision":1,"at":"2026-11-22T21:06:30.944+00:00","by_name":"flotilla-up","document":{"name":"demo","shield":{"threads":1,"xff_trusted_hops":0},"clients":[{"addresses":["127.0.0.1"],"client_id":"01a20514-f564-712d-8e94-312341205b2d"}],"project":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","policies":["demo-policy"],"bootstrap":"demo-bootstrap","listeners":["demo-listener"]}},
{"service_id":"01a20514-fba0-7239-b144-2bea7203e301","revision":2,"at":"2026-11-22T21:06:40.236+00:00","by_name":"admin","document":{"name":"demo","shield":{"threads":1,"xff_trusted_hops":0},"clients":[{"addresses":["127.0.0.1"],"client_id":"01a20514-f564-712d-8e94-312341205b2d"}],"project":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","policies":["demo-policy","rich"],"bootstrap":"demo-bootstrap","listeners":["demo-listener","tls-listener"]}},
{"service_id":"01a20515-20f8-788d-ba74-8ed18d169ab8","revision":1,"at":"2026-11-22T21:06:40.504+00:00","by_name":"admin","document":{"name":"idle","shield":{"threads":1,"xff_trusted_hops":0},"clients":[{"addresses":["127.0.0.9"],"client_id":"01a20514-f564-712d-8e94-312341205b2d"}],"project":"01a20514-deee-7b51-9c99-fc6b124597bf","version":"1.39.3","policies":[],"bootstrap":"demo-bootstrap","listeners":[]}}
]$rows$);
insert into service_targets (service_id, client_id, "position", addresses, deployed, run_state, generation, envoy_version, content_digest, content_generation, sealed_content) overriding system value select service_id, client_id, "position", addresses, deployed, run_state, generation, envoy_version, content_digest, content_generation, sealed_content from json_populate_recordset(null::service_targets, $rows$[
{"service_id":"01a20514-fba0-7239-b144-2bea7203e301","client_id":"01a20514-f564-712d-8e94-312341205b2d","position":0,"addresses":["127.0.0.1"],"deployed":true,"run_state":"running","generation":8,"content_digest":"1137caa93cd4e256603b35287f8033f1c2befbce80677ae447fdf1164e1db22b","content_generation":8,"sealed_content":"\\x011e2ca78b5b7a3cf4e7cb0380159886f6ad99629835aa9a03197e547b7bfef9aa1e8ffb49568aa1902d9ebe13797ce3a1e58663832ea77d44ba750225bf4619e465057618eb2b9893569341fb8fdc621ec298193c79b0bee8f8b9ad893aed6c53eaa2f2a7062d6e47e004c0fdcc4c8312143b12034f189f94f320485afedfe20b8397582fc35fdb263a97b0705476d138d888564651d1928e4c44c32443f61d9bf33daaf84ca4334c683dcfe2d7bb8aad7fc1fc2a2a3e32c23534542935c1ce1dc94b15d103f7cf626406c694bc7d3c0f259ed61fabd060022d2754bebeac245f372b7ea3dc539da09970f56f0071ef60f95289f89ceb01d48b0ea6e51d90f3873da60ff58da88ee69d8f1c4977beda516350745df8b62d2e65842ff470085855fb5f4b812630435599d4856d8c889c9933aabb317505fa8f668d63ecd827a8678a2c6e02d5ceb5e5339d9c3821b409cd85c939c7431d2668cebe3a09ffce325f6e29e19f79da532bbb65e24572fbbdbb41fda6f09d4af14553996981e8f72d180b1d717bc0901210343be80fc3668b7a94a8dd26713f5b719fa5ab36732e36c0cf41f52f14e489eabdf47d0d13d662e1929728d3e4cf7e842be5b301304a4856272107d9298cd03388989ba1e960d07c61d67ad13da7ccf92bdcfd0ed90587bb6a26ab36073b9e84472770a8f72bc2946968f82f27a8cfc5e9a14dd6976558db2ce87f68b78a76993c3dca8b2bf8336eef5d3a4fbbdd9bd061b259fbae2bf134b1e2033077fdfc5b36a69e53329efe0d26a1fa849682d787a57c5ae56ddb7f3f15592ccec029c53c840c0abacc10d085b96eea449956dcfa5a50e058f2e589ee780adcff1bf61529474d2448b695108c238891e34cb35d6c9151f454496cf15f0cd253988154f8bc64653ed8ff5ca2b0e303671a2942a0634ee36a2887821948179f0863ff413de89307f0eab188f2cd3ab43212feb66b20aa61e9a5f8d984c639111f6fe8616b11f59b942a757f980461731f2640323da52a2b4d4ad095483f432c9d5ef12133c43a95b628e00f0ce016920ade934e16f9c94bfa7337f0fc6fd150d5b6c2ef3089d3d30a431d636a9a49edc8cd3665bd69571e55f069a753af987c5cdf70bd25c97a4da42b9f8d85fa4f9c8127ae84735850258d39e46e09099c693de37220076c00fe62927cd57e7027a22c592d4cde527a0cdd06e42857e79bdb01486b635aafd54aa1c4479744b4967a03bfec4c32bd92efcd38717336adbdefcdec484b8b66db61c56c25cef50e8ed71f26ad1eda34d6ca4b6729d38d337487be4425c032ae0005f6ddbb2e5824563f1158b99dce125c0e0cdb938078ac1ecb67cbf43f335c103d65c707a9e16c94bc4f2d6147f916df037ec3f45da900edae59c0885ca28f1671822a0f7a283c95fbdd2521a11f27da2fca995e4bda1f75ef16c50bb86130f14f3c9ae01e8fdaa481b0f3b878b971ce2032a172f8f3dc7f92a54d6debdf51a9ae45b1099c150d4e2cee7e81aa9bfdbea8b2ba4011f543523c52191b788484fede28953d3839a7981e99b12004165190f05a41ddf2dbdec15ec42900f70d06b46bfad9f081cd417d421bc57864ae2fff4208a55be37323287a3db3823c1d99aaffba3a8c6001637090a3b38a7303e2fd12fb8efa8d99fa302bbaa992f5100804f3e6a4e089fe396b4f93aed4865f26439e769c227dcf677e06d321da1da1a0f6386466fc174c77e1e812a5e826dddb9ba32bd5bb496678bc1bd8994e8f774e9d79d2d0cbbcb0c5cedf06ad06a1bb1ebdd2fce29f309e338be7c31d7ba5292f1eb2b6d39abe2129289dcb567bcd079a375eb2f406564cbfe57dafe65b83c30949ebdca2c5cd3a74ae3e6fdc921542adb93daef553196c4a5bca09121aedd9588c6be32c872fee671465226643b2b7c6e671d42ed83fec79685d5db5a0c04a02cdfb3a898939b00956aa2efc4b8f4c6a24ec20dfce6b6f84062dbd995fa53f35d8448860dcef6f1b344f2d4bc88a92df1503ed8478ad21ce4b1419f3acc90a0d9dd3be4de15275231a2670e652919c6e22af18d24c87b4f609dd9b6ee13e2b15c85b0b492490741afd6b2910541e77bab5fa1a226e5e8c3f376e458b9133c88c6c2a581b300031cb7ea9e2d1fcbadac6aa1b54c28343e83dcee1c523be3cbdbbef2628689ff2ffca6150e6f24210b472bef924fc90e227b55fe4af9ab13c3d3fe5b05ddd4931cf830ca11b1d0c64284bfcda9d094520b7542783e3db714d0bf1731e330f912e120742c2c3946e9f29b10bceab20964360496e63f161af38df98fc8cd7c8035f26640ee34e88c6cb5265738826783b32f2c01b4dfcc39cb077a4e2b6b3d50e40888fa07e5067a9646180ebf6087c68f9d60cc89fbf038e8b863601a84dabdbe6468a64ae1d4e77b543c9ecde0df96a7908d26d8a23eff18eb3ebca90e92fbce58e4e4b8f93a8b7fbd424f48de2e804b0f28f56b0f7c6f25ac25a13bd7f8809ec5957248dbfd7a26936f8bac6499b6cf671b37de0a6523302edff8409283c0bda794edc83d2a10f7b22fea605525c7d7d169b5fe35ad372bab3c42df44d32f23d260f9e3d699f2f1abf5b809758e5082b5ba5406c86f64baeb10dd68e0530350c445368424360a71cf09852c3e5be29839946172cf48f4a41f279f8800734764580dfc1c6567be8f398a6f5bb6ce681cde87701a6f440a5ef7f837c385c9c0961c99df672fe9927535c9fd571a7db37a6938d862925f5f4d95e1a98e9fe0687feea2f2e95e43edc4cc0548af52157152c340846489918a0b02afc1f24eab090cb0c3ed716beff736867b2af456a05936825de1d3ae130726b777ed96f4f9f0b1af7c2d6900d4bc90d1ce28826a99198cee107baf9988e5484cbcc1c13735070ab57c0acdafe97c2200bc55fe7207bd337597da8d52660677952cd8f011b615356d2e14a6683c28f4616d1760a4af4accc3f097cbe4feaceabe04285e2b02f2f095ef1cc71e32c8c84e55b0fda9908fe5e694811fb41cfc281e31a043ff4624023168271aabb12fcd7f47c3090acddbc4918d548674d06c24e00933332a8ada06a83425e23c875046b37314c7d6ded5637ae55363fcf5ccdb8c2e4ad05008a79f3291a09faaabeb87a69e2105bd8a791afbcda690a0dd430d6df71952dbb9b9b43325aa8d56a2a206b09fd55c176f307ff713dd839a7cc5337f674e93b5ef35deae32aa2991852a211be4ab205d405e77c8e4ef48efbd88125ee2e1d7d76724313c679fb263b7d9cd145cc216f861e616ae1c3742c0d0a8aa76af412ec419f67ba8ab0207d18b0cd6dfa47f10ab9815e5b5356495e89b05ead7be0dcd13f3550cda0b76deee3b82969017ce2db4c2e2286a1cc357e9291d5e7a01ea9816298eafb191916dab5f250b459a3501815d928a6ba3681cc341126f21a4e791add3e2e3592e204"},
{"service_id":"01a20515-20f8-788d-ba74-8ed18d169ab8","client_id":"01a20514-f564-712d-8e94-312341205b2d","position":0,"addresses":["127.0.0.9"],"deployed":false,"run_state":"running","generation":11}
]$rows$);
insert into services (id, project_id, name, version, bootstrap, listeners, policies, shield_threads, shield_xff_trusted_hops, created_at, updated_at, updated_by, revision) overriding system value select id, project_id, name, version, bootstrap, listeners, policies, shield_threads, shield_xff_trusted_hops, created_at, updated_at, updated_by, revision from json_populate_recordset(null::services, $rows$[
{"id":"01a20514-fba0-7239-b144-2bea7203e301","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"demo","version":"1.39.3","bootstrap":"demo-bootstrap","listeners":["demo-listener","tls-listener"],"policies":["demo-policy","rich"],"shield_threads":1,"shield_xff_trusted_hops":0,"created_at":"2026-11-22T21:06:30.944+00:00","updated_at":"2026-11-22T21:06:40.236+00:00","updated_by":"admin","revision":2},
{"id":"01a20515-20f8-788d-ba74-8ed18d169ab8","project_id":"01a20514-deee-7b51-9c99-fc6b124597bf","name":"idle","version":"1.39.3","bootstrap":"demo-bootstrap","listeners":[],"policies":[],"shield_threads":1,"shield_xff_trusted_hops":0,"created_at":"2026-11-22T21:06:40.504+00:00","updated_at":"2026-11-22T21:06:40.504+00:00","updated_by":"admin","revision":1}
]$rows$);
insert into sessions (id, user_id, created_at, expires_at, ended_at, end_reason, ip, user_agent) overriding system value select id, user_id, created_at, expires_at, ended_at, end_reason, ip, user_agent from json_populate_recordset(null::sessions, $rows$[
{"id":"01a20514-e1eb-7a97-992e-bae12d4dcd28","user_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","created_at":"2026-11-22T21:06:24.363+00:00","expires_at":"2026-12-22T21:06:24.363+00:00","ip":"127.0.0.1","user_agent":"node"},
{"id":"01a20515-11fa-7c39-973e-434b1a90e715","user_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","created_at":"2026-11-22T21:06:36.666+00:00","expires_at":"2026-12-22T21:06:36.666+00:00","ip":"127.0.0.1","user_agent":"node"},
{"id":"01a20515-234a-7e65-a0ec-4784139753df","user_id":"01a20515-177a-752d-b893-dec7cce3c4b5","created_at":"2026-11-22T21:06:41.098+00:00","expires_at":"2026-12-22T21:06:41.098+00:00","ip":"127.0.0.1","user_agent":"node"},
{"id":"01a20515-2579-7e54-8e7a-6662dbfe0ce4","user_id":"01a20515-1614-7023-8553-5526bfdf3bbd","created_at":"2026-11-22T21:06:41.657+00:00","expires_at":"2026-12-22T21:06:41.657+00:00","ip":"127.0.0.1","user_agent":"node"},
{"id":"01a20516-1c4f-7a14-9530-75b905f4bb68","user_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","created_at":"2026-11-22T21:07:44.847+00:00","expires_at":"2026-12-22T21:07:44.847+00:00","ip":"127.0.0.1","user_agent":"node"},
{"id":"01a20516-2616-746c-a8c2-8a16f361afce","user_id":"01a20514-deee-7e4b-82bd-5c99e8004f18","created_at":"2026-11-22T21:07:47.35+00:00","expires_at":"2026-12-22T21:07:47.35+00:00","ip":"127.0.0.1","user_agent":"node"},
{"id":"01a20516-28e9-7f95-864c-1fdc35bb5d1a","user_id":"01a20515-1614-7023-8553-5526bfdf3bbd","created_at":"2026-11-22T21:07:48.073+00:00","expires_at":"2026-12-22T21:07:48.073+00:00","ip":"127.0.0.1","user_agent":"node"},
{"id":"01a20516-296a-7e77-b209-afe939b798c4","user_id":"01a20515-177a-752d-b893-dec7cce3c4b5","created_at":"2026-11-22T21:07:48.202+00:00","expires_at":"2026-12-22T21:07:48.202+00:00","ip":"127.0.0.1","user_agent":"node"}
]$rows$);
insert into sign_in_attempts (key, failures, last_at, blocked_until) overriding system value select key, failures, last_at, blocked_until from json_populate_recordset(null::sign_in_attempts, $rows$[
{"key":"smqA1aoGTjZPHitGch6iqHVE0RWtag0IoVsQnXKYiuQ","failures":0,"last_at":"2026-11-22T21:06:24.363+00:00","blocked_until":"2026-11-22T21:06:24.363+00:00"},
{"key":"QMK9P2fTjGXmALSB1caw57N0Lk10-_zXiefeTyaxWX0","failures":0,"last_at":"2026-11-22T21:06:41.098+00:00","blocked_until":"2026-11-22T21:06:41.098+00:00"},
{"key":"-etNc_0kdwYBgfg75YkUlDsfxpklY8AfBJJhHjbbJ7I","failures":0,"last_at":"2026-11-22T21:06:41.657+00:00","blocked_until":"2026-11-22T21:06:41.657+00:00"}
]$rows$);
insert into users (id, username, email, is_owner, active, password_hash, password_changed_at, created_at, updated_at, revision) overriding system value select id, username, email, is_owner, active, password_hash, password_changed_at, created_at, updated_at, revision from json_populate_recordset(null::users, $rows$[
{"id":"01a20514-deee-7e4b-82bd-5c99e8004f18","username":"admin","is_owner":true,"active":true,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$zKtSjThZj2aamPHz384/pA$kUN3Pd99++0M1zA6G28MVEG1xEUeMRitKwxeCVcX+H8","password_changed_at":"2026-11-22T21:06:23.598+00:00","created_at":"2026-11-22T21:06:23.598+00:00","updated_at":"2026-11-22T21:06:23.598+00:00","revision":1},
{"id":"01a20515-1614-7023-8553-5526bfdf3bbd","username":"ann","email":"ann@example.org","is_owner":false,"active":true,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$0noC1XVjiMw/AVGDNxbB0Q$rm+KMz7WFzQP0agZWcqdJaF8VWI1AM/odA8ITtmhzQ0","password_changed_at":"2026-11-22T21:06:37.716+00:00","created_at":"2026-11-22T21:06:37.716+00:00","updated_at":"2026-11-22T21:06:37.716+00:00","revision":1},
{"id":"01a20515-177a-752d-b893-dec7cce3c4b5","username":"victor","is_owner":false,"active":true,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$rUSWDufkpFQqVsEGOXZ+/w$sL5BwQF02qwJLi8yYI03e7o8/C+pCwip3pnF+NwudVQ","password_changed_at":"2026-11-22T21:06:38.074+00:00","created_at":"2026-11-22T21:06:38.074+00:00","updated_at":"2026-11-22T21:06:38.074+00:00","revision":1},
{"id":"01a20515-1837-720e-81ab-388f58e920ae","username":"gone","is_owner":false,"active":false,"password_hash":"$argon2id$v=19$m=19456,t=2,p=1$08L7eyLJwWnco6gW8kJnUw$EvtFEDALYgowkFaalOtMuFyXFzBvuoF87RNQmCZdghg","password_changed_at":"2026-11-22T21:06:38.263+00:00","created_at":"2026-11-22T21:06:38.263+00:00","updated_at":"2026-11-22T21:06:38.263+00:00","revision":1}
]$rows$);
select setval('outbox_seq_seq', 25);
select setval('fleet_generation', 12);
set session_replication_role = default;
