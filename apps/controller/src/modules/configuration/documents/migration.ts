import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(String.raw`
create function certificate_end(body text) returns timestamptz language plpgsql stable as $$
declare
  der bytea;
  at int;
  stamp text;
begin
  der := decode(body, 'base64');
  at := der_content(der, der_content(der, 0));
  -- Before the validity: version (optional), serial, algorithm, issuer.
  for i in 1 .. case get_byte(der, at) when 160 then 4 else 3 end loop
    at := der_end(der, at);
  end loop;
  at := der_end(der, der_content(der, at));
  stamp := encode(substr(der, der_content(der, at) + 1, der_end(der, at) - der_content(der, at)), 'escape');
  -- UTCTime has two digits for the year: 1950 to 2049 (4.1.2.5.1).
  if get_byte(der, at) = 23 then
    stamp := case when stamp < '50' then '20' else '19' end || stamp;
  end if;
  if stamp !~ '^\d{14}Z$' then
    return null;
  end if;
  return make_timestamptz(substr(stamp, 1, 4)::int, substr(stamp, 5, 2)::int, substr(stamp, 7, 2)::int,
    substr(stamp, 9, 2)::int, substr(stamp, 11, 2)::int, substr(stamp, 13, 2)::int, 'UTC');
exception when others then
  return null;
end
$$;

create function certificates_end(resource json) returns timestamptz language plpgsql stable as $$
begin
  if resource::text !~ '"(certificate_chain|cert_chain|trusted_ca|root_certs)"' then
    return null;
  end if;
  return (
    select min(source_end(source, is_trusted)) from (
      select jsonb_path_query(resource::jsonb, 'strict $.**.certificate_chain'), false
      union all select jsonb_path_query(resource::jsonb, 'strict $.**.cert_chain'), false
      union all select jsonb_path_query(resource::jsonb, 'strict $.**.trusted_ca'), true
      union all select jsonb_path_query(resource::jsonb, 'strict $.**.root_certs'), true
    ) sources(source, is_trusted)
    where length(coalesce(source ->> 'inline_string', source ->> 'inline_bytes')) > 200);
exception when others then
  return null;
end
$$;

create function der_content(der bytea, start integer) returns integer language sql immutable as $$
  select start + 2 + greatest(get_byte(der, start + 1) - 128, 0)
$$;

create function der_end(der bytea, start integer) returns integer language plpgsql immutable as $$
declare
  content int := der_content(der, start);
  size int := 0;
begin
  if get_byte(der, start + 1) < 128 then
    return content + get_byte(der, start + 1);
  end if;
  for i in start + 2 .. content - 1 loop
    size := size * 256 + get_byte(der, i);
  end loop;
  return content + size;
end
$$;

create function source_end(source jsonb, is_trusted boolean) returns timestamptz language plpgsql stable as $$
declare
  bytes text := rtrim(translate(source ->> 'inline_bytes', '-_', '+/'), '=');
  content text;
begin
  content := coalesce(source ->> 'inline_string',
    encode(decode(rpad(bytes, (length(bytes) + 3) / 4 * 4, '='), 'base64'), 'escape'));
  return (
    select case when is_trusted then max(certificate_end(body)) else min(certificate_end(body)) end
    from (
      -- One regular expression for the whole text would take ten times as long.
      select split_part(begun, '-----END CERTIFICATE-----', 1) as body
      from string_to_table(content, '-----BEGIN CERTIFICATE-----') with ordinality parts(begun, place)
      where place > 1 and strpos(begun, '-----END CERTIFICATE-----') > 0
    ) bodies
    where length(body) > 200);
exception when others then
  return null;
end
$$;

create table documents (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  version text not null,
  collection text not null,
  name text not null,
  type text not null,
  description text,
  labels jsonb not null default '{}'::jsonb,
  resource json not null,
  sealed bytea,
  private jsonb not null default '[]'::jsonb,
  revision bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  certificate_ends_at timestamptz,
  host_access boolean not null default false,
  comments jsonb not null default '[]'::jsonb,
  unique (project_id, version, collection, name)
);
create index documents_updated on documents (project_id, updated_at desc, id);
create index documents_labels on documents using gin (labels jsonb_path_ops);
create index documents_like on documents using gin (lower(name) gin_trgm_ops);
create index documents_by_name on documents (project_id, lower(name), id);
create index documents_certificates on documents
  (project_id, certificate_ends_at) where certificate_ends_at is not null;
select guard_project_table('documents');
select list_rows('documents', 'document');
select guard_sealed_column('documents', 'sealed');

create table document_revisions (
  document_id uuid references documents on delete cascade,
  revision bigint,
  type text not null,
  description text,
  labels jsonb not null,
  resource json not null,
  sealed bytea,
  private jsonb not null,
  created_at timestamptz not null,
  created_by text not null,
  comments jsonb not null default '[]'::jsonb,
  primary key (document_id, revision)
);
select guard_child_table('document_revisions', 'documents', 'document_id');
select hold_parts('document_revisions', 'document', 'document_id');
select guard_sealed_column('document_revisions', 'sealed');

create table document_names (
  document_id uuid references documents on delete cascade,
  project_id uuid not null,
  version text not null,
  collection text,
  name text,
  primary key (document_id, collection, name)
);
create index document_names_target on document_names (project_id, version, collection, name);
select guard_project_table('document_names');
select list_parts('document_names', 'document', 'document_id');
select hold_parts('document_names', 'document', 'document_id');

create table document_references (
  from_id uuid not null,
  from_collection text not null,
  from_name text not null,
  project_id uuid not null references projects on delete cascade,
  version text not null,
  to_collection text not null,
  to_name text not null,
  kind text not null check (kind in ('name', 'ref', 'member', 'service')),
  path text not null
);
create index document_references_from on document_references (from_id);
create index document_references_target on document_references (project_id, version, to_collection, to_name);
select guard_project_table('document_references');
select list_mixed('document_references', 'from_collection = ''services''', 'from_id', 'document', 'from_id');
select hold_rows('document_references', 'insert or update or delete',
  'require_maker(case part.from_collection when ''services'' then ''service'' else ''document'' end, part.from_id)');

create function derive_certificate_end() returns trigger language plpgsql as $$
begin
  new.certificate_ends_at := certificates_end(new.resource);
  return new;
end
$$;

create trigger certificate_end_derived before insert or update of resource on documents
  for each row execute function derive_certificate_end();
`);
