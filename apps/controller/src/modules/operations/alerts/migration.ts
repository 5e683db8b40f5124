import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
-- UUIDv7 for rows that a statement creates by itself.
create function time_uuid() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

create table alert_channels (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  enabled boolean not null,
  target jsonb not null,
  sealed bytea,
  secret_updated_at timestamptz,
  delivered_at timestamptz,
  failing_since timestamptz,
  failures int not null default 0,
  retry_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  revision bigint not null default 1,
  unique (project_id, id)
);
create unique index alert_channels_name on alert_channels (project_id, lower(name));
select guard_project_table('alert_channels');
select guard_sealed_column('alert_channels', 'sealed');

create table alert_rules (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  enabled boolean not null,
  condition jsonb not null,
  for_s int not null,
  severity text not null check (severity in ('critical', 'warning', 'info')),
  quiet_hours jsonb,
  repeat_s int,
  selector jsonb not null,
  silenced_until timestamptz,
  silenced_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  revision bigint not null default 1,
  unique (project_id, id)
);
create unique index alert_rules_name on alert_rules (project_id, lower(name));
create index alert_rules_kind on alert_rules ((condition ->> 'kind')) where enabled;
select guard_project_table('alert_rules');

create table alert_rule_channels (
  project_id uuid not null,
  rule_id uuid not null,
  channel_id uuid not null,
  primary key (rule_id, channel_id),
  foreign key (project_id, rule_id) references alert_rules (project_id, id) on delete cascade,
  foreign key (project_id, channel_id) references alert_channels (project_id, id) on delete cascade
);
create index alert_rule_channels_channel on alert_rule_channels (channel_id);
select guard_project_table('alert_rule_channels');

-- The projects that got the default rules.
create table alert_projects (
  project_id uuid primary key references projects on delete cascade,
  seeded_at timestamptz not null
);
select guard_project_table('alert_projects');

create table alerts (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  rule_id uuid references alert_rules on delete set null,
  rule_name text not null,
  condition text not null,
  severity text not null check (severity in ('critical', 'warning', 'info')),
  fingerprint text not null,
  state text not null check (state in ('pending', 'firing', 'resolved')),
  subject_kind text not null,
  subject_id uuid,
  subject_name text not null,
  subject_place jsonb,
  summary text not null,
  since timestamptz not null,
  clear_since timestamptz,
  fired_at timestamptz,
  resolved_at timestamptz,
  fires int not null default 0,
  acknowledged_at timestamptz,
  acknowledged_by text,
  silenced_until timestamptz,
  silenced_by text,
  notified_at timestamptz,
  end_notified boolean not null default false
) with (fillfactor = 80);
create unique index alerts_active on alerts (rule_id, fingerprint) where state <> 'resolved';
create index alerts_list on alerts (project_id, since desc, id desc);
create index alerts_fired on alerts (fingerprint, fired_at);
create index alerts_firing on alerts (project_id) where state = 'firing';
create index alerts_ended_unreported on alerts (project_id)
  where state = 'resolved' and notified_at is not null and not end_notified;
create index alerts_rule on alerts (rule_id);
select guard_project_table('alerts');
do $$ begin
  execute format('create policy listed on alerts as restrictive for select using ((select scope_reader()) is null
    or case subject_kind when ''service'' then %s when ''client'' then %s when ''document'' then %s else true end)',
    reached_rows('service', 'subject_id'), reached_rows('client', 'subject_id'), reached_rows('document', 'subject_id'));
end $$;

create table alert_deliveries (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  channel_id uuid not null references alert_channels on delete cascade,
  kind text not null check (kind in ('alerts', 'test')),
  payload jsonb not null,
  firing int not null,
  resolved int not null,
  status text not null check (status in ('waiting', 'sending', 'delivered', 'failed')),
  attempts int not null default 0,
  holder uuid,
  leased_until timestamptz,
  error text,
  created_at timestamptz not null,
  delivered_at timestamptz
);
create index alert_deliveries_open on alert_deliveries (channel_id, created_at, id)
  where status in ('waiting', 'sending');
create index alert_deliveries_list on alert_deliveries (project_id, created_at desc, id desc);
select guard_project_table('alert_deliveries');

create function announce_alerts() returns trigger language plpgsql as $$
begin
  perform announce_changes(jsonb_agg(distinct jsonb_build_object('topic', tg_argv[0], 'project', project_id)))
    from changes having count(*) > 0;
  return null;
end
$$;
create trigger alerts_announced after update on alerts referencing new table as changes
  for each statement execute function announce_alerts('alert');
create trigger alerts_announced_deleted after delete on alerts referencing old table as changes
  for each statement execute function announce_alerts('alert');
create trigger alerts_announced_new after insert on alerts referencing new table as changes
  for each statement execute function announce_alerts('alert');
create trigger alert_deliveries_announced after update on alert_deliveries referencing new table as changes
  for each statement execute function announce_alerts('alert_channel');
create trigger alert_deliveries_announced_new after insert on alert_deliveries referencing new table as changes
  for each statement execute function announce_alerts('alert_channel');
create trigger alert_rules_announced after insert or delete or update on alert_rules
  for each row execute function announce_row('alert_rule', 'rule_id', 'id');
create trigger alert_channels_announced after insert or delete or update on alert_channels
  for each row execute function announce_row('alert_channel', 'channel_id', 'id');
`);
