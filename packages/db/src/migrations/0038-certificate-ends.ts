import { type Kysely, sql } from 'kysely';

/**
 * When the certificates of a document end, kept beside it by the database: whoever writes documents (people, restores,
 * what was cleaned up and comes back) need not know of it, and a list of ten thousand secrets reads one column.
 *
 * Looked at are the places where Envoy has certificates as text or bytes. A chain ends with the first of its certificates,
 * what is trusted with the last: old authorities stay in bundles beside the new ones. Files and what cannot be read have
 * no end. Private keys are in another column, which is not read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Where the content of the element of DER (X.690) begins that begins at 'start', and where the element ends.
    create function der_content(der bytea, start int) returns int language sql immutable as $$
      select start + 2 + greatest(get_byte(der, start + 1) - 128, 0)
    $$;
    create function der_end(der bytea, start int) returns int language plpgsql immutable as $$
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
    end $$;

    -- notAfter of a certificate (RFC 5280, 4.1) in base64; null for what is none.
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
      if stamp !~ '^\\d{14}Z$' then
        return null;
      end if;
      return make_timestamptz(substr(stamp, 1, 4)::int, substr(stamp, 5, 2)::int, substr(stamp, 7, 2)::int,
        substr(stamp, 9, 2)::int, substr(stamp, 11, 2)::int, substr(stamp, 13, 2)::int, 'UTC');
    exception when others then
      return null;
    end $$;

    -- Of a DataSource. Its bytes may lack their padding, which 'decode' wants.
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
          -- No expression for the whole: of a long text it takes ten times as long.
          select split_part(begun, '-----END CERTIFICATE-----', 1) as body
          from string_to_table(content, '-----BEGIN CERTIFICATE-----') with ordinality parts(begun, place)
          where place > 1 and strpos(begun, '-----END CERTIFICATE-----') > 0
        ) bodies
        where length(body) > 200);
    exception when others then
      return null;
    end $$;

    -- Text is looked through first: most documents have no certificate, and to read JSON takes longer. What is shorter than
    -- any certificate is not read, here and above: a document has room for a hundred thousand of it.
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
    end $$;

    alter table documents add column certificate_ends_at timestamptz;
    create function derive_certificate_end() returns trigger language plpgsql as $$
    begin
      new.certificate_ends_at := certificates_end(new.resource);
      return new;
    end $$;
    create trigger certificate_end_derived before insert or update of resource on documents
      for each row execute function derive_certificate_end();

    select set_config('flotilla.scope', 'everything', true);
    update documents set certificate_ends_at = ends_at
      from (select id, certificates_end(resource) as ends_at from documents) known
      where known.id = documents.id and ends_at is not null;
    select set_config('flotilla.scope', '', true);
    create index documents_certificates on documents (project_id, certificate_ends_at)
      where certificate_ends_at is not null;
  `.execute(db);
}
