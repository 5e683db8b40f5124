import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create function audit_prune(of_key uuid, up_to bigint, based_at timestamptz, of_key_id text, of_signature bytea) returns bigint
  language plpgsql security definer set search_path to public, pg_temp as $$
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
end
$$;

create table audit_keys (
  key_id text primary key,
  public_key text not null,
  created_at timestamptz not null
);

create table audit_chain (
  project_key uuid,
  seq bigint check (seq > 0),
  position bigint generated always as identity unique,
  entry_id uuid not null unique,
  entry_hash bytea not null,
  hash bytea not null,
  sealed_at timestamptz not null,
  primary key (project_key, seq)
);
select guard_project_table('audit_chain', 'project_key');

create table audit_checkpoints (
  project_key uuid,
  seq bigint,
  hash bytea not null,
  at timestamptz not null,
  key_id text not null references audit_keys,
  signature bytea not null,
  primary key (project_key, seq)
);
select guard_project_table('audit_checkpoints', 'project_key');

create table audit_bases (
  project_key uuid,
  seq bigint,
  hash bytea not null,
  at timestamptz not null,
  entries bigint not null,
  key_id text not null references audit_keys,
  signature bytea not null,
  primary key (project_key, seq)
);
select guard_project_table('audit_bases', 'project_key');

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
select guard_project_table('audit_holds');

create table audit_sinks (
  name text primary key check (name in ('syslog', 'webhook')),
  position bigint not null,
  heads_at timestamptz,
  delivered_at timestamptz,
  failing_since timestamptz,
  last_error text,
  holder uuid,
  leased_until timestamptz not null default '1970-01-01 00:00:00+00'
);

create trigger audit_keys_written_once before delete or update or truncate on audit_keys
  for each statement execute function refuse_rewriting();
create trigger audit_chain_written_once before delete or update or truncate on audit_chain
  for each statement execute function refuse_rewriting();
create trigger audit_checkpoints_written_once before delete or update or truncate on audit_checkpoints
  for each statement execute function refuse_rewriting();
create trigger audit_bases_written_once before delete or update or truncate on audit_bases
  for each statement execute function refuse_rewriting();
`);
